// How mixture-of-experts layers are spread over the ranks of a pipeline stage; memory and speed must agree on it.
#pragma once

#include <algorithm>

#include "gpuadvise/estimate.h"

namespace gpuadvise {

// Ranks that hold different parts of one layer's experts: those of expert parallelism, times those of tensor
// parallelism where there are ranks enough for both (Megatron Core's default, expert tensor parallel size = tensor
// parallel size).
inline double expert_shards(const Layout& l) {
  const double world = static_cast<double>(l.tensor) * l.data * l.context;
  const double both = static_cast<double>(l.expert) * l.tensor;
  return both <= world ? both : std::max(1, l.expert);
}

// How far apart the ranks of one all-to-all stand.
inline double expert_stride(const Layout& l) { return expert_shards(l) / std::max(1, l.expert); }

}  // namespace gpuadvise
