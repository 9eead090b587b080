// What a card can do, in the terms that application speed is worked out from: the catalog's facts, with gaps filled
// from the card's chip class and each rate weighted by how much of it that class reaches in practice.
#pragma once

#include <array>
#include <cstddef>

#include "gpuadvise/calibration/apps.h"
#include "gpuadvise/catalog.h"

namespace gpuadvise {

struct CardRates {
  // Indexed by Resource; 0: the card cannot do it, or nobody says. `tensor` depends on the precision: see tensor().
  std::array<double, 13> rate{};
  // Dense TFLOPS (TOPS) x the reached share, by Precision; formats without hardware run at the next one that has it.
  std::array<double, 15> tensor{};
  // The printed dense rate behind each of them, and the rate that the multiprocessors could do uncut (0: unknown).
  std::array<double, 15> nominal{};
  std::array<double, 15> uncut{};
  double bandwidth_gb_per_s = 0;  // nominal x reached
  double clock_ghz = 0;
  double multiprocessor_ghz = 0;
  double l2_mib = 0;            // 0: unknown
  double held_clock = 1;        // share of the clock that the board's power sustains under full load
  bool filled = false;          // a rate that speed rests on came from the chip class, not from the card's facts
  bool measured_class = false;  // the calibration has an entry for the chip class or the card

  double of(Resource resource) const { return rate[static_cast<std::size_t>(resource)]; }
  double of(Precision precision) const { return tensor[static_cast<std::size_t>(precision)]; }
};

CardRates card_rates(const Accelerator& card, const AppsCalibration& calibration);
CardRates card_rates(const ReferenceCard& card, const AppsCalibration& calibration);

// Null when the calibration has no such card.
const ReferenceCard* find_reference(std::string_view accelerator, const AppsCalibration& calibration);

}  // namespace gpuadvise
