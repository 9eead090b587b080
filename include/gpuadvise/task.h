// Task presets: what each kind of work assumes when the profile does not say.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gpuadvise/profile.h"

namespace gpuadvise {

// The family of formulas that a task is estimated with.
enum class TaskKind : std::uint8_t {
  llm_training,
  llm_serving,
  media_training,   // vision, diffusion, speech, recommenders: samples
  media_inference,  // vision, diffusion, speech, embeddings: samples
  rendering,
  streaming,  // cloud gaming, virtual desktops: sessions
  transcoding,
  hpc,
  interactive  // notebooks
};

// What else than tokens and whole jobs a cost is told for.
enum class CostUnit : std::uint8_t { none, image, clip, passage, audio_hour, frame, session_hour, stream_hour };

// How a named application computes unless the profile says otherwise.
struct ApplicationPreset {
  std::span<const std::string_view> names;  // any of them in hpc.app, case ignored
  Precision precision = Precision::fp64;
  Bound bound = Bound::mixed;
};

struct TaskPreset {
  std::string_view id;  // llm-finetune
  std::string_view title_en;
  std::string_view title_zh;
  TaskKind kind;
  std::string_view default_model;        // for tasks that can assume one; empty: the user must say
  std::string_view reference_card;       // accelerator id that SpeedEstimate::relative compares with; empty: none
  std::optional<double> patience_hours;  // longer than this, and more machines are considered; unknown: never
  CostUnit cost_unit = CostUnit::none;
  Profile defaults;
  std::span<const ApplicationPreset> applications;  // of HPC; the first that fits counts
};

}  // namespace gpuadvise
