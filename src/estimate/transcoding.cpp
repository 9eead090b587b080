#include <array>

#include "estimate/app_speed.h"
#include "estimate/name_match.h"
#include "estimate/work_class.h"

namespace gpuadvise {

SpeedEstimate estimate_transcoding_speed(const Workload& workload, const Machine& machine,
                                         const AppsCalibration& calibration) {
  const TranscodingSpec& video = workload.profile.transcoding;
  const bool encodes = !video.direction || !name_holds(*video.direction, "decode");
  const Accelerator& card = *machine.accelerator;
  SpeedEstimate refused;
  if (encodes && card.nvenc_count && *card.nvenc_count == 0) refused.why = "speed/no-encoder";
  if (encodes && card.nvenc_av1 == false && name_holds(video.codec.value_or(""), "av1")) refused.why = "speed/no-av1";
  if (!refused.why.empty()) return refused;
  const auto said = [&](std::string_view field, const std::optional<std::string_view>& value) {
    return was_assumed(workload, field) ? std::string_view{} : value.value_or("");
  };
  const WorkQuery query{TaskKind::transcoding,
                        video.app.value_or(""),
                        said("transcoding.codec", video.codec),
                        video.direction.value_or(""),
                        {},
                        {}};
  const std::array<std::string_view, 4> details{
      said("transcoding.direction", video.direction), said("transcoding.preset", video.preset),
      said("transcoding.resolution", video.resolution), said("transcoding.rate_control", video.rate_control)};
  return speed_by_class(query, details, workload, machine, calibration);
}

}  // namespace gpuadvise
