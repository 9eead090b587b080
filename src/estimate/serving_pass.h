// One forward pass of a serving engine on one layout: how long it takes, by term. Everything that does not change from
// pass to pass is worked out once in ServingPlan; pass_seconds() is a page of arithmetic and allocates nothing.
// Formulas and sources: docs/method/serving-speed.md.
#pragma once

#include <string_view>

#include "gpuadvise/calibration/serving.h"
#include "gpuadvise/estimate.h"

namespace gpuadvise {

// Bytes and FLOPs are of one accelerator and of all pipeline stages together: a pass crosses every stage.
struct ServingPlan {
  std::string_view why;  // message id when the plan cannot be made; empty: usable
  // weights
  double dense_bytes = 0;   // read by every pass, routed experts apart
  double dense_flops = 0;   // per token
  double head_bytes = 0;    // output projection
  double head_flops = 0;    // per token that is sampled
  double expert_bytes = 0;  // one routed expert, all MoE layers
  double expert_flops = 0;  // per token: the experts it is sent to
  double experts = 0;       // per MoE layer; 0: dense model
  double experts_per_token = 0;
  double expert_ranks = 1;  // accelerators that the experts are spread over
  double moe_layers = 0;
  double resident_gib = 0;  // weights held by the fullest accelerator
  // attention
  double layers = 0;
  double full_layers = 0;    // keep the whole context
  double window_layers = 0;  // keep `window` tokens
  double window = 0;
  double kv_bytes_layer = 0;      // per token and layer, on one accelerator
  double kv_flops_layer = 0;      // decode attention, per token of context, layer and request
  double prefill_flops_pair = 0;  // prefill attention, per pair of tokens and layer
  double kv_copies = 0;           // bytes copied a pass for each byte of cache
  double kv_blocks = 0;           // SMs that share one request's cache; 0: all
  double state_bytes = 0;         // recurrent state per request, read and written each pass
  // rates: per second
  double matrix_rate = 0;
  double expert_rate = 0;
  double head_rate = 0;
  double attention_rate = 0;
  double weight_rate = 0;
  double head_weight_rate = 0;
  double kv_rate = 0;
  double kv_block_rate = 0;  // of one SM
  double activation_seconds_token = 0;
  double width_share = 1;
  // time that is not work
  double launch_seconds = 0;  // layers and pass
  double graph_context = 0;   // tokens beyond which launches cost eager_seconds; 0: never
  double eager_seconds = 0;
  double request_seconds = 0;  // per running request of one attention rank
  double expert_visit_seconds = 0;
  double arrival_seconds = 0;
  double launch_power = 1;
  double roofline_power = 1;
  // communication
  double reduce_latency = 0;  // of all all-reduces of a pass
  double reduce_seconds_token = 0;
  double dispatch_latency = 0;  // expert all-to-all of a pass
  double dispatch_seconds_token = 0;
  double stage_latency = 0;  // pipeline hand-over
  double stage_seconds_token = 0;
  double imbalance = 1;
  // layout
  double tensor = 1;
  double pipeline = 1;
  double attention_ranks = 1;  // data-parallel attention ranks that share one set of experts
  double replicas = 1;
  // running batch
  double kv_capacity_bytes = 0;  // of one accelerator
  double token_budget = 0;
  double max_requests = 0;  // of one replica
};

// What one pass carries, per attention rank.
struct PassLoad {
  double decode_requests = 0;
  double decode_tokens = 0;  // above decode_requests with speculative decoding
  double context = 0;        // mean tokens of context of the decoding requests
  double prefill_tokens = 0;
  double prefill_pairs = 0;     // token pairs that prefill attention visits
  double prefill_requests = 0;  // finish their prompt in this pass, so are sampled
};

struct PassTime {
  double seconds = 0;
  double matrices = 0;
  double attention = 0;
  double communication = 0;
  double host = 0;
};

ServingPlan make_serving_plan(const Workload& workload, const Machine& machine, const Layout& layout,
                              const ServingCalibration& calibration);
PassTime pass_seconds(const ServingPlan& plan, const PassLoad& load);

// KV and state bytes that one accelerator holds for a request of `tokens` tokens.
double request_kv_bytes(const ServingPlan& plan, double tokens);
// Requests that run at once in one replica, when each grows to `tokens` tokens; fractional, 0 when none fits.
double running_requests(const ServingPlan& plan, double tokens);

}  // namespace gpuadvise
