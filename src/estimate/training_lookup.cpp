#include <algorithm>
#include <cmath>

#include "estimate/training_lookup.h"

namespace gpuadvise {

namespace {

constexpr double kTera = 1e12;
constexpr std::string_view kAny = "*";

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Boards with more power for the same peak hold their clocks better in large matrices.
double power_factor(const TrainingCalibration& cal, const Accelerator& card, const ChipTraining& chip, double peak) {
  if (!card.tdp_w || peak <= 0 || chip.watts_per_tflops <= 0) return 1;
  return std::pow(*card.tdp_w / (peak / kTera) / chip.watts_per_tflops, cal.power_exponent);
}

MatrixRate sixteen_bit(const TrainingCalibration& cal, const Accelerator& card, const ChipTraining& chip, bool bf16) {
  const auto& wanted = bf16 ? card.peak.bf16 : card.peak.fp16;
  const auto& other = bf16 ? card.peak.fp16 : card.peak.bf16;
  const double peak = wanted.value_or(other.value_or(0)) * kTera;
  if (peak > 0) return {peak, chip.matrix_share * power_factor(cal, card, chip, peak)};
  return {card.peak.fp32.value_or(0) * kTera, chip.fp32_share};
}

}  // namespace

const ChipTraining* find_training_chip(const TrainingCalibration& cal, const Accelerator& card) {
  const ChipTraining* found = nullptr;
  for (const ChipTraining& row : cal.chips) {
    if (contains(row.accelerators, card.id)) return &row;
    if (!row.accelerators.empty()) continue;
    if (row.chip_class == card.chip_class && !card.chip_class.empty()) found = &row;
    if (row.chip_class == kAny && found == nullptr) found = &row;
  }
  return found;
}

const FrameworkTraining* find_training_framework(const TrainingCalibration& cal, std::string_view name) {
  const FrameworkTraining* any = nullptr;
  for (const FrameworkTraining& row : cal.frameworks) {
    if (row.name == name || contains(row.aliases, name)) return &row;
    if (row.name == kAny) any = &row;
  }
  return any;
}

MatrixRate matrix_rate(const TrainingCalibration& cal, const Accelerator& card, const ChipTraining& chip,
                       Precision precision) {
  switch (precision) {
    case Precision::fp8:
    case Precision::fp4: {
      const MatrixRate wide = sixteen_bit(cal, card, chip, true);
      if (!card.peak.fp8) return wide;
      return {*card.peak.fp8 * kTera, wide.share * chip.fp8_keep};
    }
    case Precision::tf32: {
      // Some cards have no more TF32 than vector FP32.
      const MatrixRate single{card.peak.fp32.value_or(0) * kTera, chip.fp32_share};
      const MatrixRate tensor{card.peak.tf32.value_or(0) * kTera, chip.tf32_share};
      return tensor.rate() > single.rate() ? tensor : single;
    }
    case Precision::fp32:
    case Precision::fp64:
      return {card.peak.fp32.value_or(0) * kTera, chip.fp32_share};
    default:
      return sixteen_bit(cal, card, chip, precision != Precision::fp16);
  }
}

int release_month(std::string_view text) {
  const auto digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9' ? text[at] - '0' : -1;
  };
  // The first "dd.dd" that no digit stands beside.
  for (std::size_t at = 2; at + 2 < text.size(); ++at) {
    if (text[at] != '.') continue;
    const int year = digit(at - 2) < 0 || digit(at - 1) < 0 ? -1 : digit(at - 2) * 10 + digit(at - 1);
    const int month = digit(at + 1) < 0 || digit(at + 2) < 0 ? -1 : digit(at + 1) * 10 + digit(at + 2);
    const bool alone = (at < 3 || digit(at - 3) < 0) && digit(at + 3) < 0;
    if (alone && year >= 0 && month >= 1 && month <= 12) return year * 12 + month;
  }
  return 0;
}

double release_factor(const FrameworkTraining& framework, const SoftwareSpec& software) {
  if (framework.monthly_gain <= 0 || !software.framework) return 1;
  const int month = release_month(*software.framework);
  if (month == 0) return 1;
  constexpr double kOldest = -18;  // months; older releases are no slower than the oldest one measured
  constexpr double kNewest = 6;    // newer ones are not promised to gain on
  return std::exp(-framework.monthly_gain * std::clamp(month - framework.reference_month, kOldest, kNewest));
}

const TrainingBand* find_training_band(const TrainingCalibration& cal, const TrainingClass& of) {
  for (const TrainingBand& band : cal.bands) {
    if (!band.framework.empty() && band.framework != of.framework) continue;
    if (!band.chip_class.empty() && band.chip_class != of.chip_class) continue;
    if (band.moe && *band.moe != of.moe) continue;
    if (band.multi_node && *band.multi_node != of.multi_node) continue;
    if (band.adapters && *band.adapters != of.adapters) continue;
    return &band;
  }
  return nullptr;
}

}  // namespace gpuadvise
