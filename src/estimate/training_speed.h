// Speed of training a language model: time of one optimizer step by term. Formulas and their sources:
// docs/method/training-speed.md.
#pragma once

#include "gpuadvise/estimate.h"

namespace gpuadvise {

SpeedEstimate estimate_training_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                      const TrainingCalibration& calibration);

}  // namespace gpuadvise
