// The largest or smallest setting whose memory fits: a search over an estimate that only grows (or only shrinks).
#pragma once

#include <cstdint>
#include <optional>

#include "gpuadvise/estimate.h"

namespace gpuadvise {

enum class SolveFor : std::uint8_t {
  max_context,      // tokens of a sequence: training's sequence length, serving's context
  max_concurrency,  // sequences in flight on one replica
  max_micro_batch,  // sequences or samples per data-parallel rank and forward pass
  min_accelerators  // cards: tensor parallel first, within a node, then pipeline stages; ZeRO-3 ranks when training
};

struct Solution {
  std::optional<std::int64_t> value;  // empty: nothing fits, not even 1
  bool bounded = true;                // false: still fits at the largest value tried
  MemoryEstimate memory;              // at value
  Layout layout;                      // at value
};

// `most` is the largest value tried.
Solution solve(SolveFor what, const Workload& workload, const Machine& machine, const Layout& layout,
               const Calibration& calibration, std::int64_t most);

}  // namespace gpuadvise
