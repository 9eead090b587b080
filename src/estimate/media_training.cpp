#include <algorithm>
#include <cmath>
#include <optional>

#include "estimate/app_speed.h"
#include "estimate/media_model.h"

namespace gpuadvise {

namespace {

// Samples per second that the machines can prepare, by what the profile says of them. No published rate of decoding
// holds for every size of picture and augmentation, so without a word from the user nothing is taken off.
std::optional<double> prepared_rate(const Workload& workload, const Machine& machine) {
  const DataSpec& data = workload.profile.data;
  std::optional<double> rate;
  if (data.samples_per_vcpu && machine.vcpus > 0) rate = *data.samples_per_vcpu * machine.vcpus * machine.nodes;
  if (data.storage_mb_per_s && data.dataset_gib && data.dataset_samples) {
    constexpr double kMega = 1e6;
    constexpr double kGib = 1024.0 * 1024 * 1024;
    const double bytes = *data.dataset_gib * kGib / *data.dataset_samples;
    const double read = *data.storage_mb_per_s * kMega * machine.nodes / bytes;
    rate = rate ? std::min(*rate, read) : read;
  }
  return rate;
}

}  // namespace

SpeedEstimate estimate_media_training_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                            const AppsCalibration& calibration) {
  SpeedEstimate out;
  if (calibration.references.empty()) {
    out.why = "speed/no-class";
    return out;
  }
  const MediaTuning& tuning = calibration.media;
  const CardRates card = card_rates(*machine.accelerator, calibration);
  const CardRates reference = card_rates(calibration.references.front(), calibration);
  bool value_known = false;
  const MediaWork work = media_work(workload, calibration, &value_known);
  const double seconds = media_seconds_per_sample(work, card, reference, tuning);
  const double on_reference = media_seconds_per_sample(work, reference, reference, tuning);
  if (seconds <= 0 || on_reference <= 0) {
    out.why = "speed/card-rate-unknown";
    return out;
  }
  const double per_node = machine.accelerators_per_node;
  double cards = per_node < 1 ? std::pow(per_node, tuning.slice_exponent) : per_node;
  if (per_node > 1) {
    const bool fast = machine.link == LinkKind::nvlink || machine.link == LinkKind::hccs;
    const double loss = fast ? tuning.train_loss_fast_link : tuning.train_loss_pcie;
    cards /= 1 + loss * (1 - 1 / per_node);
  }
  if (machine.nodes > 1) cards *= machine.nodes / (1 + tuning.train_loss_node);

  out.known = true;
  out.relative = on_reference / seconds * cards;
  set_media_band(work, card, calibration, value_known, out);
  if (value_known) {
    const double computed = cards / seconds;
    const double rate = std::min(computed, prepared_rate(workload, machine).value_or(computed));
    *out.relative *= rate / computed;
    out.samples_per_second = rate;
    const double all = per_node * machine.nodes;
    constexpr double kGigaPerTera = 1e3;
    out.tflops_per_accelerator = work.gflops * rate / all / kGigaPerTera;
    if (const auto& batch = workload.profile.training.global_batch) {
      out.step_seconds = *batch / rate;
      out.terms.data_loading = *out.step_seconds - *batch / computed;
      if (out.terms.data_loading > 0) out.terms.compute = *batch / computed;
    }
  }
  (void)layout;
  return out;
}

}  // namespace gpuadvise
