// The best layout of a workload on one machine type and node count: parallelism, ZeRO stage, micro-batch and activation
// checkpointing are searched, within memory, honouring what the profile pins.
#pragma once

#include <optional>

#include "gpuadvise/estimator.h"
#include "gpuadvise/knowledge.h"

namespace gpuadvise {

struct LayoutChoice {
  Layout layout;
  MemoryEstimate memory;
  SpeedEstimate speed;
};

// When nothing fits, `fits` is empty and `closest` is the layout with the least memory.
struct LayoutSearch {
  std::optional<LayoutChoice> fits;
  LayoutChoice closest;
};

// A layout fits when the estimate and a margin for its error stay within usable memory.
LayoutSearch best_layout(const Estimator& estimator, const Machine& machine, const Knowledge& knowledge,
                         Objective objective);

// Higher is better: tokens, samples or relative work a second, or for latency its inverse.
double merit(const Workload& workload, const SpeedEstimate& speed, Objective objective);

}  // namespace gpuadvise
