// Speed of training a language model: time of one optimizer step by term. Formulas and their sources:
// docs/method/training-speed.md.
#pragma once

#include "gpuadvise/estimate.h"

#include "estimate/training_shape.h"

namespace gpuadvise {

// What the speed of training needs of a workload whatever the machine and layout.
struct TrainingSpeedPlan {
  TrainingShape shape;
  const FrameworkTraining* framework = nullptr;  // nullptr: not calibrated
  double device_time = 1;                        // over the one that the constants stand for
  bool pretraining = false;
};
TrainingSpeedPlan training_speed_plan(const Workload& workload, const TrainingCalibration& calibration);

SpeedEstimate estimate_training_speed(const TrainingSpeedPlan& plan, const Workload& workload, const Machine& machine,
                                      const Layout& layout, const TrainingCalibration& calibration);

SpeedEstimate estimate_training_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                      const TrainingCalibration& calibration);

// Speed of one card against the speed it has on the fewest nodes that hold a replica, each with the same share of the
// global batch. Empty where the replicas do not divide among those nodes.
std::optional<double> training_scaling_efficiency(const Workload& workload, const Machine& machine,
                                                  const Layout& layout, const TrainingCalibration& calibration);

}  // namespace gpuadvise
