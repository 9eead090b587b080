// Which formulas answer for which kind of work.
#include "gpuadvise/estimate.h"

#include "estimate/app_speed.h"
#include "estimate/serving_speed.h"
#include "estimate/training_speed.h"

namespace gpuadvise {

SpeedEstimate estimate_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                             const Calibration& calibration) {
  if (workload.kind == TaskKind::llm_training) {
    return estimate_training_speed(workload, machine, layout, calibration.training);
  }
  if (workload.kind == TaskKind::llm_serving) return estimate_serving_speed(workload, machine, layout, calibration);
  return estimate_app_speed(workload, machine, layout, calibration);
}

}  // namespace gpuadvise
