#include <algorithm>

#include "estimate/memory_train.h"
#include "estimate/quantization.h"

namespace gpuadvise {

TrainingSetup training_setup(const Workload& workload, const Layout& layout, const MemoryCalibration& calibration) {
  const TrainingSpec& t = workload.profile.training;
  TrainingSetup s;
  s.shape = model_shape(workload);
  s.k = training_constants(calibration, t.framework.value_or(""), workload.profile.model.name.value_or(""));
  s.optimizer = find_optimizer(calibration, t.optimizer.value_or("adamw"));
  s.method = t.method.value_or(Method::full);
  s.rank = t.lora_rank.value_or(8);
  s.targets = t.lora_targets;
  if (s.method == Method::freeze) s.trained_share = memory_constant(calibration, "freeze_share", 0.1);

  const Precision compute = t.precision.value_or(Precision::bf16);
  const Precision base = t.base_weights.value_or(s.method == Method::qlora ? Precision::nf4 : compute);
  s.compute_bytes = compute == Precision::fp32 || compute == Precision::tf32 ? 4 : 2;
  s.quantised = base == Precision::nf4 || base == Precision::int4 || base == Precision::int8;
  s.weight_bytes = precision_bytes(calibration, base);
  s.embedding_bytes = s.quantised ? memory_constant(calibration, "quantised_embedding_bytes", 2) : s.weight_bytes;
  s.activation_share =
      (t.compile.value_or(false) ? s.k.compile_activations : 1) * (compute == Precision::fp8 ? s.k.fp8_activations : 1);
  s.logits_share = t.compile.value_or(false) ? s.k.compile_logits : 1;
  s.cast_weights = base == Precision::fp32 && s.compute_bytes == 2;
  const bool full = s.method == Method::full || s.method == Method::freeze;
  s.master = full && s.weight_bytes <= 2 && t.master_weights.value_or(Precision::fp32) == Precision::fp32;

  const double states = s.optimizer == nullptr ? 8 : s.optimizer->states;
  const double states16 = s.optimizer == nullptr ? 4 : s.optimizer->states_16bit;
  s.state_bytes = s.master || s.weight_bytes > 2 ? states : states16;
  if (t.optimizer_state_precision) {
    const double each = precision_bytes(calibration, *t.optimizer_state_precision);
    s.state_bytes = states * each / 4;
  }
  s.gradient_bytes = s.master ? s.k.gradient : s.weight_bytes;
  if (t.gradient_precision) s.gradient_bytes = precision_bytes(calibration, *t.gradient_precision);

  s.layout = layout;
  s.sequence = t.sequence_length.value_or(2048);
  s.tokens = s.sequence * layout.micro_batch / std::max(1, layout.context);
  s.checkpointing = layout.checkpointing;
  s.flash = t.flash_attention.value_or(true);
  s.fused = t.fused_loss.value_or(FusedLoss::none);
  s.offload = t.offload.value_or(Offload::none);
  if (t.global_batch) {
    s.microbatches =
        std::max(1.0, static_cast<double>(*t.global_batch) / (layout.micro_batch * std::max(1, layout.data)));
    s.accumulates = s.microbatches > 1;
  }
  return s;
}

}  // namespace gpuadvise
