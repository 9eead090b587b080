#include <algorithm>
#include <cmath>

#include "estimate/app_speed.h"
#include "estimate/card_rates.h"
#include "estimate/name_match.h"

namespace gpuadvise {

namespace {

const StreamPreset* find_preset(const Workload& workload, const AppsCalibration& calibration) {
  const RenderingSpec& rendering = workload.profile.rendering;
  const std::string_view task = workload.profile.task.value_or("");
  const StreamPreset* standard = nullptr;
  for (const StreamPreset& preset : calibration.streams) {
    if (preset.task != task) continue;
    if (preset.default_preset) standard = &preset;
    for (const std::string_view said :
         {rendering.kind.value_or(""), rendering.scene.value_or(""), rendering.resolution.value_or("")}) {
      for (const std::string_view word : preset.words) {
        if (!said.empty() && name_holds(said, word)) return &preset;
      }
    }
  }
  return standard;
}

// Sessions of one whole card by each limit; 0 where the card has none of what a session needs.
double sessions_per_card(const StreamPreset& preset, const CardRates& card, const CardRates& reference,
                         double memory_gib, double encoder_megapixels_per_second) {
  double sessions = memory_gib / preset.memory_gib;
  const double graphics = card.of(Resource::graphics) / reference.of(Resource::graphics);
  sessions = std::min(sessions, graphics / preset.graphics_share);
  if (preset.megapixels_per_second > 0) {
    const double encoders = card.of(Resource::encode);
    sessions = std::min(sessions, encoders * encoder_megapixels_per_second / preset.megapixels_per_second);
  }
  return sessions;
}

}  // namespace

SpeedEstimate estimate_streaming_speed(const Workload& workload, const Machine& machine,
                                       const AppsCalibration& calibration) {
  SpeedEstimate out;
  const StreamPreset* preset = find_preset(workload, calibration);
  const ReferenceCard* reference_card = preset == nullptr ? nullptr : find_reference(preset->reference, calibration);
  if (reference_card == nullptr) {
    out.why = "speed/no-class";
    return out;
  }
  const CardRates card = card_rates(*machine.accelerator, calibration);
  const CardRates reference = card_rates(*reference_card, calibration);
  if (card.of(Resource::graphics) <= 0) {
    out.why = "speed/no-graphics";
    return out;
  }
  if (machine.accelerator->nvenc_av1 == false && name_holds(workload.profile.transcoding.codec.value_or(""), "av1")) {
    out.why = "speed/no-av1";
    return out;
  }
  const double per_node = machine.accelerators_per_node;
  const double whole_memory = per_node < 1 && per_node > 0 ? machine.memory_gib / per_node : machine.memory_gib;
  const double encoder = calibration.encoder_megapixels_per_second;
  const double one = sessions_per_card(*preset, card, reference, whole_memory, encoder);
  const double on_reference = sessions_per_card(*preset, reference, reference, reference_card->memory_gib, encoder);
  if (on_reference <= 0) {
    out.why = "speed/no-class";
    return out;
  }
  // A card without a known encoder count may still draw; it streams from the processor, which is not estimated.
  if (one <= 0) {
    out.why = machine.accelerator->nvenc_count ? "speed/no-encoder" : "speed/encoder-unknown";
    if (!machine.accelerator->nvenc_count) {
      out.relative = card.of(Resource::graphics) / reference.of(Resource::graphics) * per_node * machine.nodes;
    }
    return out;
  }
  out.known = true;
  out.relative = one / on_reference * per_node * machine.nodes;
  // Sessions are whole, and each lives on one card or slice.
  const double per_slice = std::floor(one * std::min(1.0, per_node) + 1e-9);
  out.value = per_slice * std::max(1.0, std::floor(per_node)) * machine.nodes;
  out.unit = "sessions";
  out.nearness = EstimateConfidence::extrapolated;  // planning values, no measured row
  out.band_low_percent = preset->band_low_percent;
  out.band_high_percent = preset->band_high_percent;
  return out;
}

}  // namespace gpuadvise
