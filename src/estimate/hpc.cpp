#include "estimate/app_speed.h"
#include "estimate/work_class.h"

namespace gpuadvise {

SpeedEstimate estimate_hpc_speed(const Workload& workload, const Machine& machine, const AppsCalibration& calibration) {
  const HpcSpec& hpc = workload.profile.hpc;
  WorkQuery query{TaskKind::hpc, hpc.app.value_or(""), hpc.case_name.value_or(""), {}, hpc.precision, hpc.bound};
  if (was_assumed(workload, "hpc.precision")) query.precision.reset();
  if (was_assumed(workload, "hpc.bound")) query.bound.reset();
  return speed_by_class(query, {}, workload, machine, calibration);
}

}  // namespace gpuadvise
