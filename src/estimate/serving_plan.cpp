#include <algorithm>
#include <cmath>

#include "estimate/kv_cache.h"
#include "estimate/memory_lookup.h"
#include "estimate/norm.h"
#include "estimate/serving_lookup.h"
#include "estimate/serving_plan.h"
#include "workload/architecture.h"

namespace gpuadvise {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kMicro = 1e-6;
constexpr double kMilli = 1e-3;
constexpr double kBitsPerByte = 8;
constexpr double kHalfBytes = 2;    // of a 16-bit value
constexpr double kBufferBytes = 4;  // a token's activations: two 16-bit copies of each width
constexpr double kReducesPerLayer = 2;

// The calibration rows that apply, and the numbers that all parts need.
struct Parts {
  const Accelerator& accelerator;
  const Machine& machine;
  const InferenceSpec& inference;
  const ServingGeneral& general;
  const ServingChip& chip;
  const ServingEngine& engine;
  const ServingFormat& format;
  const ServingRelease* release;
  const ServingPair* pair;
  const WeightFormat& storage;
  double cache_bytes;  // of one element
  Architecture a;
  LayerCounts layers;
  double tensor;
  double pipeline;
  double expert;
  double card;  // share of the card
};

// Dense peak in FLOP/s of a precision; weights narrower than the part computes in are unpacked to 16 bits.
double peak_flops(const Parts& p, std::string_view compute) {
  const auto& peak = p.accelerator.peak;
  const double half = peak.bf16              ? *peak.bf16
                      : peak.fp16            ? *peak.fp16
                      : p.chip.tensor_tflops ? *p.chip.tensor_tflops
                      : peak.fp16_vector     ? std::max(*peak.fp16_vector, peak.fp32.value_or(0))
                                             : peak.fp32.value_or(0);
  if (compute == "fp32") return peak.fp32.value_or(half) * kTera;
  if (compute == "tf32") return peak.tf32.value_or(peak.fp32.value_or(half)) * kTera;
  if (compute == "fp4" && peak.fp4) return *peak.fp4 * kTera;
  if (compute == "fp8" && peak.fp8) return *peak.fp8 * kTera;
  if (compute == "int8" && peak.int8) return *peak.int8 * kTera;
  return half * kTera;
}

// What the narrow matrix engine keeps of the 16-bit share, where the part has one.
double narrow_factor(const Parts& p, std::string_view compute) {
  const auto& peak = p.accelerator.peak;
  if (compute == "fp4") return peak.fp4 ? p.chip.fp4_factor : 1;
  if (compute == "fp8") return peak.fp8 ? p.chip.fp8_factor : 1;
  if (compute == "int8") return peak.int8 ? p.chip.fp8_factor : 1;
  return 1;
}

// Tokens go to the experts in the format that those compute in and come back in 16 bits.
double exchanged_value_bytes(const Parts& p) {
  const auto& peak = p.accelerator.peak;
  const std::string_view compute = p.format.compute;
  const double there = compute == "fp4" && peak.fp4                                         ? 0.5
                       : (compute == "fp8" && peak.fp8) || (compute == "int8" && peak.int8) ? 1
                                                                                            : kHalfBytes;
  return (there + kHalfBytes) / 2;
}

double head_value_bytes(std::string_view compute) { return compute == "fp32" || compute == "tf32" ? 4 : kHalfBytes; }

std::string_view link_name(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
      return "nvlink";
    case LinkKind::hccs:
      return "hccs";
    case LinkKind::pcie:
    case LinkKind::none:
      return "pcie";
  }
  return "pcie";
}

void add_weights(const Parts& p, ServingPlan& plan) {
  const Architecture& a = p.a;
  const ParameterCount count = count_parameters(a);
  // Key and value projections are copied to each rank once the ranks outnumber the heads.
  const double copies = a.mla.kv_lora_rank > 0 ? 0.0 : std::max(0.0, p.tensor / std::max(a.kv_heads, 1) - 1);
  const double copied = copies * 2 * a.hidden * static_cast<double>(a.kv_heads) * a.head_dim *
                        (p.layers.full + p.layers.window) / p.tensor;
  const double attention = (count.attention + count.linear) / p.tensor + copied;
  const double feed_forward = (count.dense_mlp + count.shared_experts) / p.tensor + count.router;
  const double bytes = p.storage.bytes;
  plan.dense_bytes = feed_forward * bytes + attention * p.format.attention_bytes.value_or(bytes);
  plan.dense_flops = 2 * (feed_forward + attention);
  const double head = static_cast<double>(a.vocab) * a.hidden / p.tensor;
  plan.head_bytes = head * head_value_bytes(p.format.compute);
  plan.head_flops = 2 * head;
  double routed = 0;
  if (p.layers.moe > 0 && a.experts_per_token > 0) {
    plan.experts = a.experts;
    plan.experts_per_token = std::min(a.experts_per_token, a.experts);
    plan.expert_ranks = std::min(p.expert, plan.experts);
    const double sliced_by = std::max(p.tensor / std::min(p.expert, p.tensor), 1.0);
    const double one = count.routed_experts / a.experts / sliced_by;
    plan.expert_bytes = one * bytes;
    plan.expert_flops = 2 * one * plan.experts_per_token;
    routed = plan.expert_bytes * plan.experts / plan.expert_ranks;
    if (plan.expert_ranks > 1) plan.imbalance = p.general.expert_imbalance;
  }
  const double tables = plan.head_bytes * (a.tie_embeddings ? 1 : 2) / std::min(p.pipeline, 2.0);
  plan.resident_gib = ((plan.dense_bytes + routed) / p.pipeline + tables) / kGib;
}

void add_attention(const Parts& p, ServingPlan& plan) {
  const Architecture& a = p.a;
  const bool latent = a.mla.kv_lora_rank > 0;
  const double heads = std::max(a.heads, 1) / p.tensor;
  plan.full_layers = p.layers.full + p.layers.unknown;
  plan.window_layers = p.layers.window;
  plan.window = a.sliding_window;
  plan.window_held_whole = p.engine.window_cache <= 0;
  const KvCache cache = kv_cache(a, p.cache_bytes, static_cast<int>(p.tensor), 1);
  plan.kv_full_bytes = cache.per_token;
  plan.kv_window_bytes = cache.per_window;
  plan.state_bytes = cache.fixed;
  if (latent) {
    plan.kv_flops_layer = 2 * heads * (2.0 * a.mla.kv_lora_rank + a.mla.qk_rope_dim);
    plan.prefill_flops_pair = 2 * heads * (a.mla.qk_nope_dim + a.mla.qk_rope_dim + a.mla.v_dim);
  } else {
    plan.kv_flops_layer = 4 * heads * a.head_dim;
    plan.prefill_flops_pair = plan.kv_flops_layer;
  }
  const double group = latent ? 1 : static_cast<double>(a.heads) / std::max(a.kv_heads, 1);
  plan.kv_copies = (p.engine.kv_copies + (group > 1 ? p.engine.repeated_kv * group : 0)) * p.format.copy_factor;
  if (std::exp2(std::round(std::log2(group))) != group) plan.kv_copies += p.engine.reread_kv * (group - 1);
  plan.kv_blocks = p.engine.split_kv > 0 ? 0 : latent ? 1 : std::max(a.kv_heads / p.tensor, 1.0);
}

void add_rates(const Parts& p, ServingPlan& plan) {
  const double age = p.release != nullptr ? p.release->gpu_factor : 1;
  const double nominal = *p.accelerator.memory_bandwidth_gb_per_s * kGiga;
  const auto stream = [&](double sm_factor) {
    double rate = nominal * p.chip.bandwidth_share * p.engine.bandwidth_factor;
    if (p.accelerator.sm_count && p.chip.sm_bandwidth_gb_per_s > 0) {
      const double by_sm = *p.accelerator.sm_count * p.chip.sm_bandwidth_gb_per_s * kGiga * p.engine.sm_factor *
                           sm_factor * (p.pair != nullptr ? p.pair->sm_factor : 1);
      rate = 1 / norm(1 / rate, 1 / by_sm, p.general.bandwidth_power);
    }
    return std::min(rate * age, nominal) * p.card;
  };
  plan.weight_rate = stream(p.format.sm_factor);
  plan.head_weight_rate = stream(1);
  plan.kv_rate = std::min(nominal * p.chip.kv_share * p.engine.kv_factor * age, nominal) * p.card;
  if (p.accelerator.sm_count) plan.kv_block_rate = p.chip.sm_alone_gb_per_s * kGiga;

  const double peak16 = peak_flops(p, "fp16");
  const double share = std::min(
      p.chip.matrix_share * p.engine.matrix_factor * (p.pair != nullptr ? p.pair->matrix_factor : 1) * age, 1.0);
  const double width = p.a.hidden / (p.a.hidden + p.general.width_half) * p.card;
  const double narrow = narrow_factor(p, p.format.compute) * p.format.matrix_factor;
  plan.matrix_rate = peak_flops(p, p.format.compute) * std::min(share * narrow, 1.0) * width;
  plan.expert_rate = plan.matrix_rate * std::min(p.chip.grouped_factor * p.engine.grouped_factor, 1.0);
  plan.head_rate = peak16 * share * width;
  plan.attention_rate = peak16 * std::min(p.chip.attention_share * p.engine.attention_factor * age, 1.0) * p.card;
  plan.activation_seconds_token =
      p.a.layers * p.a.hidden * p.general.activation_traffic / (nominal * p.chip.bandwidth_share * p.card);
  plan.roofline_power = p.general.roofline_power;
}

void add_host(const Parts& p, ServingPlan& plan) {
  const double age = p.release != nullptr ? p.release->host_factor : 1;
  const double layers = p.a.layers;
  plan.launch_seconds = (layers * p.engine.layer_us * p.format.layer_factor + p.engine.step_us) * age * kMicro;
  plan.launch_power = p.engine.launch_overlap;
  if (p.release != nullptr && p.release->graph_context) {
    plan.graph_context = *p.release->graph_context;
    const double eager = p.release->eager_layer_us.value_or(p.engine.layer_us);
    plan.eager_seconds = std::max(plan.launch_seconds, (layers * eager + p.engine.step_us) * kMicro);
  }
  plan.request_seconds = p.engine.request_us * (p.release != nullptr ? p.release->request_factor : 1) * kMicro;
  plan.single_factor = p.format.single_factor.value_or(1);
  if (p.release != nullptr) plan.rolled_tokens = p.release->rolled_tokens.value_or(0);
  plan.expert_visit_seconds = p.format.expert_us.value_or(p.engine.expert_us) * kMicro * p.layers.moe;
  plan.linear_cost = 1 + (p.general.linear_layer_cost - 1) * p.layers.linear / layers;
  plan.arrival_seconds = p.engine.arrival_ms * kMilli;
}

// One direction's bytes per second of an accelerator, and the link's row. Null row: the speed is not known.
struct Path {
  const ServingLink* link = nullptr;
  double rate = 0;
};

Path path(const Parts& p, const ServingCalibration& calibration, bool across_nodes) {
  Path to;
  const double cards = std::max(p.machine.accelerators_per_node, 1.0);
  const ServingLink* link = find_link(calibration, across_nodes ? "network" : link_name(p.machine.link));
  if (link == nullptr) return to;
  to.rate =
      across_nodes ? p.machine.inter_node_gbps * kGiga / kBitsPerByte / cards : p.machine.link_gb_per_s * kGiga / 2;
  if (to.rate <= 0) to.rate = link->assumed_gb_per_s.value_or(0) * kGiga / 2;
  if (to.rate > 0) to.link = link;
  return to;
}

bool add_communication(const Parts& p, const ServingCalibration& calibration, ServingPlan& plan) {
  const double cards = std::max(p.machine.accelerators_per_node, 1.0);
  const double token_bytes = p.a.hidden * kHalfBytes;
  const double reduces = kReducesPerLayer * p.a.layers;
  if (p.tensor > 1) {
    Path to = path(p, calibration, p.tensor > cards);
    if (to.link == nullptr) return false;
    if (p.tensor > cards) {
      // Rings cross the border of a node once each, so a reduction has all adapters of the node, up to the inner link.
      const Path inside = path(p, calibration, false);
      to.rate *= cards;
      if (inside.link != nullptr) to.rate = std::min(to.rate, inside.rate * inside.link->share / to.link->share);
    }
    const double latency = to.link->latency_us + to.link->rank_us * (p.tensor - 2);
    plan.reduce_latency = reduces * latency * p.engine.reduce_factor * kMicro;
    plan.reduce_seconds_token = reduces * 2 * (p.tensor - 1) / p.tensor * token_bytes / (to.rate * to.link->share);
  }
  if (plan.expert_ranks > 1 && plan.attention_ranks > 1) {
    const Path to = path(p, calibration, plan.expert_ranks > cards);
    if (to.link == nullptr) return false;
    const double moves = 2.0 * p.layers.moe;
    plan.dispatch_latency = moves * to.link->latency_us * kMicro;
    // Through the host every pattern of traffic gets the link's share; a switch of direct links does not.
    const bool direct = p.machine.link == LinkKind::nvlink || p.machine.link == LinkKind::hccs;
    const double share = direct || plan.expert_ranks > cards ? p.general.all_to_all_share : to.link->share;
    plan.dispatch_seconds_token = moves * std::min(plan.experts_per_token, plan.expert_ranks) * p.a.hidden *
                                  exchanged_value_bytes(p) * (plan.expert_ranks - 1) / plan.expert_ranks /
                                  (to.rate * share);
  }
  plan.pipeline_loss = p.general.pipeline_loss * (p.pipeline - 1);
  if (p.pipeline > 1) {
    const Path to = path(p, calibration, p.tensor * p.pipeline > cards && p.tensor >= cards);
    if (to.link == nullptr) return false;
    plan.stage_latency = (p.pipeline - 1) * to.link->latency_us * p.engine.reduce_factor * kMicro;
    plan.stage_seconds_token = (p.pipeline - 1) * token_bytes / (to.rate * to.link->share);
  }
  return true;
}

void add_running_batch(const Parts& p, ServingPlan& plan) {
  const double share = p.inference.gpu_memory_utilization.value_or(p.engine.memory_share);
  const double widths = p.a.hidden + p.a.intermediate / p.tensor;
  const double buffers = p.engine.token_budget * widths * kBufferBytes / kGib;
  const double left = p.machine.memory_gib * share - plan.resident_gib - buffers - p.engine.reserve_gib;
  plan.kv_capacity_bytes = std::max(0.0, left * p.engine.free_share) * kGib;
  plan.token_budget = p.engine.token_budget;
  plan.max_requests = p.engine.max_requests * plan.attention_ranks;
  plan.length_spread = p.general.length_spread;
}

}  // namespace

ServingPlan make_serving_plan(const Workload& workload, const Machine& machine, const Layout& layout,
                              const Calibration& calibration) {
  ServingPlan plan;
  const auto refuse = [&plan](std::string_view why) {
    plan.why = why;
    return plan;
  };
  if (machine.accelerator == nullptr) return refuse("speed/no-accelerator");
  if (!workload.has_architecture || workload.architecture.layers <= 0 || workload.architecture.hidden <= 0) {
    return refuse("speed/no-architecture");
  }
  if (!machine.accelerator->memory_bandwidth_gb_per_s) return refuse("speed/unknown-bandwidth");
  const InferenceSpec& inference = workload.profile.inference;
  const ServingCalibration& serving = calibration.serving;
  const auto version = version_of(workload.profile.software.framework.value_or(""));
  const auto* chip = find_chip(serving, *machine.accelerator);
  const auto* engine = find_engine(serving, inference.engine.value_or(""));
  if (chip == nullptr || engine == nullptr) return refuse("speed/not-calibrated");
  const auto* storage = find_weight_format(calibration.memory, inference.weights.value_or("bf16"));
  if (storage == nullptr) return refuse("speed/unknown-weight-format");
  const auto* format = find_format(serving, inference.weights.value_or("bf16"), engine->engine, version);
  if (format == nullptr) format = find_format(serving, storage->name, engine->engine, version);
  if (format == nullptr) return refuse("speed/unknown-weight-format");
  const auto* cache = find_weight_format(calibration.memory, inference.kv_cache.value_or("bf16"));

  Parts p{.accelerator = *machine.accelerator,
          .machine = machine,
          .inference = inference,
          .general = serving.general,
          .chip = *chip,
          .engine = *engine,
          .format = *format,
          .release = find_release(serving, engine->engine, version),
          .pair = find_pair(serving, engine->engine, *machine.accelerator),
          .storage = *storage,
          .cache_bytes = cache != nullptr ? cache->bytes : kHalfBytes,
          .a = completed(workload.architecture),
          .layers = {},
          .tensor = static_cast<double>(std::max(layout.tensor, 1)),
          .pipeline = static_cast<double>(std::max(layout.pipeline, 1)),
          .expert = static_cast<double>(std::max(layout.expert, 1)),
          .card = std::min(machine.accelerators_per_node, 1.0)};
  p.layers = layer_counts(p.a);
  if (peak_flops(p, "fp16") <= 0) return refuse("speed/unknown-peak");

  const double data = std::max(layout.data, 1);
  plan.pipeline = p.pipeline;
  plan.attention_ranks = p.layers.moe > 0 ? std::clamp(p.expert / p.tensor, 1.0, data) : 1;
  plan.replicas = data / plan.attention_ranks;
  add_weights(p, plan);
  add_attention(p, plan);
  add_rates(p, plan);
  add_host(p, plan);
  if (!add_communication(p, serving, plan)) return refuse("speed/unknown-link");
  add_running_batch(p, plan);
  return plan;
}

double request_kv_bytes(const ServingPlan& plan, double tokens) {
  const double seen = plan.window_held_whole ? tokens : std::min(tokens, plan.window);
  return (tokens * plan.kv_full_bytes + seen * plan.kv_window_bytes + plan.state_bytes) / plan.pipeline;
}

double running_requests(const ServingPlan& plan, double tokens) {
  const double each = request_kv_bytes(plan, tokens);
  const double fit = each > 0 ? plan.kv_capacity_bytes / each * plan.attention_ranks : plan.max_requests;
  return std::min(fit, plan.max_requests);
}

}  // namespace gpuadvise
