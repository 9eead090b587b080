// What a stated architecture leaves out. Profiles and measurements often give the main sizes of a model and not whether
// its feed-forward part is gated, which layers have experts, or which attend within a window.
#pragma once

#include "gpuadvise/model.h"

namespace gpuadvise {

// Where the library's model has the same layers, width and heads, fields that `given` leaves at zero are the library's,
// and so is gating. Else the published parameter count decides between two and three feed-forward matrices, and how
// many layers have no experts. Idempotent. `params` 0: unknown. `library` may be null.
Architecture reconciled(const Architecture& given, double params, const Model* library);

}  // namespace gpuadvise
