#include "estimate/app_speed.h"
#include "estimate/work_class.h"

namespace gpuadvise {

namespace {

SpeedEstimate estimate_interactive_speed(const Workload& workload, const Machine& machine,
                                         const AppsCalibration& calibration) {
  const WorkQuery query{TaskKind::interactive, {}, {}, {}, {}, {}};
  return speed_by_class(query, std::span<const std::string_view>{}, workload, machine, calibration);
}

}  // namespace

bool was_assumed(const Workload& workload, std::string_view field) {
  for (const Assumption& assumption : workload.assumptions) {
    if (assumption.field == field) return true;
  }
  return false;
}

SpeedEstimate estimate_app_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                 const Calibration& calibration) {
  const AppsCalibration& apps = calibration.apps;
  SpeedEstimate unknown;
  if (machine.accelerator == nullptr) {
    unknown.why = "speed/no-accelerator";
    return unknown;
  }
  switch (workload.kind) {
    case TaskKind::media_training:
      return estimate_media_training_speed(workload, machine, layout, apps);
    case TaskKind::media_inference:
      return estimate_media_inference_speed(workload, machine, layout, apps);
    case TaskKind::rendering:
      return estimate_rendering_speed(workload, machine, apps);
    case TaskKind::streaming:
      return estimate_streaming_speed(workload, machine, apps);
    case TaskKind::transcoding:
      return estimate_transcoding_speed(workload, machine, apps);
    case TaskKind::hpc:
      return estimate_hpc_speed(workload, machine, apps);
    case TaskKind::interactive:
      return estimate_interactive_speed(workload, machine, apps);
    case TaskKind::llm_training:
    case TaskKind::llm_serving:
      break;
  }
  unknown.why = "speed/no-model";
  return unknown;
}

}  // namespace gpuadvise
