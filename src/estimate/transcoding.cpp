#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "estimate/app_speed.h"
#include "estimate/name_match.h"
#include "estimate/work_class.h"

namespace gpuadvise {

namespace {

// "p4" is 4; 0: not a preset of NVENC.
int preset_number(std::string_view text) {
  return text.size() == 2 && (text[0] == 'p' || text[0] == 'P') && text[1] >= '1' && text[1] <= '7' ? text[1] - '0' : 0;
}

// Frames a second of one encoder of the reference card at 1920 x 1080: the mean of the measured cases of a codec by
// preset; between two measured presets the geometric mean. 0: not measured.
double frames_per_encoder(std::string_view codec, std::string_view preset, const AppsCalibration& calibration) {
  constexpr int kPresets = 7;
  std::array<double, kPresets + 1> logs{};
  std::array<int, kPresets + 1> rows{};
  for (const CaseMeasurement& row : calibration.cases) {
    if (!same_name(row.app, "NVENC") || !same_name(row.case_name, codec) || row.reference_value <= 0) continue;
    const auto bar = row.detail.find('|');
    const int number = preset_number(bar == std::string_view::npos ? "" : row.detail.substr(bar + 1, 2));
    logs[static_cast<std::size_t>(number)] += std::log(row.reference_value);
    ++rows[static_cast<std::size_t>(number)];
  }
  const int wanted = preset_number(preset);
  if (wanted == 0) return 0;
  int below = wanted;
  int above = wanted;
  while (below > 0 && rows[static_cast<std::size_t>(below)] == 0) --below;
  while (above <= kPresets && rows[static_cast<std::size_t>(above)] == 0) ++above;
  if (below < 1 || above > kPresets) return 0;
  const auto mean = [&](int at) { return logs[static_cast<std::size_t>(at)] / rows[static_cast<std::size_t>(at)]; };
  return std::exp((mean(below) + mean(above)) / 2);
}

double pixels_of(std::string_view resolution) {
  double width = 0;
  double height = 0;
  const char* const end = resolution.data() + resolution.size();
  const auto first = std::from_chars(resolution.data(), end, width);
  if (first.ec != std::errc{} || first.ptr == end || (*first.ptr != 'x' && *first.ptr != 'X')) return 0;
  const auto second = std::from_chars(first.ptr + 1, end, height);
  return second.ec == std::errc{} ? width * height : 0;
}

// Whole streams, each on one card or slice, at the codec's measured frame rate. Only what encodes is counted: decoding
// the source is left to the decoders beside.
void set_streams(const TranscodingSpec& video, const Machine& machine, const AppsCalibration& calibration,
                 SpeedEstimate& out) {
  constexpr double kMeasuredPixels = 1920.0 * 1080.0;
  const double pixels = pixels_of(video.resolution.value_or(""));
  const double frames = frames_per_encoder(video.codec.value_or(""), video.preset.value_or(""), calibration);
  const double rate = video.frame_rate.value_or(0);
  const double cards = machine.accelerators_per_node * machine.nodes;
  if (!out.relative || !name_holds(video.direction.value_or(""), "encode") || pixels <= 0 || frames <= 0 || rate <= 0 ||
      cards <= 0) {
    return;
  }
  const double slice = std::min(1.0, machine.accelerators_per_node);
  const double per_card = frames * *out.relative / cards * kMeasuredPixels / pixels / rate;
  constexpr double kSlack = 1e-9;
  out.value =
      std::floor(per_card * slice + kSlack) * std::max(1.0, std::floor(machine.accelerators_per_node)) * machine.nodes;
  out.unit = "streams";
}

}  // namespace

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
  SpeedEstimate out = speed_by_class(query, details, workload, machine, calibration);
  if (!out.value && !video.app) set_streams(video, machine, calibration, out);
  return out;
}

}  // namespace gpuadvise
