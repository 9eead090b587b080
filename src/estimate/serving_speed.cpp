#include <algorithm>

#include "estimate/serving_lookup.h"
#include "estimate/serving_speed.h"

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

namespace {

std::string_view mode_name(ServingMode mode) {
  switch (mode) {
    case ServingMode::batch_static:
      return "static";
    case ServingMode::online:
      return "online";
    case ServingMode::offline:
      return "offline";
  }
  return "online";
}

void set_band(const Workload& workload, const Machine& machine, ServingMode mode, const ServingCalibration& calibration,
              SpeedEstimate& speed) {
  const auto* engine = find_engine(calibration, workload.profile.inference.engine.value_or(""));
  const auto matches = [](std::string_view key, std::string_view value) { return key.empty() || key == value; };
  for (const auto& band : calibration.bands) {
    if (engine == nullptr || !matches(band.engine, engine->engine)) continue;
    if (!matches(band.chip, machine.accelerator->chip_class)) continue;
    if (!matches(band.mode, mode_name(mode))) continue;
    if (band.moe && *band.moe != (workload.architecture.experts > 0)) continue;
    speed.band_low_percent = band.low_percent;
    speed.band_high_percent = band.high_percent;
    const bool near = band.rows > 0 && !band.engine.empty() && !band.chip.empty();
    speed.nearness = near ? EstimateConfidence::interpolated : EstimateConfidence::extrapolated;
    return;
  }
}

// The load that the profile describes. A mode without a load asks for the most that the target allows.
ServingOutcome outcome_of(const ServingPlan& plan, const ServingRequest& request, const InferenceSpec& inference,
                          ServingMode mode) {
  if (mode == ServingMode::offline) return saturated(plan, request, plan.max_requests);
  if (mode == ServingMode::batch_static) {
    return static_batch(plan, request, std::max(inference.concurrency.value_or(1), 1.0));
  }
  if (inference.concurrency) return closed_loop(plan, request, std::max(*inference.concurrency, 1.0));
  if (inference.requests_per_second) return open_loop(plan, request, *inference.requests_per_second / plan.replicas);
  if (inference.slo) return most_within(plan, request, *inference.slo, 1);
  return saturated(plan, request, plan.max_requests);
}

}  // namespace

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
  const ServingOutcome outcome = outcome_of(plan, request, inference, mode);
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
  set_band(workload, machine, mode, calibration.serving, speed);
  return speed;
}

}  // namespace gpuadvise
