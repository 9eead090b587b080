// Which calibrated constants stand for a card, a framework and a release of it.
#pragma once

#include <string_view>

#include "gpuadvise/calibration/training.h"
#include "gpuadvise/catalog.h"
#include "gpuadvise/profile.h"

namespace gpuadvise {

// The row of this very card, of its chip class, or of "*"; nullptr where there is none of them.
const ChipTraining* find_training_chip(const TrainingCalibration& calibration, const Accelerator& card);
// The row of this name or alias, or of "*".
const FrameworkTraining* find_training_framework(const TrainingCalibration& calibration, std::string_view name);

// FLOP/s of large matrices: the documented peak and the share of it that is reached.
struct MatrixRate {
  double peak = 0;  // 0: not documented
  double share = 0;
  double rate() const { return peak * share; }
};
// A precision that a card has no engine for runs in the next wider one that it has.
MatrixRate matrix_rate(const TrainingCalibration& calibration, const Accelerator& card, const ChipTraining& chip,
                       Precision precision);

// Months since 2000 of a version that ends in YY.MM ("nemo 26.08", "26.04.01"); 0: it does not.
int release_month(std::string_view version);
// Device time of that release over the one that the constants stand for.
double release_factor(const FrameworkTraining& framework, const SoftwareSpec& software);

// Measured error of the class that an estimate belongs to; nullptr: no class fits.
struct TrainingClass {
  std::string_view framework;
  std::string_view chip_class;
  bool moe = false;
  bool multi_node = false;
  bool adapters = false;
};
const TrainingBand* find_training_band(const TrainingCalibration& calibration, const TrainingClass& of);

}  // namespace gpuadvise
