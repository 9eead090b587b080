#include "estimate/memory_media.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "estimate/memory_lookup.h"
#include "estimate/quantization.h"

namespace gpuadvise {

namespace {

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
  double trained = 0;   // the transformer or U-Net
  double resident = 0;  // text encoders, VAE
};

Parts parts_of(const Workload& w) {
  Parts p{w.params, 0};
  if (w.model != nullptr && !w.model->components.empty()) {
    double rest = 0;
    double largest = 0;
    for (const auto& c : w.model->components) {
      const bool core = c.name == "transformer" || c.name == "unet" || c.name == "backbone";
      (core ? largest : rest) += c.params;
    }
    if (largest > 0) {
      p.trained = largest;
      p.resident = rest;
    }
  }
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
  const MediaMemoryClass* media = media_class(calibration, "diffusion-transformer");
  if (parts.trained <= 0 || media == nullptr) {
    m.why = "memory-model-unknown";
    return m;
  }
  const TrainingConstants k = training_constants(calibration, t.framework.value_or(""));
  const Method method = t.method.value_or(Method::full);
  const Precision compute = t.precision.value_or(Precision::bf16);
  const double w = precision_bytes(calibration, t.base_weights.value_or(compute));
  const double ranks = std::max(1, layout.data);
  const bool full = method == Method::full || method == Method::freeze;
  m.weights = parts.trained * w / (layout.zero_stage >= 3 ? ranks : 1);
  if (full) {
    const bool master = w <= 2 && t.master_weights.value_or(Precision::fp32) == Precision::fp32;
    const auto* optimizer = find_optimizer(calibration, t.optimizer.value_or("adamw"));
    const double states = optimizer == nullptr ? 8 : (master || w > 2 ? optimizer->states : optimizer->states_16bit);
    m.gradients = parts.trained * w / (layout.zero_stage >= 2 ? ranks : 1);
    m.optimizer = parts.trained * (states + (master ? 4 : 0)) / (layout.zero_stage >= 1 ? ranks : 1);
  } else {
    // Width from the parameter count, at the usual ratio of width to depth; all attention projections adapted.
    const double hidden = std::cbrt(4 * parts.trained);
    m.adapters = t.lora_rank.value_or(16) * 8 * parts.trained / (16 * hidden) * k.adapter_states;
  }
  if (t.offload.value_or(Offload::none) == Offload::optimizer_params) m.weights = 0;
  const double tokens =
      latent_tokens(pixels(t.resolution.value_or("512"), 512.0 * 512.0), t.frames.value_or(1)) * layout.micro_batch;
  const double width = std::pow(parts.trained, 2.0 / 3.0) / (16 * std::cbrt(4.0));  // layers x hidden
  const double per_token = layout.checkpointing == Checkpointing::none ? media->train_bytes : media->checkpoint_bytes;
  m.activations = tokens * width * per_token;
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
  const MediaMemoryClass* media = media_class(calibration, "diffusion-transformer");
  if (parts.trained <= 0 || media == nullptr) {
    m.why = "memory-model-unknown";
    return m;
  }
  const ServingConstants k = serving_constants(calibration, i.engine.value_or(""), "", "");
  const auto* format = find_weight_format(calibration, i.weights.value_or("bf16"));
  const double bytes = format == nullptr ? 2 : format->bytes;
  // Text encoders and VAE keep 16 bits when the transformer is quantised, and are on every card.
  m.weights = parts.trained * bytes / std::max(1, layout.tensor) + parts.resident * std::max(2.0, std::min(bytes, 2.0));
  const double tokens =
      latent_tokens(pixels(i.resolution.value_or("1024x1024"), 1024.0 * 1024.0), i.frames.value_or(1)) *
      std::max(1.0, i.concurrency.value_or(1));
  m.activations = tokens * std::cbrt(4 * parts.trained) * media->infer_bytes / std::max(1, layout.context);
  m.runtime = k.base_gib * kGib;
  m.allocated = m.weights + m.activations + m.runtime;
  m.reserved = m.allocated;
  m.meter = k.meter;
  m.known = true;
  return m;
}

}  // namespace gpuadvise
