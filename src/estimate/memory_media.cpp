#include <algorithm>
#include <charconv>
#include <cmath>

#include "estimate/memory_lookup.h"
#include "estimate/memory_media.h"
#include "estimate/quantization.h"

namespace gpuadvise {

namespace {

constexpr double kMib = 1024.0 * 1024.0;

// "512" or "1024x1024".
double pixels(std::string_view text, double otherwise) {
  double a = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), a);
  if (status != std::errc{} || a <= 0) return otherwise;
  double b = a;
  if (end != text.data() + text.size()) std::from_chars(end + 1, text.data() + text.size(), b);
  return a * b;
}

struct Parts {
  double core = 0;      // the network that is trained or runs every step
  double resident = 0;  // text encoders, VAE
  std::string_view name = "transformer";
};

// A stated count is that of the denoising network; the library knows the parts beside it.
Parts parts_of(const Workload& w) {
  Parts p;
  p.core = w.params;
  if (w.model == nullptr) return p;
  double core = 0;
  for (const auto& c : w.model->components) {
    const bool network = c.name.starts_with("transformer") || c.name.starts_with("unet") || c.name == "backbone";
    (network ? core : p.resident) += c.params;
    if (c.name.starts_with("unet")) p.name = "unet";
  }
  if (core > 0 && (w.params <= 0 || w.params > core)) p.core = core;
  return p;
}

const MediaMemoryClass* media_class(const MemoryCalibration& c, std::string_view name) {
  for (const auto& row : c.media) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Latent tokens of one sample: 8-fold VAE and 2x2 patches, 4-fold in time for video.
double latent_tokens(double square_pixels, double frames) {
  return square_pixels / 256 * (frames > 1 ? std::ceil((frames - 1) / 4) + 1 : 1);
}

}  // namespace

MemoryEstimate media_training_memory(const Workload& workload, const Layout& layout,
                                     const MemoryCalibration& calibration) {
  const TrainingSpec& t = workload.profile.training;
  MemoryEstimate m;
  const Parts parts = parts_of(workload);
  const MediaMemoryClass* media = media_class(calibration, parts.name);
  if (parts.core <= 0 || media == nullptr) {
    m.why = "memory/no-model";
    return m;
  }
  const TrainingConstants k = training_constants(calibration, t.framework.value_or(""), "");
  const Method method = t.method.value_or(Method::full);
  const Precision compute = t.precision.value_or(Precision::bf16);
  const double w = precision_bytes(calibration, t.base_weights.value_or(compute));
  const double ranks = std::max(1, layout.data);
  const bool full = method == Method::full || method == Method::freeze;
  const bool master = full && w <= 2 && t.master_weights.value_or(Precision::fp32) == Precision::fp32;
  const auto* optimizer = find_optimizer(calibration, t.optimizer.value_or("adamw"));
  const double sharded = layout.zero_stage >= 1 ? ranks : 1;
  m.weights = parts.core * w / (layout.zero_stage >= 3 ? ranks : 1);
  double step = 0;
  if (full) {
    const double states = optimizer == nullptr ? 8 : (master || w > 2 ? optimizer->states : optimizer->states_16bit);
    m.gradients = parts.core * w / (layout.zero_stage >= 2 ? ranks : 1);
    m.optimizer = parts.core * (states + (master ? 4 : 0)) / sharded;
    if (!master && optimizer != nullptr) {
      step = parts.core * std::min(w, k.step_temporaries) * optimizer->step_temporaries / sharded;
    }
  } else {
    // Width from the parameter count at the usual ratio of width to depth; attention projections adapted.
    const double hidden = std::cbrt(4 * parts.core);
    m.adapters = t.lora_rank.value_or(16) * 8 * parts.core / (16 * hidden) * 4 * k.adapter_weight;
  }
  if (t.offload.value_or(Offload::none) == Offload::optimizer_params) m.weights = 0;
  if (workload.model != nullptr && workload.model->activation_mib_per_sample) {
    m.activations = *workload.model->activation_mib_per_sample * kMib * layout.micro_batch *
                    (compute == Precision::fp32 || compute == Precision::tf32 ? 1 : 0.5);
  } else {
    const double tokens = (latent_tokens(pixels(t.resolution.value_or("512"), 512.0 * 512.0), t.frames.value_or(1)) +
                           media->extra_tokens) *
                          layout.micro_batch;
    const double each = layout.checkpointing == Checkpointing::none ? media->train_mib : media->checkpoint_mib;
    m.activations = tokens * each * kMib * std::pow(parts.core / 1e9, media->exponent);
  }
  if (step > m.activations) {
    m.activations = 0;
    m.optimizer += step;
  }
  m.runtime = k.base_gib * kGib;
  m.allocated = m.weights + m.gradients + m.optimizer + m.adapters + m.activations + m.runtime;
  m.reserved = m.allocated * k.reserved_factor;
  m.meter = k.meter;
  m.known = true;
  return m;
}

MemoryEstimate media_inference_memory(const Workload& workload, const Layout& layout,
                                      const MemoryCalibration& calibration) {
  const InferenceSpec& i = workload.profile.inference;
  MemoryEstimate m;
  const Parts parts = parts_of(workload);
  const MediaMemoryClass* media = media_class(calibration, parts.name);
  if (parts.core <= 0 || media == nullptr) {
    m.why = "memory/no-model";
    return m;
  }
  const ServingConstants k = serving_constants(calibration, i.engine.value_or(""), "", "");
  const auto* format = find_weight_format(calibration, i.weights.value_or("bf16"));
  const double bytes = format == nullptr ? 2 : format->bytes;
  // Text encoders and VAE keep 16 bits when the transformer is quantised, and are on every card.
  m.weights = parts.core * bytes / std::max(1, layout.tensor) + parts.resident * 2;
  const double square = pixels(i.resolution.value_or("1024x1024"), 1024.0 * 1024.0);
  const double tokens =
      (latent_tokens(square, i.frames.value_or(1)) + media->extra_tokens) * std::max(1.0, i.concurrency.value_or(1));
  m.activations =
      tokens * media->infer_mib * kMib * std::pow(parts.core / 1e9, media->exponent) / std::max(1, layout.context);
  m.runtime = k.base_gib * kGib;
  m.allocated = m.weights + m.activations + m.runtime;
  m.reserved = m.allocated;
  m.meter = k.meter;
  m.known = true;
  return m;
}

}  // namespace gpuadvise
