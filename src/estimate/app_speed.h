// Speed of everything but language models. One function per kind of task, all on the same footing: `relative` against
// the reference card of the kind, and a figure in the work's own unit where the work is calibrated.
#pragma once

#include <string_view>

#include "gpuadvise/estimate.h"

namespace gpuadvise {

// Any task kind but llm_training and llm_serving.
SpeedEstimate estimate_app_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                 const Calibration& calibration);

// Whether a field of the profile ("inference.concurrency") was filled in rather than asked for: defaults select no
// measured case and no batch.
bool was_assumed(const Workload& workload, std::string_view field);

SpeedEstimate estimate_media_inference_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                             const AppsCalibration& calibration);
SpeedEstimate estimate_media_training_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                            const AppsCalibration& calibration);
SpeedEstimate estimate_rendering_speed(const Workload& workload, const Machine& machine,
                                       const AppsCalibration& calibration);
SpeedEstimate estimate_streaming_speed(const Workload& workload, const Machine& machine,
                                       const AppsCalibration& calibration);
SpeedEstimate estimate_transcoding_speed(const Workload& workload, const Machine& machine,
                                         const AppsCalibration& calibration);
SpeedEstimate estimate_hpc_speed(const Workload& workload, const Machine& machine, const AppsCalibration& calibration);

}  // namespace gpuadvise
