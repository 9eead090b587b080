#include "estimate/serving_speed.h"

#include <algorithm>

namespace gpuadvise {

ServingRequest serving_request(const InferenceSpec& inference) {
  ServingRequest request;
  request.input_tokens = std::max(inference.input_tokens.value_or(0), 1);
  request.output_tokens = std::max(inference.output_tokens.value_or(0), 1);
  request.cached_tokens = request.input_tokens * std::clamp(inference.prefix_cache_hit_rate.value_or(0), 0.0, 1.0);
  request.tokens_per_pass = std::max(inference.speculative_acceptance.value_or(1), 1.0);
  request.verified_per_pass = request.tokens_per_pass > 1 ? request.tokens_per_pass + 1 : 1;
  request.sequences = std::max(inference.beam_width.value_or(1), 1);
  return request;
}

SpeedEstimate estimate_serving_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                     const Calibration& calibration) {
  SpeedEstimate speed;
  const auto& inference = workload.profile.inference;
  const ServingPlan plan = make_serving_plan(workload, machine, layout, calibration);
  if (!plan.why.empty()) {
    speed.why = plan.why;
    return speed;
  }
  if (!inference.input_tokens || !inference.output_tokens) {
    speed.why = "speed/no-lengths";
    return speed;
  }
  const ServingRequest request = serving_request(inference);
  const ServingMode mode = inference.mode.value_or(ServingMode::online);
  ServingOutcome outcome;
  if (mode == ServingMode::offline) {
    outcome = saturated(plan, request, plan.max_requests);
  } else if (mode == ServingMode::batch_static) {
    outcome = static_batch(plan, request, std::max(inference.concurrency.value_or(1), 1.0));
  } else if (inference.concurrency) {
    outcome = closed_loop(plan, request, std::max(*inference.concurrency, 1.0));
  } else if (inference.requests_per_second) {
    outcome = open_loop(plan, request, *inference.requests_per_second / plan.replicas);
  } else {
    outcome = saturated(plan, request, plan.max_requests);
  }
  if (outcome.running <= 0) {
    speed.why = "speed/does-not-fit";
    return speed;
  }
  speed.known = true;
  speed.ttft_ms = outcome.ttft * 1e3;
  if (request.output_tokens > 1) speed.tpot_ms = outcome.tpot * 1e3;
  speed.latency_ms = outcome.latency * 1e3;
  speed.requests_per_second = outcome.requests_per_second * plan.replicas;
  speed.output_tokens_per_second = *speed.requests_per_second * request.output_tokens;
  speed.total_tokens_per_second = *speed.requests_per_second * (request.output_tokens + request.input_tokens);
  speed.tokens_per_second = speed.total_tokens_per_second;
  const double cards = std::max(machine.accelerators_per_node, 1.0) * machine.nodes;
  speed.tokens_per_second_per_accelerator = *speed.total_tokens_per_second / cards;
  speed.step_seconds = outcome.decode.seconds;
  speed.terms.compute = outcome.decode.matrices;
  speed.terms.attention = outcome.decode.attention;
  speed.terms.tensor_comm = outcome.decode.communication;
  speed.terms.host = outcome.decode.host;
  return speed;
}

}  // namespace gpuadvise
