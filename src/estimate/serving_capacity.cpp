#include <algorithm>
#include <cmath>

#include "gpuadvise/serving.h"

#include "estimate/serving_load.h"
#include "estimate/serving_speed.h"

namespace gpuadvise {
namespace {

constexpr double kMilli = 1e-3;
constexpr double kPerMillion = 1e6;
constexpr double kSecondsPerHour = 3600;

// What gives way first a little above the load.
ServingLimit limit_of(const ServingPlan& plan, const ServingRequest& request, const Slo& target, double rate,
                      double share) {
  constexpr double kNudge = 1.01;
  const double most = most_running(plan, request);
  const double full = saturated(plan, request, most).requests_per_second;
  if (rate * kNudge < full * share) {
    const ServingOutcome above = open_loop(plan, request, rate * kNudge);
    return target.ttft_ms && above.ttft > *target.ttft_ms * kMilli ? ServingLimit::ttft : ServingLimit::tpot;
  }
  if (saturated(plan, request, most / 2).requests_per_second * kNudge > full) return ServingLimit::compute;
  return most < plan.max_requests ? ServingLimit::kv_memory : ServingLimit::engine_requests;
}

}  // namespace

ServingCapacity serving_capacity(const Workload& workload, const Machine& machine, const Layout& layout,
                                 const Calibration& calibration, const Slo& target) {
  ServingCapacity capacity;
  const ServingPlan plan = make_serving_plan(workload, machine, layout, calibration);
  const InferenceSpec& inference = workload.profile.inference;
  if (!plan.why.empty() || !inference.input_tokens || !inference.output_tokens) {
    capacity.why = plan.why.empty() ? "speed/no-lengths" : plan.why;
    return capacity;
  }
  const ServingRequest request = serving_request(inference);
  capacity.known = true;
  if (most_running(plan, request) < 1) {
    capacity.limit = ServingLimit::kv_memory;
    return capacity;
  }
  const double share = calibration.serving.general.safe_load;
  ServingOutcome at = most_within(plan, request, target, share);
  // One request at a time is the least load there is.
  const ServingOutcome alone = static_batch(plan, request, 1);
  if (!at.fits && within(alone, target)) at = alone;
  capacity.attainable = at.fits && within(at, target);
  if (!capacity.attainable) at = alone;
  capacity.ttft_ms = at.ttft / kMilli;
  capacity.tpot_ms = at.tpot / kMilli;
  if (capacity.attainable) {
    capacity.requests_per_second = at.requests_per_second;
    capacity.concurrency = std::max(at.requests_per_second * at.latency, 1.0);
  }
  capacity.limit = limit_of(plan, request, target, capacity.requests_per_second, share);
  return capacity;
}

ServingFleet serving_fleet(const Workload& workload, const Machine& machine, const Layout& layout,
                           const Calibration& calibration, const Slo& target, double requests_per_second,
                           std::optional<double> off_peak_requests_per_second) {
  ServingFleet fleet;
  fleet.replica = serving_capacity(workload, machine, layout, calibration, target);
  const double each = fleet.replica.requests_per_second;
  if (each <= 0) return fleet;
  const auto replicas = [each](double rate) { return std::max(1, static_cast<int>(std::ceil(rate / each - 1e-9))); };
  fleet.peak = replicas(requests_per_second);
  if (off_peak_requests_per_second) fleet.off_peak = replicas(*off_peak_requests_per_second);
  return fleet;
}

std::optional<TokenCost> serving_token_cost(const Workload& workload, const Machine& machine, const Layout& layout,
                                            const Calibration& calibration, const SpeedEstimate& speed,
                                            double price_per_hour) {
  if (!speed.known || !speed.requests_per_second || *speed.requests_per_second <= 0) return std::nullopt;
  const ServingPlan plan = make_serving_plan(workload, machine, layout, calibration);
  if (!plan.why.empty()) return std::nullopt;
  const ServingRequest request = serving_request(workload.profile.inference);
  const double per_request = price_per_hour / kSecondsPerHour / *speed.requests_per_second;
  const double running = std::max(1.0, std::min(most_running(plan, request), plan.max_requests));
  const double prompt = pass_seconds(plan, prefill_load(plan, request, 1)).seconds;
  const double answer =
      decode_passes(request) * pass_seconds(plan, decode_load(plan, request, running)).seconds / running;
  const double share = prompt / (prompt + answer);
  TokenCost cost;
  cost.input = per_request * share / request.input_tokens * kPerMillion;
  cost.output = per_request * (1 - share) / request.output_tokens * kPerMillion;
  cost.blended = per_request / (request.input_tokens + request.output_tokens) * kPerMillion;
  return cost;
}

std::optional<Layout> best_serving_layout(const Workload& workload, const Machine& machine,
                                          const Calibration& calibration) {
  std::optional<Layout> best;
  double speed = 0;
  const int cards = std::max(1, static_cast<int>(std::lround(machine.accelerators_per_node)));
  // A replica must also have room for one request of the full context, where that is longer than the usual ones.
  const InferenceSpec& asked = workload.profile.inference;
  const bool longer = asked.max_context.value_or(0) > asked.input_tokens.value_or(0) + asked.output_tokens.value_or(0);
  for (int tensor = 1; tensor <= cards; tensor *= 2) {
    if (cards % tensor != 0) break;
    Layout layout;
    layout.tensor = tensor;
    layout.data = cards / tensor * std::max(machine.nodes, 1);
    const ServingPlan plan = make_serving_plan(workload, machine, layout, calibration);
    if (!plan.why.empty()) continue;
    if (most_running(plan, serving_request(asked)) < 1) continue;
    if (longer && !estimate_memory(workload, machine, layout, calibration).fits) continue;
    const SpeedEstimate estimate = estimate_serving_speed(workload, machine, layout, calibration);
    if (!estimate.known || *estimate.output_tokens_per_second <= speed) continue;
    speed = *estimate.output_tokens_per_second;
    best = layout;
  }
  return best;
}

}  // namespace gpuadvise
