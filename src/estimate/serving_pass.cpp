#include "estimate/serving_pass.h"

#include <algorithm>
#include <cmath>

#include "workload/architecture.h"

namespace gpuadvise {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kMicro = 1e-6;
constexpr double kMilli = 1e-3;
constexpr double kBitsPerByte = 8;
constexpr double kBufferBytes = 4;  // a token's activations: two 16-bit copies of each width
constexpr double kStateBytes = 4;   // recurrent state is kept in fp32

// (a^p + b^p)^(1/p): never below the larger, the sum at p = 1.
double norm(double a, double b, double power) {
  const double large = std::max(a, b);
  const double small = std::min(a, b);
  if (small <= 0) return large;
  return large * std::pow(1 + std::pow(small / large, power), 1 / power);
}

const ServingChip* find_chip(const ServingCalibration& calibration, const Accelerator& accelerator) {
  const ServingChip* by_class = nullptr;
  const ServingChip* any = nullptr;
  for (const auto& chip : calibration.chips) {
    if (chip.chip == accelerator.id) return &chip;
    if (chip.chip.empty()) {
      any = &chip;
    } else if (chip.chip == accelerator.chip_class || (by_class == nullptr && chip.chip == accelerator.architecture)) {
      by_class = &chip;
    }
  }
  return by_class != nullptr ? by_class : any;
}

const ServingEngine* find_engine(const ServingCalibration& calibration, std::string_view name) {
  const ServingEngine* any = nullptr;
  for (const auto& engine : calibration.engines) {
    if (engine.engine == name) return &engine;
    for (const auto alias : engine.aliases) {
      if (alias == name) return &engine;
    }
    if (engine.engine.empty()) any = &engine;
  }
  return any;
}

const ServingLink* find_link(const ServingCalibration& calibration, std::string_view name) {
  for (const auto& link : calibration.links) {
    if (link.link == name) return &link;
  }
  return nullptr;
}

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

// "vllm 0.6.3" -> "0.6.3"
std::string_view version_of(std::string_view framework) {
  const auto space = framework.find_last_of(" =");
  return space == std::string_view::npos ? framework : framework.substr(space + 1);
}

// The release whose version is the longest prefix of the engine's.
const ServingRelease* find_release(const ServingCalibration& calibration, std::string_view engine,
                                   std::string_view version) {
  const ServingRelease* best = nullptr;
  for (const auto& release : calibration.releases) {
    if (release.engine != engine || !version.starts_with(release.version)) continue;
    if (best == nullptr || release.version.size() > best->version.size()) best = &release;
  }
  return best;
}

// The row of the engine's own version, else of the engine, else of any engine.
const ServingFormat* find_format(const ServingCalibration& calibration, std::string_view name, std::string_view engine,
                                 std::string_view version) {
  const ServingFormat* best = nullptr;
  int rank = 0;
  for (const auto& format : calibration.formats) {
    if (format.format != name) continue;
    int r = 0;
    if (format.engine.empty()) {
      r = 1;
    } else if (format.engine == engine && format.version.empty()) {
      r = 2;
    } else if (format.engine == engine && version.starts_with(format.version)) {
      r = 3;
    }
    if (r > rank) {
      rank = r;
      best = &format;
    }
  }
  return best;
}

double bytes_of(std::string_view compute) {
  if (compute == "fp32" || compute == "tf32") return 4;
  return 2;
}

// Dense peak in FLOP/s of a precision; weights narrower than the part computes in are unpacked to 16 bits.
double peak_flops(const Accelerator& accelerator, const ServingChip& chip, std::string_view compute) {
  const auto& peak = accelerator.peak;
  const double half = peak.bf16 ? *peak.bf16 : peak.fp16 ? *peak.fp16 : chip.tensor_tflops.value_or(0);
  if (compute == "fp32") return peak.fp32.value_or(half) * kTera;
  if (compute == "tf32") return peak.tf32.value_or(peak.fp32.value_or(half)) * kTera;
  if (compute == "fp4" && peak.fp4) return *peak.fp4 * kTera;
  if (compute == "fp8" && peak.fp8) return *peak.fp8 * kTera;
  if (compute == "int8" && peak.int8) return *peak.int8 * kTera;
  return half * kTera;
}

// Whether the part runs that precision on its matrix engine; otherwise weights are unpacked to 16 bits.
double narrow_factor(const Accelerator& accelerator, const ServingChip& chip, std::string_view compute) {
  const auto& peak = accelerator.peak;
  if (compute == "fp4") return peak.fp4 ? chip.fp4_factor : 1;
  if (compute == "fp8") return peak.fp8 ? chip.fp8_factor : 1;
  if (compute == "int8") return peak.int8 ? chip.fp8_factor : 1;
  return 1;
}

double kv_value_bytes(std::string_view name) {
  if (name == "fp32") return 4;
  if (name == "fp8" || name == "int8") return 1;
  if (name == "int4" || name == "fp4") return 0.5;
  return 2;
}

}  // namespace

ServingPlan make_serving_plan(const Workload& workload, const Machine& machine, const Layout& layout,
                              const ServingCalibration& calibration) {
  ServingPlan plan;
  const auto refuse = [&plan](std::string_view why) {
    plan.why = why;
    return plan;
  };
  if (machine.accelerator == nullptr) return refuse("speed/no-accelerator");
  if (!workload.has_architecture || workload.architecture.layers <= 0 || workload.architecture.hidden <= 0) {
    return refuse("speed/no-architecture");
  }
  const auto& accelerator = *machine.accelerator;
  const auto& inference = workload.profile.inference;
  const auto* chip = find_chip(calibration, accelerator);
  const auto* engine = find_engine(calibration, inference.engine.value_or(""));
  if (chip == nullptr || engine == nullptr) return refuse("speed/not-calibrated");
  const auto version = version_of(workload.profile.software.framework.value_or(""));
  const auto* format = find_format(calibration, inference.weights.value_or("bf16"), engine->engine, version);
  if (format == nullptr) return refuse("speed/unknown-weight-format");
  if (!accelerator.memory_bandwidth_gb_per_s) return refuse("speed/unknown-bandwidth");
  const double peak16 = peak_flops(accelerator, *chip, "fp16");
  if (peak16 <= 0) return refuse("speed/unknown-peak");
  const auto* release = find_release(calibration, engine->engine, version);
  const double gpu_age = release != nullptr ? release->gpu_factor : 1;
  const double host_age = release != nullptr ? release->host_factor : 1;
  const auto& general = calibration.general;

  const Architecture a = completed(workload.architecture);
  const double layers = a.layers;
  const double hidden = a.hidden;
  const double heads = std::max(a.heads, 1);
  const double kv_heads = a.kv_heads > 0 ? a.kv_heads : heads;
  const double head_dim = a.head_dim > 0 ? a.head_dim : hidden / heads;
  const double tensor = std::max(layout.tensor, 1);
  const double pipeline = std::max(layout.pipeline, 1);
  const double data = std::max(layout.data, 1);
  const double expert = std::max(layout.expert, 1);
  const bool mla = a.mla.kv_lora_rank > 0;

  plan.tensor = tensor;
  plan.pipeline = pipeline;
  plan.attention_ranks = a.experts > 0 ? std::clamp(expert / tensor, 1.0, data) : 1;
  plan.replicas = data / plan.attention_ranks;

  // Weights.
  double attention_params = 0;
  if (mla) {
    const double qk = a.mla.qk_nope_dim + a.mla.qk_rope_dim;
    const double q_in = a.mla.q_lora_rank > 0 ? a.mla.q_lora_rank : hidden;
    const double latent = a.mla.kv_lora_rank + a.mla.qk_rope_dim;
    attention_params = (a.mla.q_lora_rank > 0 ? hidden * q_in : 0) + hidden * latent +
                       (q_in * heads * qk + a.mla.kv_lora_rank * heads * (a.mla.qk_nope_dim + a.mla.v_dim) +
                        heads * a.mla.v_dim * hidden) /
                           tensor;
  } else {
    attention_params = hidden * head_dim * (2 * heads / tensor + 2 * std::max(kv_heads / tensor, 1.0));
  }
  const double ffn_matrices = a.gated_mlp ? 3 : 2;
  const bool moe = a.experts > 0 && a.experts_per_token > 0;
  const double moe_layers = moe ? layers - a.dense_layers : 0;
  const double expert_width = a.moe_intermediate > 0 ? a.moe_intermediate : a.intermediate;
  const double expert_params = ffn_matrices * hidden * expert_width;
  const double dense_ffn = ffn_matrices * hidden * a.intermediate / tensor;
  const double shared = a.shared_experts * expert_params / tensor;
  const double dense_params = layers * attention_params + (layers - moe_layers) * dense_ffn + moe_layers * shared;
  const double head_params = static_cast<double>(a.vocab) * hidden / tensor;
  const double weight_bytes = format->bits / kBitsPerByte;
  const double plain_bytes = bytes_of(format->compute);
  plan.dense_bytes = (dense_params - layers * attention_params) * weight_bytes +
                     layers * attention_params * format->attention_bits / kBitsPerByte;
  plan.dense_flops = 2 * dense_params;
  plan.head_bytes = head_params * plain_bytes;
  plan.head_flops = 2 * head_params;
  plan.moe_layers = moe_layers;
  if (moe) {
    plan.experts = a.experts;
    plan.experts_per_token = a.experts_per_token;
    plan.expert_ranks = std::min(expert, static_cast<double>(a.experts));
    const double slice = std::max(tensor / std::min(expert, tensor), 1.0);  // tensor ranks that cut one expert
    plan.expert_bytes = expert_params / slice * weight_bytes * moe_layers;
    plan.expert_flops = 2 * expert_params * a.experts_per_token * moe_layers / slice;
  }
  const double routed = moe ? plan.expert_bytes * a.experts / plan.expert_ranks : 0;
  plan.resident_gib = ((plan.dense_bytes + routed) / pipeline +
                       plan.head_bytes * (a.tie_embeddings ? 1 : 2) / std::min(pipeline, 2.0)) /
                      kGib;

  // Attention.
  plan.layers = layers;
  const LayerCounts counts = layer_counts(a);
  plan.full_layers = counts.full + counts.unknown;
  plan.window_layers = counts.window;
  plan.window = a.sliding_window;
  const double value_bytes = kv_value_bytes(inference.kv_cache.value_or(""));
  const double local_kv_heads = std::max(kv_heads / tensor, 1.0);
  if (mla) {
    const double latent = a.mla.kv_lora_rank + a.mla.qk_rope_dim;
    plan.kv_bytes_layer = latent * value_bytes;
    plan.kv_flops_layer = 2 * heads / tensor * (latent + a.mla.kv_lora_rank);
    plan.prefill_flops_pair = 2 * heads / tensor * (a.mla.qk_nope_dim + a.mla.qk_rope_dim + a.mla.v_dim);
  } else {
    plan.kv_bytes_layer = 2 * local_kv_heads * head_dim * value_bytes;
    plan.kv_flops_layer = 4 * heads / tensor * head_dim;
    plan.prefill_flops_pair = plan.kv_flops_layer;
  }
  const double group = mla ? 1 : heads / kv_heads;
  plan.kv_copies = (engine->kv_copies + (group > 1 ? engine->repeated_kv * group : 0)) * format->copy_factor;
  if (std::exp2(std::round(std::log2(group))) != group) plan.kv_copies += engine->reread_kv * (group - 1);
  plan.kv_blocks = engine->split_kv > 0 ? 0 : mla ? 1 : local_kv_heads;
  plan.state_bytes = 2 * kStateBytes * a.linear_state * counts.linear / tensor;

  // Rates.
  const double nominal = *accelerator.memory_bandwidth_gb_per_s * kGiga;
  const double slice_of_card = std::min(machine.accelerators_per_node, 1.0);
  double stream = nominal * chip->bandwidth_share;
  if (accelerator.sm_count && chip->sm_bandwidth_gb_per_s > 0) {
    const double by_sm = *accelerator.sm_count * chip->sm_bandwidth_gb_per_s * kGiga;
    stream = 1 / norm(1 / stream, 1 / by_sm, general.bandwidth_power);
  }
  const double bandwidth = std::min(stream * engine->bandwidth_factor * gpu_age, nominal) * slice_of_card;
  plan.weight_rate = std::min(bandwidth * format->bandwidth_factor, nominal * slice_of_card);
  plan.head_weight_rate = bandwidth;
  if (accelerator.sm_count) plan.kv_block_rate = chip->sm_alone_gb_per_s * kGiga;
  plan.kv_rate = std::min(nominal * chip->kv_share * engine->kv_factor * gpu_age, nominal) * slice_of_card;
  const double share = std::min(chip->matrix_share * engine->matrix_factor * gpu_age, 1.0) * slice_of_card;
  const double narrow = narrow_factor(accelerator, *chip, format->compute);
  const double width = hidden / (hidden + general.width_half);
  plan.matrix_rate =
      peak_flops(accelerator, *chip, format->compute) * std::min(share * narrow * format->matrix_factor, 1.0) * width;
  plan.expert_rate = plan.matrix_rate * std::min(chip->grouped_factor * engine->grouped_factor, 1.0);
  plan.head_rate = peak16 * share * width;
  plan.attention_rate =
      peak16 * std::min(chip->attention_share * engine->attention_factor * gpu_age, 1.0) * slice_of_card;
  plan.activation_seconds_token =
      layers * hidden * general.activation_traffic / (nominal * chip->bandwidth_share) / slice_of_card;

  // Host and launches.
  plan.launch_seconds = (layers * engine->layer_us * format->layer_factor + engine->step_us) * host_age * kMicro;
  if (release != nullptr && release->graph_context) {
    plan.graph_context = *release->graph_context;
    plan.eager_seconds = (layers * release->eager_layer_us.value_or(engine->layer_us) + engine->step_us) * kMicro;
  }
  plan.request_seconds = engine->request_us * (release != nullptr ? release->request_factor : 1) * kMicro;
  plan.expert_visit_seconds = format->expert_us.value_or(engine->expert_us) * kMicro * moe_layers;
  plan.arrival_seconds = engine->arrival_ms * kMilli;
  plan.launch_power = engine->launch_overlap;
  plan.roofline_power = general.roofline_power;

  // Communication.
  const bool crosses = tensor > std::max(machine.accelerators_per_node, 1.0);
  const auto* link = find_link(calibration, crosses ? "network" : link_name(machine.link));
  const double one_way =
      crosses ? machine.inter_node_gbps * kGiga / kBitsPerByte / std::max(machine.accelerators_per_node, 1.0)
              : machine.link_gb_per_s * kGiga / 2;
  if (tensor > 1) {
    if (link == nullptr || one_way <= 0) return refuse("speed/unknown-link");
    plan.reduce_latency =
        2 * layers * (link->latency_us + link->rank_us * (tensor - 2)) * engine->reduce_factor * kMicro;
    plan.reduce_seconds_token = 2 * layers * 2 * (tensor - 1) / tensor * hidden * 2 / (one_way * link->share);
  }
  if (moe && plan.expert_ranks > 1) plan.imbalance = general.expert_imbalance;
  if (moe && plan.expert_ranks > 1 && plan.attention_ranks > 1) {
    const bool wide = plan.expert_ranks > std::max(machine.accelerators_per_node, 1.0);
    const auto* fabric = wide ? find_link(calibration, "network") : link;
    const double speed =
        wide ? machine.inter_node_gbps * kGiga / kBitsPerByte / std::max(machine.accelerators_per_node, 1.0) : one_way;
    if (fabric == nullptr || speed <= 0) return refuse("speed/unknown-link");
    plan.dispatch_latency = 2 * moe_layers * fabric->latency_us * kMicro;
    plan.dispatch_seconds_token = 2 * moe_layers * std::min<double>(a.experts_per_token, plan.expert_ranks) * hidden *
                                  2 * (plan.expert_ranks - 1) / plan.expert_ranks / (speed * general.all_to_all_share);
  }
  if (pipeline > 1) {
    const auto* hand_over = find_link(calibration, link_name(machine.link));
    const double speed = std::max(machine.link_gb_per_s * kGiga / 2, 1.0);
    if (hand_over == nullptr || machine.link_gb_per_s <= 0) return refuse("speed/unknown-link");
    plan.stage_latency = (pipeline - 1) * hand_over->latency_us * engine->reduce_factor * kMicro;
    plan.stage_seconds_token = (pipeline - 1) * hidden * 2 / (speed * hand_over->share);
  }

  // Running batch.
  const double share_of_memory = inference.gpu_memory_utilization.value_or(engine->memory_share);
  const double buffers =
      engine->token_budget * (hidden + static_cast<double>(a.intermediate) / tensor) * kBufferBytes / kGib;
  const double left = machine.memory_gib * share_of_memory - plan.resident_gib - buffers - engine->reserve_gib;
  plan.kv_capacity_bytes = std::max(0.0, left * engine->free_share) * kGib;
  plan.token_budget = engine->token_budget;
  plan.max_requests = engine->max_requests * plan.attention_ranks;
  return plan;
}

PassTime pass_seconds(const ServingPlan& plan, const PassLoad& load) {
  PassTime time;
  const double tokens = load.decode_tokens + load.prefill_tokens;
  const double sampled = load.decode_tokens + load.prefill_requests;

  double matrices =
      norm(plan.dense_bytes / plan.weight_rate, tokens * plan.dense_flops / plan.matrix_rate, plan.roofline_power);
  matrices +=
      norm(plan.head_bytes / plan.head_weight_rate, sampled * plan.head_flops / plan.head_rate, plan.roofline_power);
  double visits = 0;
  if (plan.experts > 0) {
    const double all_tokens = tokens * plan.attention_ranks;
    const double chosen = plan.experts * (1 - std::pow(1 - plan.experts_per_token / plan.experts, all_tokens));
    const double local = std::max(chosen / plan.expert_ranks, 1.0);
    visits = local;
    const double compute = all_tokens * plan.expert_flops / plan.expert_ranks * plan.imbalance / plan.expert_rate;
    matrices +=
        norm(std::min(local * plan.imbalance, plan.experts / plan.expert_ranks) * plan.expert_bytes / plan.weight_rate,
             compute, plan.roofline_power);
  }
  matrices += tokens * plan.activation_seconds_token;

  const double seen = plan.full_layers * load.context + plan.window_layers * std::min(load.context, plan.window);
  const double kv_bytes = load.decode_requests * seen * plan.kv_bytes_layer;
  const double kv_flops = load.decode_tokens * seen * plan.kv_flops_layer;
  double kv_rate = plan.kv_rate;
  if (plan.kv_blocks > 0 && plan.kv_block_rate > 0) {
    kv_rate = std::min(kv_rate, std::max(load.decode_requests, 1.0) * plan.kv_blocks * plan.kv_block_rate);
  }
  double attention = norm(kv_bytes / kv_rate, kv_flops / plan.attention_rate, plan.roofline_power) +
                     (kv_bytes * plan.kv_copies + load.decode_requests * plan.state_bytes) / plan.kv_rate;
  if (load.prefill_tokens > 0) {
    const double windowed = std::min(load.prefill_pairs, load.prefill_tokens * plan.window);
    attention += (plan.full_layers * load.prefill_pairs + plan.window_layers * windowed) * plan.prefill_flops_pair /
                 plan.attention_rate;
  }

  const double communication = plan.reduce_latency + tokens * plan.reduce_seconds_token + plan.dispatch_latency +
                               tokens * plan.dispatch_seconds_token + plan.stage_latency +
                               tokens * plan.stage_seconds_token;
  const bool eager = plan.graph_context > 0 && load.context > plan.graph_context;
  const double launch = (eager ? plan.eager_seconds : plan.launch_seconds) + visits * plan.expert_visit_seconds;
  const double host = load.decode_requests * plan.request_seconds;
  const double work = matrices + attention + communication;
  time.seconds = norm(work, launch, plan.launch_power) + host;
  time.matrices = matrices;
  time.attention = attention;
  time.communication = communication;
  time.host = time.seconds - work;
  return time;
}

double request_kv_bytes(const ServingPlan& plan, double tokens) {
  const double held = plan.full_layers * tokens + plan.window_layers * std::min(tokens, plan.window);
  return (held * plan.kv_bytes_layer + plan.state_bytes / 2) / plan.pipeline;
}

double running_requests(const ServingPlan& plan, double tokens) {
  const double each = request_kv_bytes(plan, tokens);
  const double fit = each > 0 ? plan.kv_capacity_bytes / each * plan.attention_ranks : plan.max_requests;
  return std::min(fit, plan.max_requests);
}

}  // namespace gpuadvise
