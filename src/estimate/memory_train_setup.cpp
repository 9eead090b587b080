// What training memory needs of a workload, and of a layout.
#include <algorithm>

#include "estimate/memory_train.h"
#include "estimate/quantization.h"

namespace gpuadvise {

namespace {

// Which projections of a layer have adapters.
struct Adapted {
  bool query = false;
  bool key = false;
  bool value = false;
  bool output = false;
  bool gate = false;
  bool up = false;
  bool down = false;

  void attention() { query = key = value = output = true; }
  void mlp() { gate = up = down = true; }
};

bool is_any(std::string_view name, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), name) != of.end();
}

Adapted adapted_projections(const TrainingSpec& t) {
  Adapted a;
  if (!t.lora_targets || t.lora_targets->empty()) {
    a.attention();
    a.mlp();
    return a;
  }
  for (const auto name : *t.lora_targets) {
    const bool all = is_any(name, {"all-linear", "all"});
    if (all || name == "attention") a.attention();
    if (all || name == "mlp") a.mlp();
    const bool packed = is_any(name, {"c_attn", "query_key_value", "qkv_proj", "W_pack"});
    a.query = a.query || packed || name == "q_proj";
    a.key = a.key || packed || name == "k_proj";
    a.value = a.value || packed || name == "v_proj";
    a.output = a.output || is_any(name, {"o_proj", "dense"});
    a.gate = a.gate || is_any(name, {"gate_proj", "gate_up_proj"});
    a.up = a.up || is_any(name, {"up_proj", "gate_up_proj", "fc1", "dense_h_to_4h"});
    a.down = a.down || is_any(name, {"down_proj", "fc2", "dense_4h_to_h"});
  }
  return a;
}

double adapter_widths(const Adapted& a, const ModelShape& m) {
  const double h = m.hidden;
  double widths = 0;
  if (a.query) widths += h + m.query;
  if (a.key) widths += h + m.key_value;
  if (a.value) widths += h + m.key_value;
  if (a.output) widths += m.query + h;
  if (a.gate && m.gated) widths += h + m.mlp;
  if (a.up) widths += h + m.mlp;
  if (a.down) widths += m.mlp + h;
  return widths;
}

// Projections that read the same tensor keep it once.
double adapter_inputs(const Adapted& a, const ModelShape& m) {
  return (a.query || a.key || a.value ? m.hidden : 0) + (a.output ? m.query : 0) + (a.gate || a.up ? m.hidden : 0) +
         (a.down ? m.mlp : 0);
}

void set_precisions(TrainingMemoryPlan& p, const TrainingSpec& t, const MemoryCalibration& calibration) {
  const Precision compute = t.precision.value_or(Precision::bf16);
  const Precision base = t.base_weights.value_or(p.method == Method::qlora ? Precision::nf4 : compute);
  p.compute_bytes = compute == Precision::fp32 || compute == Precision::tf32 ? 4 : 2;
  p.quantised = base == Precision::nf4 || base == Precision::int4 || base == Precision::int8;
  p.weight_bytes = precision_bytes(calibration, base);
  p.embedding_bytes = p.quantised ? memory_constant(calibration, "quantised_embedding_bytes", 2) : p.weight_bytes;
  p.activation_share =
      (t.compile.value_or(false) ? p.k.compile_activations : 1) * (compute == Precision::fp8 ? p.k.fp8_activations : 1);
  p.logits_share = t.compile.value_or(false) ? p.k.compile_logits : 1;
  p.cast_weights = base == Precision::fp32 && p.compute_bytes == 2;
  p.master = p.trains_weights() && p.weight_bytes <= 2 && t.master_weights.value_or(Precision::fp32) == Precision::fp32;

  const double states = p.optimizer == nullptr ? 8 : p.optimizer->states;
  const double states16 = p.optimizer == nullptr ? 4 : p.optimizer->states_16bit;
  p.state_bytes = p.master || p.weight_bytes > 2 ? states : states16;
  if (t.optimizer_state_precision) {
    const double each = precision_bytes(calibration, *t.optimizer_state_precision);
    p.state_bytes = states * each / 4;
  }
  p.gradient_bytes = p.master ? p.k.gradient : p.weight_bytes;
  if (t.gradient_precision) p.gradient_bytes = precision_bytes(calibration, *t.gradient_precision);
}

// Tokens of a sample: stated, or what the model's positions hold. A speech model's encoder has positions of its own.
void set_tokens(TrainingMemoryPlan& p, const Workload& w, const MemoryCalibration& calibration) {
  const Architecture& a = w.architecture;
  const auto stated = w.profile.training.sequence_length;
  constexpr double kUsual = 2048;
  p.sequence = stated.value_or(kUsual);
  if (w.model == nullptr || !w.has_architecture || a.max_positions <= 0) return;
  if (w.model->kind == ModelKind::vision) {
    p.sequence = stated.value_or(a.max_positions);
  } else if (w.model->kind == ModelKind::speech && a.encoder_layers > 0) {
    const double text = std::min(stated.value_or(a.max_positions), a.max_positions);
    const double sound = memory_constant(calibration, "speech_encoder_tokens", 0);
    p.sequence = (a.encoder_layers * sound + a.layers * text) / (a.encoder_layers + a.layers);
    p.head_share = text / p.sequence;
  }
}

}  // namespace

TrainingMemoryPlan training_memory_plan(const Workload& workload, const MemoryCalibration& calibration) {
  const TrainingSpec& t = workload.profile.training;
  TrainingMemoryPlan p;
  p.shape = model_shape(workload);
  p.k = training_constants(calibration, t.framework.value_or(""), workload.profile.model.name.value_or(""));
  p.optimizer = find_optimizer(calibration, t.optimizer.value_or("adamw"));
  p.method = t.method.value_or(Method::full);
  p.rank = t.lora_rank.value_or(8);
  if (!p.trains_weights() && p.shape.known) {
    const Adapted adapted = adapted_projections(t);
    p.adapter_widths = adapter_widths(adapted, p.shape);
    p.adapter_inputs = adapter_inputs(adapted, p.shape);
  }
  if (p.method == Method::freeze) p.trained_share = memory_constant(calibration, "freeze_share", 0.1);
  set_precisions(p, t, calibration);
  set_tokens(p, workload, calibration);
  p.global_batch = t.global_batch.value_or(0);
  p.flash = t.flash_attention.value_or(true);
  p.fused = t.fused_loss.value_or(FusedLoss::none);
  p.offload = t.offload.value_or(Offload::none);
  p.reserve_share = memory_constant(calibration, "reserve_share", 1);
  return p;
}

TrainingSetup training_setup(const TrainingMemoryPlan& plan, const Layout& layout) {
  TrainingSetup s{plan, layout};
  s.tokens = plan.sequence * layout.micro_batch / std::max(1, layout.context);
  if (plan.global_batch > 0) {
    s.microbatches = std::max(1.0, plan.global_batch / (layout.micro_batch * std::max(1, layout.data)));
    s.accumulates = s.microbatches > 1;
  }
  return s;
}

}  // namespace gpuadvise
