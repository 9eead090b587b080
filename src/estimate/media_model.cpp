#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "estimate/app_speed.h"
#include "estimate/media_model.h"
#include "estimate/name_match.h"

namespace gpuadvise {

namespace {

std::size_t longest_beginning(const MediaModel& model, std::string_view name) {
  std::size_t longest = 0;
  for (const std::string_view beginning : model.names) {
    if (name_begins(name, beginning)) longest = std::max(longest, beginning.size());
  }
  return longest;
}

// The entry whose beginning fits most of the name; else the general entry of the model's kind.
const MediaModel* find_model(const Workload& workload, const AppsCalibration& calibration, bool training) {
  const std::string_view asked = workload.profile.model.name.value_or("");
  const MediaModel* best = nullptr;
  std::size_t most = 0;
  const auto consider = [&](std::string_view name) {
    for (const MediaModel& model : calibration.models) {
      if (model.training != training) continue;
      const auto fits = longest_beginning(model, name);
      if (fits > most) {
        most = fits;
        best = &model;
      }
    }
  };
  consider(asked);
  if (best == nullptr && workload.model != nullptr) {
    consider(workload.model->id);
    if (best == nullptr) consider(workload.model->name);
  }
  if (best != nullptr) return best;
  const MediaModel* general = nullptr;
  for (const MediaModel& model : calibration.models) {
    if (!model.names.empty() || model.training != training) continue;
    if (workload.model != nullptr && model.kind == workload.model->kind) return &model;
    if (!model.kind) general = &model;
  }
  return general;
}

const MediaEngine* find_engine(std::string_view name, bool training, const AppsCalibration& calibration) {
  const MediaEngine* first = nullptr;
  for (const MediaEngine& engine : calibration.engines) {
    if (engine.training != training) continue;
    if (first == nullptr) first = &engine;
    if (same_name(engine.name, name)) return &engine;
  }
  return first;
}

// "1024x768" or "512": pixels. 0: not a size.
double pixels_of(std::string_view text) {
  const auto x = text.find_first_of("xX*");
  const auto width = base::parse_count(base::trim(text.substr(0, x)));
  if (!width) return 0;
  if (x == std::string_view::npos) return *width * *width;
  auto rest = base::trim(text.substr(x + 1));
  rest = rest.substr(0, rest.find(' '));
  const auto height = base::parse_count(rest);
  return height ? *width * *height : 0;
}

double bytes_of(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return 8;
    case Precision::fp32:
    case Precision::tf32:
      return 4;
    case Precision::fp8:
    case Precision::int8:
    case Precision::fp4:
    case Precision::int4:
    case Precision::nf4:
      return 1;
    default:
      return 2;
  }
}

// The precision that a serving format computes in.
Precision precision_of(std::string_view weights) {
  if (name_holds(weights, "int8") || name_holds(weights, "w8a8")) return Precision::int8;
  if (name_holds(weights, "fp8")) return Precision::fp8;
  if (name_holds(weights, "tf32")) return Precision::tf32;
  if (name_holds(weights, "fp32")) return Precision::fp32;
  if (name_holds(weights, "bf16")) return Precision::bf16;
  return Precision::fp16;  // fp16 itself, and weight-only formats that compute at 16 bit
}

// Forward GFLOP of one sequence through the layers of an encoder.
double encoder_gflops(const Architecture& a, double tokens) {
  const double width = a.hidden;
  const double attention_width = a.heads > 0 && a.head_dim > 0 ? static_cast<double>(a.heads) * a.head_dim : width;
  const double kv_width =
      a.kv_heads > 0 && a.head_dim > 0 ? static_cast<double>(a.kv_heads) * a.head_dim : attention_width;
  const double feed_forward = (a.gated_mlp ? 3.0 : 2.0) * width * a.intermediate;
  const double weights = 2 * width * attention_width + 2 * width * kv_width + feed_forward;
  const double layers = a.layers + a.encoder_layers;
  constexpr double kGiga = 1e9;
  return layers * (2 * weights * tokens + 4 * tokens * tokens * attention_width) / kGiga;
}

}  // namespace

MediaWork media_work(const Workload& workload, const AppsCalibration& calibration, bool* value_known) {
  const Profile& profile = workload.profile;
  const InferenceSpec& inference = profile.inference;
  const TrainingSpec& training = profile.training;
  MediaWork work;
  work.training = workload.kind == TaskKind::media_training;
  work.model = find_model(workload, calibration, work.training);
  work.engine = find_engine(work.training ? training.framework.value_or("") : inference.engine.value_or(""),
                            work.training, calibration);
  work.precision =
      work.training ? training.precision.value_or(Precision::fp16) : precision_of(inference.weights.value_or(""));
  work.bytes_per_value = bytes_of(work.precision);
  work.online = !work.training && inference.mode == ServingMode::online;
  // A server under load or an offline run finds the batch that fills the card, unless the user fixes it.
  const bool batch_assumed = was_assumed(workload, work.training ? "training.micro_batch" : "inference.concurrency");
  const double asked_batch = work.training ? training.micro_batch.value_or(0) : inference.concurrency.value_or(0);
  const bool free_batch = work.training || inference.mode == ServingMode::online;
  const bool offline = !work.training && inference.mode == ServingMode::offline;
  const bool saturated = offline || asked_batch <= 0 || (free_batch && batch_assumed);
  work.batch = saturated ? calibration.media.saturated_batch : asked_batch;
  work.steps = 1;
  *value_known = false;
  if (work.model == nullptr) return work;
  const MediaModel& model = *work.model;
  *value_known = model.calibrated;

  const MediaVariant* variant = nullptr;
  const std::string_view name = profile.model.name.value_or("");
  for (const MediaVariant& candidate : model.variants) {
    if (name_begins(name, candidate.name) && (variant == nullptr || candidate.name.size() > variant->name.size())) {
      variant = &candidate;
    }
  }

  const auto resolution = work.training ? training.resolution : inference.resolution;
  const double pixels = resolution ? pixels_of(*resolution) : 0;
  const double frames = (work.training ? training.frames : inference.frames).value_or(model.frames.value_or(1));
  constexpr int kDefaultTokens = 128;  // a sentence, where neither profile nor preset says
  constexpr double kMega = 1e6;
  constexpr double kGiga = 1e9;
  double size_ratio = frames / model.frames.value_or(1);
  double once_ratio = size_ratio;
  if (pixels > 0 && model.megapixels) {
    size_ratio *= pixels / (*model.megapixels * kMega);
    once_ratio = size_ratio;
  }
  if (model.audio_seconds) {
    size_ratio = inference.audio_seconds.value_or(*model.audio_seconds) / *model.audio_seconds;
    once_ratio = size_ratio;
  }
  const double grown = size_ratio * (1 - model.square_share) + size_ratio * size_ratio * model.square_share;

  const bool encoder = workload.has_architecture && !model.gflops && variant == nullptr && pixels <= 0;
  double per_step = 0;
  if (model.params && model.flops_per_token_pair) {
    const double tokens = inference.input_tokens.value_or(kDefaultTokens);
    per_step = (2 * *model.params * tokens + *model.flops_per_token_pair * tokens * tokens) / kGiga;
  } else if (variant != nullptr) {
    per_step = variant->gflops * grown;
  } else if (model.gflops && (model.calibrated || workload.model == nullptr || !workload.model->gflops_per_sample)) {
    per_step = *model.gflops * grown;
  } else if (encoder) {
    per_step = encoder_gflops(workload.architecture, inference.input_tokens.value_or(kDefaultTokens));
  } else if (workload.model != nullptr && workload.model->gflops_per_sample) {
    double ratio = 1;
    if (pixels > 0 && workload.model->resolution && *workload.model->resolution > 0) {
      ratio = pixels / (static_cast<double>(*workload.model->resolution) * *workload.model->resolution);
    }
    per_step = *workload.model->gflops_per_sample * ratio;
  }
  if (per_step <= 0) {
    *value_known = false;
    per_step = model.gflops.value_or(1);
  }
  work.steps = model.audio_seconds ? size_ratio : inference.steps.value_or(model.default_steps);
  const double passes = model.audio_seconds ? 1 : work.steps;
  work.gflops = per_step * passes + model.gflops_once * once_ratio;
  if (work.training) work.gflops *= calibration.media.training_flops;
  const double params = variant != nullptr && variant->params ? *variant->params
                        : model.params                        ? *model.params
                                                              : workload.params;
  work.weight_gb = params * work.bytes_per_value * work.steps / kGiga;
  return work;
}

double media_seconds_per_sample(const MediaWork& work, const CardRates& card, const CardRates& reference,
                                const MediaTuning& tuning) {
  if (work.model == nullptr) return 0;
  const MediaModel& model = *work.model;
  double peak = card.of(work.precision);
  if (peak <= 0 || card.bandwidth_gb_per_s <= 0) return 0;

  const double engine_efficiency = work.engine != nullptr ? work.engine->efficiency : 1;
  const double engine_latency = work.engine != nullptr ? work.engine->latency : 1;
  constexpr double kGigaPerTera = 1e3;
  const double nominal = card.nominal[static_cast<std::size_t>(work.precision)];
  const double uncut = card.uncut[static_cast<std::size_t>(work.precision)];
  constexpr double kClearlyCut = 0.9;  // nearer rates differ by rounding and clocks alone
  if (uncut > 0 && nominal < kClearlyCut * uncut) peak *= std::pow(uncut / nominal, tuning.capped_exponent);
  const double reached = std::min(peak * model.efficiency * engine_efficiency, nominal * tuning.peak_limit);
  const double compute = work.gflops / (reached * kGigaPerTera);

  const double cache =
      card.l2_mib > 0 && reference.l2_mib > 0 ? std::pow(card.l2_mib / reference.l2_mib, tuning.cache_exponent) : 1;
  constexpr double kSixteenBit = 2;
  const double traffic =
      (work.weight_gb / work.batch + work.gflops * model.bytes_per_flop * work.bytes_per_value / kSixteenBit) /
      (card.bandwidth_gb_per_s * cache);
  const double busy =
      std::pow(std::pow(compute, tuning.overlap) + std::pow(traffic, tuning.overlap), 1 / tuning.overlap);

  const double clock = card.of(Resource::clock) > 0
                           ? std::pow(reference.of(Resource::clock) / card.of(Resource::clock), tuning.clock_exponent)
                           : 1;
  constexpr double kMicro = 1e-6;
  const double latency =
      model.latency_us * kMicro * engine_latency * work.steps * clock * (work.training ? tuning.training_latency : 1);
  const double seconds = busy + latency / work.batch;
  return work.online ? seconds / (tuning.online_factor * model.online_factor) : seconds;
}

void set_media_band(const MediaWork& work, const CardRates& card, const AppsCalibration& calibration, bool value_known,
                    SpeedEstimate& speed) {
  const double widening = card.measured_class ? 1 : calibration.unmeasured_widening;
  constexpr double kLowest = -95;  // a speed stays above zero
  speed.band_low_percent = std::max(kLowest, work.model->band_low_percent * widening);
  speed.band_high_percent = work.model->band_high_percent * widening;
  speed.nearness = value_known && !work.model->names.empty() && card.measured_class ? EstimateConfidence::interpolated
                                                                                    : EstimateConfidence::extrapolated;
}

}  // namespace gpuadvise
