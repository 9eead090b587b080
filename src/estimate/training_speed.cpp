#include "estimate/training_speed.h"

#include <algorithm>
#include <cmath>

#include "estimate/training_comm.h"
#include "estimate/training_shape.h"

namespace gpuadvise {

namespace {

constexpr double kTera = 1e12;
constexpr double kMilli = 1e-3;
constexpr double kNano = 1e-9;

// Everything that the terms below read, found once per estimate.
struct Setup {
  const TrainingCalibration& cal;
  const ChipTraining& chip;
  const FrameworkTraining& fw;
  TrainingShape shape;
  Fabric fabric;
  const Layout& layout;
  double sequence = 0;
  double tokens = 0;  // of one micro-batch on one card (after context parallelism)
  double micro_batch = 0;
  double matrix_rate = 0;     // FLOP/s of large matrices in the compute precision
  double dense_rate = 0;      // FLOP/s of large matrices that stay in 16 bits under FP8
  double attention_rate = 0;  // FLOP/s of fused attention
  double peak = 0;            // FLOP/s, nominal, of the compute precision
  double bandwidth = 0;       // bytes/s
  double element = 2;         // bytes of an activation
  double operand = 2;         // bytes of a matrix operand
  bool fused_attention = false;
  bool trains_all = true;  // every weight gets a gradient
  bool adapters = false;
  bool compiled = false;
  Checkpointing checkpointing = Checkpointing::none;
  double weight_passes = 3;  // forward, input gradient, weight gradient, recompute, in units of a forward pass
  double flow_passes = 3;    // the same for work without weights
  double host_passes = 2;    // passes that the host launches
};

template <class T>
const T* find_named(std::span<const T> rows, std::string_view name, std::string_view T::*key) {
  const T* any = nullptr;
  for (const T& row : rows) {
    if (row.*key == name) return &row;
    if (row.*key == "*") any = &row;
  }
  return any;
}

const FrameworkTraining* find_framework(const TrainingCalibration& cal, std::string_view name) {
  for (const FrameworkTraining& row : cal.frameworks) {
    for (const std::string_view alias : row.aliases) {
      if (alias == name) return &row;
    }
  }
  return find_named(cal.frameworks, name, &FrameworkTraining::name);
}

// Nominal FLOP/s of a precision and the share of it that large matrices reach.
struct Rate {
  double peak = 0;
  double share = 0;
};

Rate sixteen_bit(const Accelerator& card, const ChipTraining& chip, bool bf16) {
  const auto& peak = bf16 && card.peak.bf16 ? card.peak.bf16 : card.peak.fp16;
  if (peak) return {*peak * kTera, chip.matrix_share};
  if (card.peak.bf16) return {*card.peak.bf16 * kTera, chip.matrix_share};
  return {card.peak.fp32.value_or(0) * kTera, chip.fp32_share};
}

Rate compute_rate(const Accelerator& card, const ChipTraining& chip, Precision precision) {
  switch (precision) {
    case Precision::fp8:
    case Precision::fp4:
      if (card.peak.fp8) return {*card.peak.fp8 * kTera, chip.matrix_share * chip.fp8_keep};
      return sixteen_bit(card, chip, true);
    case Precision::tf32:
      if (card.peak.tf32) return {*card.peak.tf32 * kTera, chip.tf32_share};
      return {card.peak.fp32.value_or(0) * kTera, chip.fp32_share};
    case Precision::fp32:
    case Precision::fp64:
      return {card.peak.fp32.value_or(0) * kTera, chip.fp32_share};
    default:
      return sixteen_bit(card, chip, precision != Precision::fp16);
  }
}

// Months since 2000 of a version such as "nemo 26.08"; 0: none.
double version_month(std::string_view text) {
  const auto dot = text.rfind('.');
  if (dot == std::string_view::npos || dot < 2 || dot + 2 >= text.size()) return 0;
  const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9' ? text[at] - '0' : -1; };
  std::size_t at = dot;
  if (dot + 3 < text.size() && text[dot + 3] == '.') return 0;
  if (digit(at - 1) < 0 || digit(at - 2) < 0 || digit(at + 1) < 0 || digit(at + 2) < 0) return 0;
  if (at >= 5 && text[at - 3] == '.') at -= 3;  // 26.04.01
  if (at < 2 || digit(at - 1) < 0 || digit(at - 2) < 0) return 0;
  const int month = digit(at + 1) * 10 + digit(at + 2);
  if (month < 1 || month > 12) return 0;
  return (digit(at - 2) * 10 + digit(at - 1)) * 12 + month;
}

double release_factor(const FrameworkTraining& fw, const Profile& profile) {
  if (fw.monthly_gain <= 0 || !profile.software.framework) return 1;
  const double month = version_month(*profile.software.framework);
  if (month <= 0) return 1;
  return std::exp(-fw.monthly_gain * std::clamp(month - fw.reference_month, -18.0, 6.0));
}

// Seconds of one forward product of `rows` tokens on one card; rate in FLOP/s.
double product_seconds(const Setup& s, double rows, double k, double n, double rate, double operand) {
  const double flops = 2 * rows * k * n;
  const double bytes = operand * (rows * k + k * n) + s.element * rows * n;
  return flops / rate + s.cal.matrix_traffic * bytes / s.bandwidth;
}

double products_seconds(const Setup& s, const Products& products, double rows, double split) {
  double sum = 0;
  for (int i = 0; i < products.count; ++i) {
    const Product& p = products.items[static_cast<std::size_t>(i)];
    sum += product_seconds(s, rows, p.split_output ? p.k : p.k / split, p.split_output ? p.n / split : p.n,
                           s.matrix_rate, s.operand);
  }
  return sum;
}

// Forward seconds of the grouped products of routed experts: every local expert gets its share of the tokens that the
// whole expert-parallel group sends.
double experts_seconds(const Setup& s, double tokens) {
  const double ranks = std::max(1, s.layout.expert);
  const double local = std::max(1.0, s.shape.experts / ranks);
  const double rows = tokens * s.shape.chosen * s.cal.expert_imbalance / local;
  double sum = 0;
  for (int i = 0; i < s.shape.expert.count; ++i) {
    const Product& p = s.shape.expert.items[static_cast<std::size_t>(i)];
    sum += local * product_seconds(s, rows, p.k, p.n, s.matrix_rate * s.chip.moe_keep, s.operand);
  }
  return sum;
}

// Forward seconds of attention scores in one layer.
double scores_seconds(const Setup& s, bool window) {
  const double heads = s.shape.heads / s.layout.tensor;
  if (s.fused_attention) {
    const double length = score_length(s.shape, s.sequence, window, s.shape.causal);
    const double flops = 2 * length * heads * s.shape.score_width * s.tokens;
    const double shortness = length / (length + s.cal.attention_short);
    const double narrowness = s.shape.head_dim / (s.shape.head_dim + s.cal.attention_narrow);
    return flops / (s.attention_rate * shortness * narrowness);
  }
  // Without a fused kernel the whole score matrix is computed and goes through memory.
  const double scores = s.tokens * s.sequence * heads;
  const bool aligned = std::fmod(s.shape.head_dim, 8) == 0;
  const double share = aligned ? s.cal.score_share : s.cal.unaligned_share;
  return 2 * scores * s.shape.score_width / (s.dense_rate * share) +
         s.cal.score_traffic * s.fw.elementwise * s.element * scores / s.bandwidth;
}

// Forward seconds of norms, residuals, activations and their like in one layer.
double elementwise_seconds(const Setup& s, double width) {
  const double split = s.layout.sequence_parallel ? s.layout.tensor : 1;
  const double units = width * (s.shape.gated ? 1.5 : 1.0) / s.layout.tensor;
  const double elements = s.cal.norm_traffic * s.shape.hidden / split + s.cal.activation_traffic * units;
  return elements * s.tokens * s.element * s.fw.elementwise * (s.compiled ? s.cal.compile_gain : 1.0) / s.bandwidth;
}

struct LayerTime {
  double compute = 0;
  double attention = 0;
  double traffic = 0;
  double tensor = 0;
  double expert = 0;
  double context = 0;
  double sum() const { return compute + attention + traffic + tensor + expert + context; }
  void add(const LayerTime& o, double times) {
    compute += times * o.compute;
    attention += times * o.attention;
    traffic += times * o.traffic;
    tensor += times * o.tensor;
    expert += times * o.expert;
    context += times * o.context;
  }
};

// Device seconds of one layer and one micro-batch, all passes.
LayerTime layer_time(const Setup& s, bool moe, bool window, bool linear) {
  LayerTime t;
  const double tp = s.layout.tensor;
  const double all_tokens = s.tokens;
  double matrices = products_seconds(s, linear ? s.shape.linear : s.shape.attention, all_tokens, tp);
  double width = s.shape.dense_width;
  if (moe) {
    // Tensor parallelism splits the tokens of an expert layer, not its experts (expert tensor parallelism of one).
    const double tokens = all_tokens / tp;
    matrices += experts_seconds(s, tokens) + products_seconds(s, s.shape.shared, all_tokens, tp);
    width = s.shape.expert_width;
  } else {
    matrices += products_seconds(s, s.shape.dense, all_tokens, tp);
  }
  t.compute = matrices * s.weight_passes;
  if (!linear) {
    double passes = s.flow_passes;
    if (s.checkpointing == Checkpointing::selective && !s.fused_attention) passes += 1;
    t.attention = scores_seconds(s, window) * passes;
  }
  t.traffic = elementwise_seconds(s, width) * s.flow_passes;
  if (moe) {
    t.traffic += s.cal.permute_bytes * s.fw.elementwise * all_tokens / tp * s.shape.chosen * s.shape.hidden /
                 s.bandwidth * s.flow_passes;
  }
  if (s.adapters) {
    double widths = 0;
    for (const Products* part : {&s.shape.attention, &s.shape.dense}) {
      for (int i = 0; i < part->count; ++i) {
        widths += part->items[static_cast<std::size_t>(i)].k + part->items[static_cast<std::size_t>(i)].n;
      }
    }
    t.traffic += s.cal.adapter_bytes * all_tokens * widths / tp / s.bandwidth * s.flow_passes;
  }

  const double activation = all_tokens * s.shape.hidden * 2;  // bytes, sent in 16 bits
  if (tp > 1) {
    const Group group = group_on(s.fabric, tp, 1);
    const double collectives =
        2 * (moe ? 1 : 2) * s.host_passes;  // an all-reduce is a reduce-scatter and an all-gather
    t.tensor = collectives * gather_seconds(s.fabric, group, activation) * (1 - s.fw.tensor_overlap) * s.fw.device_time;
  }
  if (moe && s.layout.expert > 1) {
    const Group group = group_on(s.fabric, s.layout.expert, 1);
    const double sent = activation / tp * s.shape.chosen;
    t.expert = 2 * s.host_passes * all_to_all_seconds(s.fabric, group, sent) * (1 - s.fw.expert_overlap);
  }
  if (s.layout.context > 1 && !linear) {
    const Group group = group_on(s.fabric, s.layout.context, tp);
    const double bytes = s.tokens * s.shape.kv_width / tp * 2;
    const double ring = (s.layout.context - 1) * send_seconds(s.fabric, group.in_node < group.size, bytes);
    t.context = std::max(0.0, ring * s.flow_passes - t.attention);
  }
  t.compute *= s.fw.device_time;
  t.attention *= s.fw.device_time;
  t.traffic *= s.fw.device_time;
  return t;
}

// Device seconds of the output head and the loss, all passes.
LayerTime head_time(const Setup& s, bool pretraining, bool fused_loss) {
  LayerTime t;
  double share = 1;
  if (!s.shape.predicts_every_token) share = pretraining ? s.cal.masked_share : 0;
  const double rows = s.tokens * share;
  const double tp = s.layout.tensor;
  if (rows <= 0) return t;
  const double passes = s.trains_all ? 3 : 2;
  t.compute = product_seconds(s, rows, s.shape.hidden, s.shape.vocab / tp, s.dense_rate, 2) * passes * s.fw.device_time;
  const double bytes = fused_loss ? s.cal.fused_logit_bytes : s.cal.logit_bytes;
  t.traffic = rows * s.shape.vocab / tp * bytes * s.fw.elementwise / s.bandwidth * s.fw.device_time;
  return t;
}

// Layers on the stage that the others wait for. Stages are equal where the layers divide; where layers and the two ends
// (embedding and head, each counted as a layer) divide, the last stage holds a layer less.
struct StageLoad {
  double layers = 0;
  double head = 1;  // how much of the head comes on top
};

StageLoad slowest_stage(double layers, double pipeline, double chunks) {
  if (pipeline <= 1) return {layers, 1};
  const double slots = pipeline * std::max(1.0, chunks);
  if (std::fmod(layers, slots) == 0) return {layers / pipeline, 1};
  return {std::ceil((layers + 1) / slots) * std::max(1.0, chunks), 0};
}

double smooth_max(double a, double b) {
  if (a <= 0 || b <= 0) return std::max(a, b);
  const double high = std::max(a, b);
  const double ratio = std::min(a, b) / high;
  return high * std::sqrt(std::sqrt(1 + ratio * ratio * ratio * ratio));
}

// Parameters that one card holds or trains, dense part and routed experts apart.
struct Held {
  double dense = 0;
  double experts = 0;
};

Held held_params(const Setup& s, double params) {
  const double experts = std::min(s.shape.expert_weights(), params);
  const double pp = s.layout.pipeline;
  return {(params - experts) / (s.layout.tensor * pp), experts / (std::max(1, s.layout.expert) * pp)};
}

double adapter_params(const Setup& s, double rank) {
  double widths = 0;
  for (const Products* part : {&s.shape.attention, &s.shape.dense}) {
    for (int i = 0; i < part->count; ++i) {
      widths += part->items[static_cast<std::size_t>(i)].k + part->items[static_cast<std::size_t>(i)].n;
    }
  }
  return s.shape.layers * rank * widths;
}

const TrainingBand* find_band(const TrainingCalibration& cal, std::string_view framework, std::string_view chip,
                              bool moe, bool multi_node, bool adapters) {
  for (const TrainingBand& band : cal.bands) {
    if (!band.framework.empty() && band.framework != framework) continue;
    if (!band.chip_class.empty() && band.chip_class != chip) continue;
    if (band.moe && *band.moe != moe) continue;
    if (band.multi_node && *band.multi_node != multi_node) continue;
    if (band.adapters && *band.adapters != adapters) continue;
    return &band;
  }
  return nullptr;
}

}  // namespace

SpeedEstimate estimate_training_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                      const TrainingCalibration& cal) {
  SpeedEstimate out;
  const auto unknown = [&out](std::string_view why) {
    out.why = why;
    return out;
  };
  if (machine.accelerator == nullptr) return unknown("speed/no-accelerator");
  const Accelerator& card = *machine.accelerator;
  const TrainingSpec& training = workload.profile.training;
  if (workload.params <= 0 && !workload.has_architecture) return unknown("speed/no-model");
  if (!card.memory_bandwidth_gb_per_s) return unknown("speed/no-bandwidth");
  const ChipTraining* chip = find_named(cal.chips, card.chip_class, &ChipTraining::chip_class);
  const FrameworkTraining* fw = find_framework(cal, training.framework.value_or("*"));
  if (chip == nullptr || fw == nullptr) return unknown("speed/not-calibrated");

  const Precision precision = training.precision.value_or(Precision::bf16);
  const Method method = training.method.value_or(Method::full);
  const Rate rate = compute_rate(card, *chip, precision);
  const Rate wide = precision == Precision::fp8 || precision == Precision::fp4 ? sixteen_bit(card, *chip, true) : rate;
  if (rate.peak <= 0 || rate.share <= 0) return unknown("speed/no-peak");

  Setup s{cal, *chip, *fw, training_shape(workload), training_fabric(machine, *chip, *fw, cal), layout};
  const bool half = precision != Precision::fp32 && precision != Precision::tf32 && precision != Precision::fp64;
  s.sequence = std::max(1, training.sequence_length.value_or(2048));
  s.micro_batch = std::max(1, layout.micro_batch);
  s.tokens = s.micro_batch * s.sequence / std::max(1, layout.context);
  s.peak = rate.peak;
  s.matrix_rate = rate.peak * rate.share;
  s.dense_rate = wide.peak * wide.share;
  s.bandwidth = *card.memory_bandwidth_gb_per_s * 1e9 * chip->bandwidth_share;
  s.element = half ? 2 : 4;
  s.operand = precision == Precision::fp8 && card.peak.fp8 ? 1 : s.element;
  s.fused_attention = training.flash_attention.value_or(false) && half;
  const double attention_share = fw->kernels == KernelGeneration::third    ? chip->attention_third
                                 : fw->kernels == KernelGeneration::second ? chip->attention_second
                                                                           : chip->attention_first;
  s.attention_rate = sixteen_bit(card, *chip, precision != Precision::fp16).peak * attention_share;
  s.checkpointing = layout.checkpointing;
  s.adapters = method == Method::lora || method == Method::qlora;
  s.trains_all = method == Method::full;
  s.compiled = training.compile.value_or(false);
  const bool recompute = s.checkpointing == Checkpointing::full;
  s.weight_passes = 3;
  s.flow_passes = 3;
  s.host_passes = 2;
  if (s.adapters) s.weight_passes = 2;
  if (method == Method::freeze) {
    const double trained = std::min(1.0, cal.freeze_layers / std::max(1.0, s.shape.layers));
    s.weight_passes = s.flow_passes = 1 + 2 * trained;
    s.host_passes = 1 + trained;
  }
  if (recompute) {
    s.weight_passes += 1;
    s.flow_passes += 1;
    s.host_passes += 1;
  }

  const double pp = std::max(1, layout.pipeline);
  const double chunks = std::max(1, layout.virtual_pipeline);
  const double dp = std::max(1, layout.data);
  const double cp = std::max(1, layout.context);
  const double tp = std::max(1, layout.tensor);
  const double ep = std::max(1, layout.expert);
  const double cards = tp * pp * dp * cp;
  const double batch = std::max(static_cast<double>(training.global_batch.value_or(0)), s.micro_batch * dp);
  const double micro_steps = std::max(1.0, std::ceil(batch / (s.micro_batch * dp)));
  const double release = release_factor(*fw, workload.profile);

  // One micro-batch through all layers, as if one card held them.
  LayerTime layers;
  const double moe_ratio = s.shape.layers > 0 ? s.shape.moe_layers / s.shape.layers : 0;
  const double window_layers = s.shape.window_layers;
  const double linear_layers = s.shape.linear_layers;
  const double full_layers = s.shape.layers - window_layers - linear_layers;
  for (const bool moe : {false, true}) {
    const double weight = moe ? moe_ratio : 1 - moe_ratio;
    if (weight <= 0) continue;
    if (full_layers > 0) layers.add(layer_time(s, moe, false, false), full_layers * weight);
    if (window_layers > 0) layers.add(layer_time(s, moe, true, false), window_layers * weight);
    if (linear_layers > 0) layers.add(layer_time(s, moe, false, true), linear_layers * weight);
  }
  const Held held = held_params(s, workload.params > 0 ? workload.params : workload.active_params);
  const double stage_params = held.dense + held.experts;

  // 4- and 8-bit weights are restored before each product.
  const Precision base = training.base_weights.value_or(Precision::bf16);
  double restore = 0;
  if (method == Method::qlora || base == Precision::nf4 || base == Precision::int4) restore = cal.dequant_bytes;
  if (base == Precision::int8) restore = cal.dequant_int8_bytes;
  layers.traffic += restore * stage_params * pp * s.host_passes / s.bandwidth;

  const bool pretraining = workload.task != nullptr && workload.task->id == "llm-pretrain";
  const bool fused_loss = training.fused_loss.value_or(FusedLoss::none) != FusedLoss::none;
  LayerTime head = head_time(s, pretraining, fused_loss);
  layers.compute *= release;
  layers.attention *= release;
  layers.traffic *= release;
  layers.expert *= release;
  head.compute *= release;
  head.traffic *= release;

  // The host launches a layer while the device works on an earlier one; the slower of the two sets the pace.
  const bool gathers = layout.zero_stage >= 3 && dp * cp > 1;
  const double launch =
      (fw->launch_ms * (s.adapters ? fw->adapter_launch : 1) + (layout.zero_stage >= 3 ? fw->sharded_launch_ms : 0)) *
      kMilli * s.host_passes * s.shape.layers;

  // Weights gathered and gradients scattered around each micro-batch (ZeRO-3, FSDP).
  const Group data_group = group_on(s.fabric, dp * cp, tp);
  const double weight_bytes = base == Precision::nf4 || base == Precision::int4 ? 0.5 : base == Precision::int8 ? 1 : 2;
  const double trained = s.trains_all ? stage_params
                         : s.adapters ? adapter_params(s, training.lora_rank.value_or(16)) / (tp * pp)
                                      : stage_params * cal.freeze_layers / s.shape.layers;
  double gather_per_micro = 0;
  if (gathers) {
    gather_per_micro = 2 * gather_seconds(s.fabric, data_group, stage_params * weight_bytes) +
                       gather_seconds(s.fabric, data_group, trained * fw->gradient_bytes);
  }

  const double stage_layers = s.shape.layers > 0 ? slowest_stage(s.shape.layers, pp, chunks).layers : 1;
  const StageLoad load = slowest_stage(s.shape.layers, pp, chunks);
  const double per_layer_device = layers.sum() / s.shape.layers;
  const double device_stage =
      std::max(stage_layers * per_layer_device + load.head * head.sum(), (layers.sum() + head.sum()) / pp);
  const double host_stage = launch / pp;
  double send = 0;
  if (pp > 1) {
    const double bytes = s.tokens * s.shape.hidden * 2 / (layout.sequence_parallel ? tp : 1);
    const bool across = tp * cp * dp >= s.fabric.cards_per_node;
    send = 2 * chunks * send_seconds(s.fabric, across, bytes) * (1 - fw->tensor_overlap);
  }
  const double hidden_gather = fw->data_overlap * gather_per_micro;
  const double exposed_gather = gather_per_micro - hidden_gather + std::max(0.0, hidden_gather - device_stage);
  const double paced = smooth_max(device_stage, host_stage);
  const double micro_seconds = paced + exposed_gather + send;
  const double bubbles = (pp - 1) / chunks;
  const double run = (micro_steps + bubbles) * micro_seconds;

  // Gradients of the step (not ZeRO-3), hidden behind the last backward pass as far as it reaches.
  double reduce = 0;
  if (!gathers && dp * cp > 1) {
    const double expert_share = stage_params > 0 && s.trains_all ? held.experts / stage_params : 0;
    const double back = layout.zero_stage >= 1 ? 2 : fw->gradient_bytes;
    const auto both = [&](const Group& group, double count) {
      return gather_seconds(s.fabric, group, count * fw->gradient_bytes) +
             gather_seconds(s.fabric, group, count * back);
    };
    reduce = both(data_group, trained * (1 - expert_share));
    const double replicas = dp * cp * tp / ep;
    if (expert_share > 0 && replicas > 1) reduce += both(group_on(s.fabric, replicas, ep), trained * expert_share);
    if (layout.zero_stage == 2) {
      reduce += (micro_steps - 1) * gather_seconds(s.fabric, data_group, trained * fw->gradient_bytes);
    }
  }
  const double window = device_stage * 2 / 3 * (layout.zero_stage == 2 ? micro_steps : 1);
  const double reduce_hidden = std::min(fw->data_overlap * reduce, window);
  const double data_comm = micro_steps * exposed_gather + reduce - reduce_hidden;

  // Update of the trained parameters that this card owns.
  const double owned = trained / (layout.zero_stage >= 1 ? dp * cp : 1);
  const bool on_host = training.offload.value_or(Offload::none) != Offload::none;
  const double optimizer = on_host ? owned * cal.host_optimizer_ns * kNano : owned * cal.optimizer_bytes / s.bandwidth;

  double step = run + reduce - reduce_hidden + optimizer + fw->step_ms * kMilli;
  const double step_tokens = micro_steps * s.micro_batch * dp * s.sequence;
  double loading = 0;
  if (machine.vcpus > 0 && cal.tokens_per_vcpu > 0) {
    const double need = step_tokens / machine.nodes / (machine.vcpus * cal.tokens_per_vcpu);
    loading = std::max(0.0, need - step);
  }
  step += loading;

  out.known = true;
  out.step_seconds = step;
  out.tokens_per_second = step_tokens / step;
  out.tokens_per_second_per_accelerator = step_tokens / step / cards;
  out.samples_per_second = micro_steps * s.micro_batch * dp / step;
  const double passes = method == Method::full ? 3 : s.adapters ? 2 : s.flow_passes - (recompute ? 1 : 0);
  const double flops = passes * forward_flops_per_token(s.shape, s.sequence, !fw->whole_attention);
  out.tflops_per_accelerator = flops * *out.tokens_per_second_per_accelerator / kTera;
  out.mfu_percent = 100 * *out.tflops_per_accelerator * kTera / s.peak;

  StepTerms& t = out.terms;
  t.compute = micro_steps * (layers.compute + head.compute) / pp;
  t.attention = micro_steps * layers.attention / pp;
  t.memory_traffic = micro_steps * (layers.traffic + head.traffic) / pp;
  t.tensor_comm = micro_steps * layers.tensor / pp;
  t.expert_comm = micro_steps * layers.expert / pp;
  t.context_comm = micro_steps * layers.context / pp;
  t.data_comm = data_comm;
  t.optimizer = optimizer;
  t.host = micro_steps * (paced - device_stage) + fw->step_ms * kMilli;
  t.data_loading = loading;
  t.pipeline_bubble = std::max(0.0, step - (t.compute + t.attention + t.memory_traffic + t.tensor_comm + t.expert_comm +
                                            t.context_comm + t.data_comm + t.optimizer + t.host + t.data_loading));

  if (const TrainingBand* band =
          find_band(cal, fw->name, chip->chip_class, s.shape.moe_layers > 0, machine.nodes > 1, s.adapters)) {
    out.band_low_percent = band->low_percent;
    out.band_high_percent = band->high_percent;
  }
  return out;
}

}  // namespace gpuadvise
