#include <array>

#include "estimate/app_speed.h"
#include "estimate/work_class.h"

namespace gpuadvise {

SpeedEstimate estimate_transcoding_speed(const Workload& workload, const Machine& machine,
                                         const AppsCalibration& calibration) {
  const TranscodingSpec& video = workload.profile.transcoding;
  const WorkQuery query{
      TaskKind::transcoding, video.app.value_or(""), video.codec.value_or(""), video.direction.value_or(""), {}, {}};
  const std::array<std::string_view, 4> details{video.direction.value_or(""), video.preset.value_or(""),
                                                video.resolution.value_or(""), video.rate_control.value_or("")};
  return speed_by_class(query, details, workload, machine, calibration);
}

}  // namespace gpuadvise
