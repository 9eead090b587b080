#include <cmath>

#include "estimate/app_speed.h"
#include "estimate/media_model.h"

namespace gpuadvise {

SpeedEstimate estimate_media_inference_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                             const AppsCalibration& calibration) {
  SpeedEstimate out;
  if (calibration.references.empty()) {
    out.why = "speed/no-class";
    return out;
  }
  const ReferenceCard& reference_card = calibration.references.front();
  const CardRates card = card_rates(*machine.accelerator, calibration);
  const CardRates reference = card_rates(reference_card, calibration);
  bool value_known = false;
  const MediaWork work = media_work(workload, calibration, &value_known);
  const double seconds = media_seconds_per_sample(work, card, reference, calibration.media);
  const double on_reference = media_seconds_per_sample(work, reference, reference, calibration.media);
  if (seconds <= 0 || on_reference <= 0) {
    out.why = "speed/card-rate-unknown";
    return out;
  }
  // Cards work on samples of their own, unless several share one sample (context parallel).
  const double per_node = machine.accelerators_per_node;
  double cards = per_node < 1 ? std::pow(per_node, calibration.media.slice_exponent) : per_node;
  if (per_node > 1 && layout.context > 1) cards = std::pow(per_node, calibration.media.context_exponent);
  cards *= machine.nodes;

  out.known = true;
  out.relative = on_reference / seconds * cards;
  set_media_band(work, card, calibration, value_known, out);
  if (value_known) {
    out.samples_per_second = cards / seconds;
    out.requests_per_second = out.samples_per_second;
    const bool speech = workload.task != nullptr && workload.task->cost_unit == CostUnit::audio_hour;
    if (const auto& audio = workload.profile.inference.audio_seconds; speech && audio) {
      out.value = *out.samples_per_second * *audio;
      out.unit = "audio_s/s";
    }
    if (work.gflops > 0 && cards > 0) {
      constexpr double kGigaPerTera = 1e3;
      out.tflops_per_accelerator = work.gflops / seconds / kGigaPerTera;
    }
  }
  return out;
}

}  // namespace gpuadvise
