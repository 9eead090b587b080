#include "estimate/serving_batch.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise {
namespace {

// Passes of one decode phase: the first token comes from prefill.
double decode_passes(const ServingRequest& request) {
  return std::max(request.output_tokens - 1, 0.0) / request.tokens_per_pass;
}

double new_tokens(const ServingRequest& request) { return std::max(request.input_tokens - request.cached_tokens, 1.0); }

// Token pairs of causal attention over `tokens` new tokens after `before` known ones.
double causal_pairs(double before, double tokens) { return tokens * (before + tokens / 2); }

PassLoad decode_load(const ServingPlan& plan, const ServingRequest& request, double requests, double context) {
  PassLoad load;
  load.decode_requests = requests * request.sequences / plan.attention_ranks;
  load.decode_tokens = load.decode_requests * request.verified_per_pass;
  load.context = context;
  return load;
}

PassLoad prefill_load(const ServingPlan& plan, const ServingRequest& request, double requests) {
  PassLoad load;
  load.prefill_requests = requests / plan.attention_ranks;
  load.prefill_tokens = load.prefill_requests * new_tokens(request);
  load.prefill_pairs = load.prefill_requests * causal_pairs(request.cached_tokens, new_tokens(request));
  return load;
}

double mean_context(const ServingRequest& request) { return request.input_tokens + request.output_tokens / 2; }

}  // namespace

double most_running(const ServingPlan& plan, const ServingRequest& request) {
  return running_requests(plan, request.input_tokens + request.output_tokens * request.sequences);
}

ServingOutcome static_batch(const ServingPlan& plan, const ServingRequest& request, double requests) {
  ServingOutcome out;
  if (most_running(plan, request) < requests) return closed_loop(plan, request, requests);
  out.fits = true;
  out.running = requests;
  out.prefill = pass_seconds(plan, prefill_load(plan, request, requests));
  out.decode = pass_seconds(plan, decode_load(plan, request, requests, mean_context(request)));
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

  out.decode = pass_seconds(plan, decode_load(plan, request, batch, mean_context(request)));
  PassLoad both = decode_load(plan, request, batch * passes / cycle_passes, mean_context(request));
  const PassLoad prompts = prefill_load(plan, request, batch / mixed);
  both.prefill_tokens = prompts.prefill_tokens;
  both.prefill_pairs = prompts.prefill_pairs;
  both.prefill_requests = prompts.prefill_requests;
  out.prefill = pass_seconds(plan, both);
  const double cycle = mixed * out.prefill.seconds + (cycle_passes - mixed) * out.decode.seconds;
  const double in_flight = running / batch;
  out.requests_per_second = batch * in_flight / cycle / (in_flight > 1 ? 1 : 1);
  out.latency = cycle;
  out.tpot = cycle / passes / request.tokens_per_pass;
  out.ttft = plan.arrival_seconds + out.prefill.seconds;
  return out;
}

// A small simulation: users in up to kGroups groups, prompts first come first served in passes of at most the token
// budget beside the running decodes, then straight to the next event. The first rounds settle, the last is measured.
ServingOutcome closed_loop(const ServingPlan& plan, const ServingRequest& request, double users) {
  constexpr int kGroups = 32;
  constexpr int kRounds = 4;
  constexpr int kMeasured = 2;
  ServingOutcome out;
  const double fit = std::max(most_running(plan, request), 1.0);
  out.fits = true;
  const int groups = std::clamp(static_cast<int>(std::floor(users)), 1, kGroups);
  const double weight = users / groups;  // requests of one group
  const int slots = std::clamp(static_cast<int>(std::floor(fit / weight)), 1, groups);
  const double passes = std::max(decode_passes(request), 1.0);

  struct Group {
    double arrived = 0;
    double first_token = 0;
    double left = 0;  // decode passes
    bool running = false;
  };
  std::array<Group, kGroups> group{};
  std::array<int, kGroups> queue{};  // a ring of waiting groups
  int head = 0;
  int waiting = groups;
  for (int i = 0; i < groups; ++i) queue[static_cast<std::size_t>(i)] = i;

  double now = 0;
  int running = 0;
  int finished = 0;
  int measured = 0;
  std::array<double, kGroups * kMeasured> ttft{};
  double decode_time = 0;
  double decode_tokens = 0;
  double latency = 0;
  double window_start = 0;
  const int total = groups * kRounds;
  const int settle = groups * (kRounds - kMeasured);
  const double chunk_room = std::max(plan.token_budget, 1.0);

  const auto advance = [&](double seconds, double steps) {
    now += seconds;
    for (int i = 0; i < groups; ++i) {
      auto& g = group[static_cast<std::size_t>(i)];
      if (!g.running) continue;
      g.left -= steps;
      if (g.left > 1e-9) continue;
      g.running = false;
      --running;
      if (finished == settle) window_start = now;
      if (finished >= settle && measured < groups * kMeasured) {
        ttft[static_cast<std::size_t>(measured++)] = g.first_token - g.arrived;
        decode_time += now - g.first_token;
        decode_tokens += std::max(request.output_tokens - 1, 1.0);
        latency += now - g.arrived;
      }
      ++finished;
      g.arrived = now;
      queue[static_cast<std::size_t>((head + waiting) % kGroups)] = i;
      ++waiting;
    }
  };

  double last_end = 0;
  for (int guard = 0; finished < total && guard < total * 4; ++guard) {
    const double decoding = running * weight;
    if (waiting > 0 && running < slots) {
      // As many whole prompts as one pass takes; a long prompt takes several passes.
      const double each = new_tokens(request) * weight / plan.attention_ranks;
      const int room = std::max(1, static_cast<int>(chunk_room / each));
      const int taken = std::min({waiting, slots - running, room});
      const double tokens = taken * each;
      const double count = std::max(1.0, std::ceil(tokens / chunk_room - 1e-9));
      PassLoad load = decode_load(plan, request, decoding, mean_context(request));
      const PassLoad prompts = prefill_load(plan, request, taken * weight);
      load.prefill_tokens = prompts.prefill_tokens / count;
      load.prefill_pairs = prompts.prefill_pairs / count;
      load.prefill_requests = prompts.prefill_requests / count;
      out.prefill = pass_seconds(plan, load);
      const double begun = now;
      std::array<int, kGroups> started{};
      for (int i = 0; i < taken; ++i) {
        started[static_cast<std::size_t>(i)] = queue[static_cast<std::size_t>(head)];
        head = (head + 1) % kGroups;
        --waiting;
      }
      advance(out.prefill.seconds * count, count);
      for (int i = 0; i < taken; ++i) {
        auto& g = group[static_cast<std::size_t>(started[static_cast<std::size_t>(i)])];
        g.first_token = std::max(now, begun);
        g.left = passes;
        g.running = true;
        ++running;
      }
    } else {
      double steps = passes;
      for (int i = 0; i < groups; ++i) {
        const auto& g = group[static_cast<std::size_t>(i)];
        if (g.running) steps = std::min(steps, g.left);
      }
      out.decode = pass_seconds(plan, decode_load(plan, request, decoding, mean_context(request)));
      advance(out.decode.seconds * steps, steps);
    }
    last_end = now;
  }
  if (measured == 0) return out;
  std::sort(ttft.begin(), ttft.begin() + measured);
  out.ttft = plan.arrival_seconds + ttft[static_cast<std::size_t>(measured / 2)];
  out.tpot = decode_time / decode_tokens;
  out.latency = plan.arrival_seconds + latency / measured;
  out.running = std::min(users, slots * weight);
  // By Little's law: users over the time that each waits for an answer.
  out.requests_per_second = users / out.latency;
  static_cast<void>(last_end);
  static_cast<void>(window_start);
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
  for (int i = 0; i < 24; ++i) {
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

}  // namespace gpuadvise
