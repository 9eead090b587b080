// What machines cost: money per hour, per token, per unit of work, to finish. Formulas: docs/method/cost.md.
#pragma once

#include "gpuadvise/calibration.h"
#include "gpuadvise/catalog.h"
#include "gpuadvise/estimate.h"

#include "estimate/price_choice.h"

namespace gpuadvise {

// Work of the whole job in the unit its speed is in (tokens, samples, frames or runs of an application), all runs of a
// sweep included; nothing when the profile does not bound it.
std::optional<double> work_of(const Workload& workload);

// The share of the time that interruptions of `nodes` spot machines cost. Nothing but for spot training that writes
// checkpoints: what is served is not done again, and without checkpoints nothing bounds the loss.
std::optional<double> interruption_loss(const Workload& workload, const SpotInterruptions& interruptions, int nodes);

// Of `nodes` that stop together; interruptions included. Nothing where the work or the speed is not known, or where
// they lose too much.
std::optional<double> hours_to_finish(const Workload& workload, const SpeedEstimate& speed, const Catalog& catalog,
                                      int nodes);

// `nodes` are paid for. Of a sweep that shares them, `nodes_of_a_run` stop together when one is interrupted.
CostEstimate estimate_cost(const Workload& workload, const SpeedEstimate& speed, const PriceChoice& choice,
                           const Catalog& catalog, int nodes, std::optional<int> nodes_of_a_run = std::nullopt);

// The prices of input and of output tokens, for services only; apart, because it weighs prefill against decoding and
// takes as long as a speed estimate.
void split_token_cost(const Workload& workload, const Machine& machine, const Layout& layout,
                      const Calibration& calibration, Estimate& estimate);

}  // namespace gpuadvise
