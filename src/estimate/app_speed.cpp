#include <algorithm>

#include "estimate/app_speed.h"
#include "estimate/pieces.h"
#include "estimate/work_class.h"

namespace gpuadvise {

namespace {

SpeedEstimate estimate_interactive_speed(const Workload& workload, const Machine& machine,
                                         const AppsCalibration& calibration) {
  const WorkQuery query{TaskKind::interactive, {}, {}, {}, {}, {}};
  return speed_by_class(query, std::span<const std::string_view>{}, workload, machine, calibration);
}

// Rendering and HPC: `estimate` of the whole machine, and of one of its cards for work in pieces.
template <class Estimated>
SpeedEstimate in_pieces(const Workload& workload, const Machine& machine, const Estimated& estimated) {
  SpeedEstimate out = estimated(machine);
  if (!falls_in_pieces(workload)) return out;
  Machine one = machine;
  one.nodes = 1;
  one.accelerators_per_node = std::min(1.0, machine.accelerators_per_node);
  set_piece_rate(workload, machine, estimated(one), out);
  return out;
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
      return in_pieces(workload, machine,
                       [&](const Machine& m) { return estimate_rendering_speed(workload, m, apps); });
    case TaskKind::streaming:
      return estimate_streaming_speed(workload, machine, apps);
    case TaskKind::transcoding:
      return estimate_transcoding_speed(workload, machine, apps);
    case TaskKind::hpc:
      return in_pieces(workload, machine, [&](const Machine& m) { return estimate_hpc_speed(workload, m, apps); });
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
