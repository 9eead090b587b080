#include <algorithm>
#include <cmath>

#include "estimate/serving_batch.h"
#include "estimate/serving_load.h"

namespace gpuadvise {
namespace {

constexpr double kMilli = 1e-3;
constexpr int kHalvings = 20;  // a millionth of the range

}  // namespace

double most_running(const ServingPlan& plan, const ServingRequest& request) {
  return running_requests(plan, request.input_tokens + request.output_tokens * request.sequences);
}

ServingOutcome static_batch(const ServingPlan& plan, const ServingRequest& request, double requests) {
  ServingOutcome out;
  out.fits = true;
  out.running = requests;
  out.prefill = pass_seconds(plan, prefill_load(plan, request, requests));
  out.decode = pass_seconds(plan, decode_load(plan, request, requests));
  out.ttft = plan.arrival_seconds + out.prefill.seconds;
  out.tpot = out.decode.seconds / request.tokens_per_pass;
  out.latency = out.ttft + decode_passes(request) * out.decode.seconds;
  out.requests_per_second = requests / out.latency;
  return out;
}

// In the steady state every running request decodes in each pass while the prompts of those that follow are worked into
// some of the passes. Pipeline stages hold as many passes in flight.
ServingOutcome saturated(const ServingPlan& plan, const ServingRequest& request, double requests) {
  ServingOutcome out;
  const double fit = most_running(plan, request);
  // Where the cache has no room for one request the estimate of memory says so; speed is that of one.
  const double running = std::max(std::min(requests, fit), 1.0);
  out.fits = true;
  out.running = running;
  const double batch = std::max(running / plan.pipeline, 1.0);
  const double passes = std::max(decode_passes(request), 1.0);
  const double per_rank = batch / plan.attention_ranks;
  const double budget = std::max(plan.token_budget - per_rank, plan.token_budget / 4);
  const double mixed = std::max(std::min(per_rank, passes), per_rank * new_tokens(request) / budget);
  const double cycle_passes = std::max(passes, mixed);

  out.decode = pass_seconds(plan, decode_load(plan, request, batch));
  PassLoad both = decode_load(plan, request, batch * passes / cycle_passes);
  add_prefill(plan, request, batch / mixed, both);
  out.prefill = pass_seconds(plan, both);
  const double cycle = mixed * out.prefill.seconds + (cycle_passes - mixed) * out.decode.seconds;
  out.requests_per_second = running / (cycle * (1 + plan.pipeline_loss));
  out.latency = cycle;
  out.tpot = cycle / passes / request.tokens_per_pass;
  out.ttft = plan.arrival_seconds + out.prefill.seconds;
  return out;
}

ServingOutcome open_loop(const ServingPlan& plan, const ServingRequest& request, double rate) {
  const double most = most_running(plan, request);
  ServingOutcome full = saturated(plan, request, most);
  if (!full.fits || full.requests_per_second <= rate) {
    full.fits = false;
    return full;
  }
  // The number in the system at which the steady state serves just that rate.
  double low = 0;
  double high = most;
  ServingOutcome at = full;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    at = saturated(plan, request, std::max(middle, 1.0));
    (at.requests_per_second < rate ? low : high) = middle;
  }
  const double load = rate / full.requests_per_second;
  const PassTime alone = pass_seconds(plan, prefill_load(plan, request, 1));
  // Prompts queue for passes as in M/D/1: load / (2 (1 - load)) service times on average.
  const double busy = std::min(rate * alone.seconds / plan.attention_ranks, load);
  at.ttft = plan.arrival_seconds + alone.seconds * (1 + busy / (2 * (1 - busy))) + at.decode.seconds / 2;
  at.latency = at.ttft + at.tpot * std::max(request.output_tokens - 1, 0.0);
  at.requests_per_second = rate;
  return at;
}

bool within(const ServingOutcome& o, const Slo& target) {
  return o.fits && (!target.ttft_ms || o.ttft <= *target.ttft_ms * kMilli) &&
         (!target.tpot_ms || o.tpot <= *target.tpot_ms * kMilli);
}

ServingOutcome most_within(const ServingPlan& plan, const ServingRequest& request, const Slo& target, double share) {
  const double ceiling = saturated(plan, request, plan.max_requests).requests_per_second * share;
  ServingOutcome best = open_loop(plan, request, ceiling);
  if (within(best, target)) return best;
  best.fits = false;
  double low = 0;
  double high = ceiling;
  for (int i = 0; i < kHalvings; ++i) {
    const double rate = (low + high) / 2;
    const ServingOutcome at = open_loop(plan, request, rate);
    if (within(at, target)) {
      low = rate;
      best = at;
    } else {
      high = rate;
    }
  }
  return best;
}

}  // namespace gpuadvise
