#include <algorithm>
#include <cmath>

#include "estimate/pieces.h"

namespace gpuadvise {

namespace {

// What one piece takes on the reference card, in seconds.
std::optional<double> reference_seconds(const Workload& w) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (w.kind == TaskKind::rendering && w.profile.rendering.minutes_per_frame) {
    return *w.profile.rendering.minutes_per_frame * kMinute;
  }
  if (w.kind == TaskKind::hpc && w.profile.hpc.hours_per_run) return *w.profile.hpc.hours_per_run * kHour;
  return std::nullopt;
}

// Pieces per second of cards that work on one piece together.
std::optional<double> together(const SpeedEstimate& s, const std::optional<double>& reference) {
  if (reference && s.relative) return *s.relative / *reference;
  return s.samples_per_second;
}

}  // namespace

std::optional<double> independent_pieces(const Workload& w) {
  const auto pieces = w.kind == TaskKind::rendering ? w.profile.rendering.frames : w.profile.operations.runs;
  return pieces && *pieces > 1 ? std::optional<double>(*pieces) : std::nullopt;
}

bool falls_in_pieces(const Workload& w) { return independent_pieces(w) || reference_seconds(w); }

double piece_rounds(double pieces, double at_once) {
  constexpr double kSlack = 1e-9;
  return std::max(1.0, std::ceil(pieces / at_once - kSlack));
}

void set_piece_rate(const Workload& w, const Machine& machine, const SpeedEstimate& one_card, SpeedEstimate& speed) {
  const auto reference = reference_seconds(w);
  speed.samples_per_second = together(speed, reference);
  const auto pieces = independent_pieces(w);
  const auto alone = together(one_card, reference);
  if (!pieces || !alone) return;
  const double cards = std::max(1.0, std::floor(machine.accelerators_per_node) * machine.nodes);
  const double busy = *pieces / piece_rounds(*pieces, cards);  // on average: the last round may leave cards idle
  speed.samples_per_second = busy * *alone;
  if (one_card.relative) speed.relative = busy * *one_card.relative;
}

}  // namespace gpuadvise
