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

// What decides whether an estimate is called a fit, GiB: everything on the card, with `margin` (a share) for the error
// and the headroom that the request asks for, against the card; or what the engine must have against what it may use.
// Of memory that is not known, what the parameters alone take: without any such bound everything fits.
struct MemoryVerdict {
  double needed = 0;
  double limit = 0;
  bool fits() const { return needed <= limit; }
};
MemoryVerdict memory_verdict(const MemoryEstimate& memory, const Workload& workload, double usable_gib, double margin);

// A layout fits when needed_memory() is within usable memory. Layouts that meet the request's latency come first.
LayoutSearch best_layout(const Estimator& estimator, const Machine& machine, const Knowledge& knowledge,
                         Objective objective);

// Higher is better: tokens, samples or relative work a second, or for latency its inverse.
double merit(const Workload& workload, const SpeedEstimate& speed, Objective objective);

// Of `machine.nodes` as searched: how many talk to each other. Training and HPC spread one job over all of them, a
// model that serves spreads a replica over as many as it needs, and whatever else shares its load or frames works
// alone.
int machines_together(const Workload& workload, const Machine& machine, const Layout& layout);

}  // namespace gpuadvise
