#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

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
  double tables = 0;    // embedding tables of a recommender
  std::string_view name = "transformer";
};

bool recommends(const Workload& w) { return w.task != nullptr && w.task->id.starts_with("recsys"); }

// A stated count is that of the denoising network; the library knows the parts beside it.
Parts parts_of(const Workload& w) {
  Parts p;
  p.core = w.params;
  if (w.model == nullptr) {
    // Nearly all parameters of a recommender of unknown parts are rows of its tables.
    if (recommends(w)) p.tables = std::exchange(p.core, 0.0);
    return p;
  }
  double core = 0;
  for (const auto& c : w.model->components) {
    const bool network = c.name.starts_with("transformer") || c.name.starts_with("unet") || c.name == "backbone";
    (c.name == "embedding_tables" ? p.tables : network ? core : p.resident) += c.params;
    if (c.name.starts_with("unet")) p.name = "unet";
  }
  if (core > 0 && (w.params <= 0 || w.params > core)) p.core = core;
  if (p.tables > 0) p.core = std::exchange(p.resident, 0.0);
  return p;
}

// Images and video made from latent tokens, as against networks known by the size of their activation maps.
bool denoises(const Workload& w) {
  if (w.model != nullptr) return w.model->kind == ModelKind::diffusion;
  return w.task != nullptr && w.task->id.starts_with("diffusion");
}

double value_bytes(Precision compute) { return compute == Precision::fp32 || compute == Precision::tf32 ? 4 : 2; }

// Elements of all outputs of one sample's forward pass at the resolution asked for; 0: not published.
double outputs_of(const Workload& w, const std::optional<std::string_view>& resolution) {
  if (w.model == nullptr || !w.model->activations_per_sample) return 0;
  double outputs = *w.model->activations_per_sample;
  if (resolution && w.model->resolution) {
    const double usual = static_cast<double>(*w.model->resolution) * *w.model->resolution;
    outputs *= pixels(*resolution, usual) / usual;
  }
  return outputs;
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

// Bytes of one sample, kept whole and with full checkpointing. False: not known.
bool set_activations(MediaTrainingPlan& p, const Workload& w, const MediaMemoryClass& media,
                     const MemoryCalibration& calibration) {
  const TrainingSpec& t = w.profile.training;
  if (!denoises(w)) {
    const double outputs = outputs_of(w, t.resolution);
    const double kept = memory_constant(calibration, "kept_per_output", 1);
    p.activations = p.checkpointed = outputs * kept * value_bytes(t.precision.value_or(Precision::bf16));
    return outputs > 0;
  }
  const double tokens =
      latent_tokens(pixels(t.resolution.value_or("512"), 512.0 * 512.0), t.frames.value_or(1)) + media.extra_tokens;
  const double size = std::pow(p.core / 1e9, media.exponent);
  p.activations = tokens * media.train_mib * kMib * size;
  p.checkpointed = tokens * media.checkpoint_mib * kMib * size;
  return true;
}

void set_states(MediaTrainingPlan& p, const Parts& parts, const TrainingSpec& t, const TrainingConstants& k,
                const MemoryCalibration& calibration) {
  if (!p.trains_weights) {
    // Width from the parameter count at the usual ratio of width to depth; attention projections adapted.
    const double hidden = std::cbrt(4 * parts.core);
    p.adapters = t.lora_rank.value_or(16) * 8 * parts.core / (16 * hidden) * 4 * k.adapter_weight;
    return;
  }
  const bool master = p.weight_bytes <= 2 && t.master_weights.value_or(Precision::fp32) == Precision::fp32;
  const auto* optimizer = find_optimizer(calibration, t.optimizer.value_or("adamw"));
  const bool wide = master || p.weight_bytes > 2;
  const double states = optimizer == nullptr ? 8 : (wide ? optimizer->states : optimizer->states_16bit);
  p.optimizer_bytes = states + (master ? 4 : 0);
  if (!master && optimizer != nullptr) {
    p.step_bytes = std::min(p.weight_bytes, k.step_temporaries) * optimizer->step_temporaries;
  }
  // Gradients of tables are rows of the batch, which the activations count.
  const double row = master ? memory_constant(calibration, "table_master_bytes", 4) : p.weight_bytes;
  p.tables = parts.tables * (row + states);
}

}  // namespace

MediaPlan<MediaTrainingPlan> media_training_plan(const Workload& workload, const MemoryCalibration& calibration) {
  const TrainingSpec& t = workload.profile.training;
  const Parts parts = parts_of(workload);
  const MediaMemoryClass* media = media_class(calibration, parts.name);
  if (parts.core + parts.tables <= 0 || media == nullptr) return {std::nullopt, "memory/no-model"};
  const TrainingConstants k = training_constants(calibration, t.framework.value_or(""), "");
  const Method method = t.method.value_or(Method::full);
  MediaTrainingPlan p;
  p.core = parts.core;
  p.weight_bytes = precision_bytes(calibration, t.base_weights.value_or(t.precision.value_or(Precision::bf16)));
  p.meter = k.meter;
  p.base_bytes = k.base_gib * kGib;
  p.reserved_factor = k.reserved_factor;
  p.trains_weights = method == Method::full || method == Method::freeze;
  p.offloads_weights = t.offload.value_or(Offload::none) == Offload::optimizer_params;
  set_states(p, parts, t, k, calibration);
  const bool known = set_activations(p, workload, *media, calibration);
  return {p, known ? "" : "memory/no-activations"};
}

MediaPlan<MediaInferencePlan> media_inference_plan(const Workload& workload, const MemoryCalibration& calibration) {
  const InferenceSpec& i = workload.profile.inference;
  const Parts parts = parts_of(workload);
  const MediaMemoryClass* media = media_class(calibration, parts.name);
  if (parts.core + parts.tables <= 0 || media == nullptr) return {std::nullopt, "memory/no-model"};
  const ServingConstants k = serving_constants(calibration, i.engine.value_or(""), "", "");
  const auto* format = find_weight_format(calibration, i.weights.value_or("bf16"));
  const double samples = std::max(1.0, i.concurrency.value_or(1));
  MediaInferencePlan p;
  p.core = parts.core + parts.tables;
  p.weight_bytes = format == nullptr ? 2 : format->bytes;
  // Text encoders and VAE keep 16 bits at least when the transformer is quantised, and are on every card.
  p.resident_bytes = parts.resident * std::max(2.0, p.weight_bytes);
  p.meter = k.meter;
  p.base_bytes = k.base_gib * kGib;
  if (!denoises(workload)) {
    const double outputs = outputs_of(workload, i.resolution);
    p.activations =
        outputs * memory_constant(calibration, "alive_outputs", 1) * std::max(2.0, p.weight_bytes) * samples;
    return {p, outputs > 0 ? "" : "memory/no-activations"};
  }
  const double square = pixels(i.resolution.value_or("1024x1024"), 1024.0 * 1024.0);
  const double tokens = (latent_tokens(square, i.frames.value_or(1)) + media->extra_tokens) * samples;
  p.activations = tokens * media->infer_mib * kMib * std::pow(parts.core / 1e9, media->exponent);
  // Video is decoded a few frames at a time.
  if (i.frames.value_or(1) <= 1) p.decode = square * media->decode_bytes * samples;
  return {p, {}};
}

MemoryEstimate media_training_memory(const MediaTrainingPlan& p, const Layout& layout) {
  MemoryEstimate m;
  const double ranks = std::max(1, layout.data);
  const double sharded = layout.zero_stage >= 1 ? ranks : 1;
  if (!p.offloads_weights) m.weights = p.core * p.weight_bytes / (layout.zero_stage >= 3 ? ranks : 1);
  if (p.trains_weights) {
    m.gradients = p.core * p.weight_bytes / (layout.zero_stage >= 2 ? ranks : 1);
    m.optimizer = p.core * p.optimizer_bytes / sharded;
  }
  m.adapters = p.adapters;
  m.weights += p.tables / ranks;
  const double sample = layout.checkpointing == Checkpointing::none ? p.activations : p.checkpointed;
  m.activations = sample * layout.micro_batch;
  // The step comes after the activations are gone.
  const double step = p.core * p.step_bytes / sharded;
  if (step > m.activations) {
    m.activations = 0;
    m.optimizer += step;
  }
  m.runtime = p.base_bytes;
  m.allocated = m.weights + m.gradients + m.optimizer + m.adapters + m.activations + m.runtime;
  m.reserved = m.allocated * p.reserved_factor;
  m.meter = p.meter;
  m.known = true;
  return m;
}

MemoryEstimate media_inference_memory(const MediaInferencePlan& p, const Layout& layout) {
  MemoryEstimate m;
  m.weights = p.core * p.weight_bytes / std::max(1, layout.tensor) + p.resident_bytes;
  m.activations = std::max(p.activations / std::max(1, layout.context), p.decode);
  m.runtime = p.base_bytes;
  m.allocated = m.weights + m.activations + m.runtime;
  m.reserved = m.allocated;
  m.meter = p.meter;
  m.known = true;
  return m;
}

}  // namespace gpuadvise
