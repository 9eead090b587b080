#include <array>
#include <charconv>

#include "estimate/app_speed.h"
#include "estimate/work_class.h"

namespace gpuadvise {

SpeedEstimate estimate_rendering_speed(const Workload& workload, const Machine& machine,
                                       const AppsCalibration& calibration) {
  const RenderingSpec& rendering = workload.profile.rendering;
  const WorkQuery query{TaskKind::rendering,
                        rendering.app.value_or(""),
                        rendering.scene.value_or(""),
                        rendering.kind.value_or(""),
                        {},
                        {}};
  std::array<char, 16> digits{};
  std::string_view samples;
  if (rendering.samples) {
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *rendering.samples).ptr;
    samples = {digits.data(), static_cast<std::size_t>(end - digits.data())};
  }
  if (was_assumed(workload, "rendering.samples")) samples = {};
  const std::string_view resolution =
      was_assumed(workload, "rendering.resolution") ? "" : rendering.resolution.value_or("");
  const std::array<std::string_view, 3> details{rendering.version.value_or(""), resolution, samples};
  SpeedEstimate out = speed_by_class(query, details, workload, machine, calibration);
  if (out.value && out.unit == "s" && *out.value > 0) out.samples_per_second = 1 / *out.value;  // frames
  return out;
}

}  // namespace gpuadvise
