// Speed of everything but language models: classic_ai.jsonl, the vision and recommender rows of throughput_train.jsonl,
// hpc.jsonl and rendering.jsonl.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "workload.h"
#include "workload/profile_fields.h"

namespace gpuadvise::accuracy {

namespace {

std::string text(const std::optional<std::string_view>& value) { return std::string(value.value_or("")); }

std::string number(const std::optional<int>& value) { return value ? fmt::format("{}", *value) : ""; }

template <class E>
std::string word(const std::optional<E>& value) {
  return value ? std::string(names(*value)[static_cast<std::size_t>(*value)]) : std::string();
}

// Units in which less is faster.
bool lower_is_better(std::string_view unit) {
  constexpr std::array<std::string_view, 5> kTimes{"s", "ms", "us", "min", "h"};
  return std::find(kTimes.begin(), kTimes.end(), unit) != kTimes.end();
}

std::string machine_of(const Row& row) {
  const HardwareSpec& h = row.profile.hardware;
  return fmt::format("{} x {} x {}", text(h.accelerator), h.accelerators_per_node.value_or(1), h.nodes.value_or(1));
}

// Everything of the profile but the hardware.
std::string group_of(const Row& row) {
  const Profile& p = row.profile;
  const InferenceSpec& i = p.inference;
  const TrainingSpec& t = p.training;
  std::string out = fmt::format("{}|{}|{}", row.source, text(p.task), text(p.model.name));
  out += fmt::format("|{}|{}|{}|{}|{}|{}|{}|{}|{}", text(i.weights), text(i.engine), number(i.input_tokens),
                     i.concurrency.value_or(0), word(i.mode), text(i.resolution), number(i.frames), number(i.steps),
                     i.audio_seconds.value_or(0));
  out += fmt::format("|{}|{}|{}|{}", word(t.precision), text(t.framework), number(t.micro_batch), text(t.resolution));
  out += fmt::format("|{}|{}|{}", text(p.hpc.app), text(p.hpc.case_name), word(p.hpc.precision));
  const RenderingSpec& r = p.rendering;
  out += fmt::format("|{}|{}|{}|{}|{}|{}", text(r.app), text(r.version), text(r.scene), text(r.kind),
                     text(r.resolution), number(r.samples));
  const TranscodingSpec& v = p.transcoding;
  out += fmt::format("|{}|{}|{}|{}|{}|{}", text(v.app), text(v.codec), text(v.direction), text(v.preset),
                     text(v.resolution), text(v.rate_control));
  out += fmt::format("|{}|{}", row.word("unit"), row.word("benchmark"));
  return out;
}

// Leaving the source out means that the application or model has no entry of its own.
Setup setup_for(const Row& row, const Context& context) {
  Setup setup = setup_of(row, context);
  if (context.unknown_source) {
    Profile& p = setup.workload.profile;
    if (p.hpc.app) p.hpc.app = "unlisted";
    if (p.rendering.app) p.rendering.app = "unlisted";
    if (p.model.name) p.model.name = "unlisted";
  }
  return setup;
}

void fill(const Row& row, const Context& context, std::string_view key, Sample& sample) {
  const Setup setup = setup_for(row, context);
  const bool by_value = key == "value";
  sample.measured = row.number(key);
  if (!sample.measured) return;
  sample.group = group_of(row);
  sample.machine = machine_of(row);
  sample.measured_speed = by_value && lower_is_better(row.word("unit")) ? 1 / *sample.measured : *sample.measured;
  if (setup.machine.accelerator == nullptr) {
    sample.why = "accelerator not in the catalog";
    return;
  }
  const SpeedEstimate speed = estimate_speed(setup.workload, setup.machine, setup.layout, context.calibration);
  sample.relative = speed.relative;
  sample.band_low_percent = speed.band_low_percent;
  sample.band_high_percent = speed.band_high_percent;
  if (by_value && !row.holdout) {
    sample.why = "its own figure is in the table of measured cases";
    return;
  }
  sample.predicted = by_value ? speed.value : speed.samples_per_second;
  if (!sample.predicted) sample.why = speed.why.empty() ? "no calibrated case" : std::string(speed.why);
}

void classes(const Row& row, std::string name, Sample& sample) {
  sample.classes = {{"work", std::move(name)}, {"accelerator", text(row.profile.hardware.accelerator)}};
}

void inference(const Row& row, const Context& context, Sample& sample) {
  fill(row, context, "samples_per_second", sample);
  classes(row, text(row.profile.model.name), sample);
  sample.classes.emplace_back("engine", text(row.profile.inference.engine));
}

void training(const Row& row, const Context& context, Sample& sample) {
  const auto task = text(row.profile.task);
  if (task != "cv-training" && task != "recsys-training") return;
  fill(row, context, "samples_per_second", sample);
  classes(row, text(row.profile.model.name), sample);
}

void hpc_row(const Row& row, const Context& context, Sample& sample) {
  fill(row, context, "value", sample);
  classes(row, text(row.profile.hpc.app), sample);
}

void rendering_row(const Row& row, const Context& context, Sample& sample) {
  fill(row, context, "value", sample);
  const Profile& p = row.profile;
  classes(row, p.rendering.app ? text(p.rendering.app) : text(p.transcoding.app), sample);
}

}  // namespace

extern const Study classic_ai;
extern const Study classic_training;
extern const Study hpc;
extern const Study rendering;
const Study classic_ai{"classic-ai", "classic_ai.jsonl", "Vision, encoder, speech and diffusion inference", "samples/s",
                       inference};
const Study classic_training{"classic-training", "throughput_train.jsonl", "Vision and recommender training",
                             "samples/s", training};
const Study hpc{"hpc", "hpc.jsonl", "HPC", "the unit of the case", hpc_row};
const Study rendering{"rendering", "rendering.jsonl", "Rendering and transcoding", "the unit of the case",
                      rendering_row};

}  // namespace gpuadvise::accuracy
