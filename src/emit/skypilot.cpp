// SkyPilot tasks: YAML whose commands go to a shell as they are.
#include "emit/format.h"

namespace gpuadvise::emit_detail {

const Format kSkypilot{"skypilot", {json_quoted, plain}, true};

}  // namespace gpuadvise::emit_detail
