#include <algorithm>
#include <cmath>

#include "estimate/norm.h"
#include "estimate/serving_pass.h"

namespace gpuadvise {
namespace {

struct Matrices {
  double seconds = 0;
  double visits = 0;  // experts that one rank visits in a layer
};

Matrices matrices(const ServingPlan& plan, double tokens, double sampled) {
  Matrices m;
  const double power = plan.roofline_power;
  m.seconds = norm(plan.dense_bytes / plan.weight_rate, tokens * plan.dense_flops / plan.matrix_rate, power) +
              norm(plan.head_bytes / plan.head_weight_rate, sampled * plan.head_flops / plan.head_rate, power) +
              tokens * plan.activation_seconds_token;
  if (plan.experts <= 0) return m;
  // Tokens choose experts as if at random: the number of distinct ones follows.
  const double all = tokens * plan.attention_ranks;
  const double chosen = plan.experts * (1 - std::pow(1 - plan.experts_per_token / plan.experts, all));
  const double local = plan.experts / plan.expert_ranks;
  m.visits = std::clamp(chosen / plan.expert_ranks * plan.imbalance, std::min(1.0, local), local);
  const double compute = all * plan.expert_flops / plan.expert_ranks * plan.imbalance / plan.expert_rate;
  m.seconds += norm(m.visits * plan.expert_bytes / plan.weight_rate, compute, power);
  return m;
}

double attention(const ServingPlan& plan, const PassLoad& load) {
  const double near = std::min(load.context, plan.window);
  const double bytes = load.decode_requests * (load.context * plan.kv_full_bytes + near * plan.kv_window_bytes);
  const double flops =
      load.decode_tokens * (plan.full_layers * load.context + plan.window_layers * near) * plan.kv_flops_layer;
  double rate = plan.kv_rate;
  if (plan.kv_blocks > 0 && plan.kv_block_rate > 0) {
    rate = std::min(rate, std::max(load.decode_requests, 1.0) * plan.kv_blocks * plan.kv_block_rate);
  }
  double seconds = norm(bytes / rate, flops / plan.attention_rate, plan.roofline_power);
  seconds += (bytes * plan.kv_copies + 2 * load.decode_requests * plan.state_bytes) / plan.kv_rate;
  if (load.prefill_tokens > 0) {
    const double windowed = std::min(load.prefill_pairs, load.prefill_tokens * plan.window);
    seconds += (plan.full_layers * load.prefill_pairs + plan.window_layers * windowed) * plan.prefill_flops_pair /
               plan.attention_rate;
  }
  return seconds;
}

}  // namespace

PassTime pass_seconds(const ServingPlan& plan, const PassLoad& load) {
  PassTime time;
  const double tokens = load.decode_tokens + load.prefill_tokens;
  const Matrices m = matrices(plan, tokens, load.decode_tokens + load.prefill_requests);
  time.matrices = m.seconds;
  time.attention = attention(plan, load);
  time.communication = plan.reduce_latency + plan.dispatch_latency + plan.stage_latency +
                       tokens * (plan.reduce_seconds_token + plan.dispatch_seconds_token + plan.stage_seconds_token);
  const bool eager = plan.graph_context > 0 && load.context > plan.graph_context;
  double launch = (eager ? plan.eager_seconds : plan.launch_seconds) + m.visits * plan.expert_visit_seconds;
  time.matrices *= plan.linear_cost;
  if (tokens <= 1) {
    time.matrices *= plan.single_factor;
    launch *= plan.single_factor;
  }
  const double work = time.matrices + time.attention + time.communication;
  time.seconds = norm(work, launch * plan.linear_cost, plan.launch_power) + load.decode_requests * plan.request_seconds;
  time.host = time.seconds - work;
  return time;
}

}  // namespace gpuadvise
