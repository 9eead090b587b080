// What does not change from pass to pass of a serving engine on one layout: bytes, FLOPs, rates and fixed times. Worked
// out once; serving_pass.h turns it into seconds. Formulas and sources: docs/method/serving-speed.md.
#pragma once

#include <string_view>

#include "gpuadvise/calibration.h"
#include "gpuadvise/estimate.h"

namespace gpuadvise {

// Bytes and FLOPs are of one accelerator and of all pipeline stages together: a pass crosses every stage. Rates are per
// second, times in seconds.
struct ServingPlan {
  std::string_view why;  // message id when there is no plan; empty: usable

  // Weights.
  double dense_bytes = 0;   // read by every pass, routed experts apart
  double dense_flops = 0;   // per token
  double head_bytes = 0;    // output projection
  double head_flops = 0;    // per token that is sampled
  double expert_bytes = 0;  // one routed expert, all MoE layers
  double expert_flops = 0;  // per token: the experts it is sent to
  double experts = 0;       // per MoE layer; 0: dense model
  double experts_per_token = 0;
  double expert_ranks = 1;  // accelerators that the experts are spread over
  double imbalance = 1;     // load of the fullest of them against the mean
  double resident_gib = 0;  // weights held by the fullest accelerator

  // Attention.
  double full_layers = 0;    // keep the whole context
  double window_layers = 0;  // see `window` tokens
  double window = 0;
  bool window_held_whole = false;  // memory is held for the whole context in window layers too
  double kv_full_bytes = 0;        // per token, all full layers
  double kv_window_bytes = 0;      // per token, all window layers
  double kv_flops_layer = 0;       // decode attention, per token of context, layer and request
  double prefill_flops_pair = 0;   // prefill attention, per pair of tokens and layer
  double kv_copies = 0;            // bytes copied a pass for each byte of cache
  double kv_blocks = 0;            // SMs that share one request's cache; 0: all
  double state_bytes = 0;          // recurrent states of one request, held
  double rolled_tokens = 0;        // a full cache drops this many tokens; 0: it holds the whole context

  // Rates.
  double matrix_rate = 0;
  double expert_rate = 0;
  double head_rate = 0;
  double attention_rate = 0;
  double weight_rate = 0;
  double head_weight_rate = 0;
  double kv_rate = 0;
  double kv_block_rate = 0;  // of one SM alone
  double activation_seconds_token = 0;
  double roofline_power = 1;
  double linear_cost = 1;  // of a pass, for layers with recurrent state

  // Host and launches.
  double launch_seconds = 0;  // all layers and the pass
  double launch_power = 1;
  double graph_context = 0;  // tokens beyond which launches take eager_seconds; 0: never
  double eager_seconds = 0;
  double request_seconds = 0;       // per running request of one attention rank
  double expert_visit_seconds = 0;  // per expert that is visited
  double arrival_seconds = 0;
  double single_factor = 1;  // time of matrices and launches in a pass of one token

  // Communication of a pass.
  double reduce_latency = 0;
  double reduce_seconds_token = 0;
  double dispatch_latency = 0;  // to and from experts on other ranks
  double dispatch_seconds_token = 0;
  double stage_latency = 0;  // between pipeline stages
  double stage_seconds_token = 0;

  // Layout.
  double pipeline = 1;
  double pipeline_loss = 0;    // share of time lost while stages work on different passes
  double attention_ranks = 1;  // data-parallel attention ranks that share one set of experts
  double replicas = 1;

  // Running batch.
  double kv_capacity_bytes = 0;  // of one accelerator
  double token_budget = 0;       // tokens of one pass
  double max_requests = 0;       // of one replica
  double length_spread = 0;      // answers differ in length by up to this share
};

ServingPlan make_serving_plan(const Workload& workload, const Machine& machine, const Layout& layout,
                              const Calibration& calibration);

// KV and state bytes that one accelerator holds for a request of `tokens` tokens.
double request_kv_bytes(const ServingPlan& plan, double tokens);
// Requests that run at once in one replica when each grows to `tokens` tokens; fractional, below 1 when none fits.
double running_requests(const ServingPlan& plan, double tokens);

}  // namespace gpuadvise
