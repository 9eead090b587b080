#include <cmath>

#include "estimate/app_speed.h"
#include "estimate/media_model.h"

namespace gpuadvise {

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
    const double rate = cards / seconds;
    out.samples_per_second = rate;
    const double all = per_node * machine.nodes;
    constexpr double kGigaPerTera = 1e3;
    out.tflops_per_accelerator = work.gflops * rate / all / kGigaPerTera;
    if (workload.profile.training.global_batch) out.step_seconds = *workload.profile.training.global_batch / rate;
  }
  (void)layout;
  return out;
}

}  // namespace gpuadvise
