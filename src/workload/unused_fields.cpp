#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>

#include "base/fields.h"
#include "workload/profile_fields.h"
#include "workload/unused_fields.h"

namespace gpuadvise {

namespace {

constexpr std::uint32_t bit(TaskKind kind) { return 1U << static_cast<unsigned>(kind); }

constexpr std::uint32_t kLlmTraining = bit(TaskKind::llm_training);
constexpr std::uint32_t kMediaTraining = bit(TaskKind::media_training);
constexpr std::uint32_t kMediaInference = bit(TaskKind::media_inference);
constexpr std::uint32_t kRendering = bit(TaskKind::rendering);
constexpr std::uint32_t kStreaming = bit(TaskKind::streaming);
constexpr std::uint32_t kTranscoding = bit(TaskKind::transcoding);
constexpr std::uint32_t kHpc = bit(TaskKind::hpc);
constexpr std::uint32_t kTraining = kLlmTraining | kMediaTraining;
constexpr std::uint32_t kTokens = bit(TaskKind::llm_serving) | bit(TaskKind::interactive);
constexpr std::uint32_t kServing = kTokens | kMediaInference;
constexpr std::uint32_t kModels = kTraining | kServing;
constexpr std::uint32_t kAll = kModels | kRendering | kStreaming | kTranscoding | kHpc;

struct Row {
  std::string_view field;  // or a section, with its dot, for the fields that have no row of their own
  std::uint32_t kinds;
};

// A field before its section. What a rule looks at counts as read.
constexpr auto kRows = std::to_array<Row>({
    {"schema_version", kAll},
    {"id", kAll},
    {"task", kAll},
    {"hardware.", kAll},
    {"software.", kAll},
    {"constraints.", kAll},
    {"model.", kModels},
    {"training.lora_targets", kLlmTraining},
    {"training.fused_loss", kLlmTraining},
    {"training.compile", kLlmTraining},
    {"training.optimizer_state_precision", kLlmTraining},
    {"training.gradient_precision", kLlmTraining},
    {"training.resolution", kMediaTraining},
    {"training.frames", kMediaTraining},
    {"training.", kTraining},
    {"inference.concurrency", kServing | kStreaming | kTranscoding},
    {"inference.resolution", kMediaInference},
    {"inference.frames", kMediaInference},
    {"inference.steps", kMediaInference},
    {"inference.audio_seconds", kMediaInference},
    {"inference.prefix_cache_hit_rate", kTokens},
    {"inference.speculative_acceptance", kTokens},
    {"inference.slo.", kTokens},
    {"inference.", kServing},
    {"parallelism.virtual_pipeline", kTraining},
    {"parallelism.sequence_parallel", kTraining},
    {"parallelism.zero_stage", kTraining},
    {"parallelism.", kModels},
    {"data.dataset_tokens", kLlmTraining},
    {"data.dataset_samples", kTraining},
    {"data.samples_per_vcpu", kMediaTraining},
    {"data.storage_mb_per_s", kMediaTraining},
    {"data.epochs", kTraining},
    {"data.dataset_gib", kAll},
    {"operations.runs", kTraining | kHpc},
    {"operations.", kAll},
    {"hpc.", kHpc},
    {"rendering.kind", kRendering | kStreaming},
    {"rendering.scene", kRendering | kStreaming},
    {"rendering.resolution", kRendering | kStreaming},
    {"rendering.", kRendering},
    {"transcoding.", kTranscoding},
});

// Fields of two tasks that go by nearly one name.
struct Pair {
  std::string_view field;
  std::string_view instead;
};
constexpr auto kPairs = std::to_array<Pair>({
    {"inference.frames", "rendering.frames"},
    {"inference.frames", "training.frames"},
    {"training.frames", "inference.frames"},
    {"rendering.frames", "inference.frames"},
    {"inference.resolution", "rendering.resolution"},
    {"inference.resolution", "transcoding.resolution"},
    {"inference.resolution", "training.resolution"},
    {"training.resolution", "inference.resolution"},
    {"inference.requests_per_second", "inference.concurrency"},
    {"hpc.app", "rendering.app"},
    {"rendering.app", "hpc.app"},
    {"hpc.hours_per_run", "rendering.minutes_per_frame"},
    {"rendering.minutes_per_frame", "hpc.hours_per_run"},
    {"operations.runs", "rendering.frames"},
    {"training.precision", "inference.weights"},
    {"training.precision", "hpc.precision"},
    {"inference.weights", "training.precision"},
    {"training.framework", "inference.engine"},
    {"inference.engine", "training.framework"},
    {"training.sequence_length", "inference.input_tokens"},
    {"inference.max_context", "training.sequence_length"},
    {"data.dataset_tokens", "data.dataset_samples"},
    {"data.dataset_samples", "data.dataset_tokens"},
});

// Visits every field of a profile: its path, and whether it is set.
template <class Call>
struct Walk {
  const Call& call;
  std::string path;

  template <class T>
  void operator()(std::string_view key, const T& value, base::Need = base::Need::optional, std::string_view = {}) {
    const std::string at = path + std::string(key);
    if constexpr (base::is_optional<T>::value) {
      if constexpr (std::same_as<typename T::value_type, Slo>) {
        inside(at, value.value_or(Slo()));
      } else {
        call(at, value.has_value());
      }
    } else {
      inside(at, value);
    }
  }

  template <class T>
  void inside(const std::string& at, const T& value) {
    Walk below{call, at + "."};
    fields(below, value);
  }
};

template <class Call>
void walk(const Profile& profile, const Call& call) {
  Walk<Call> visitor{call, {}};
  fields(visitor, profile);
}

}  // namespace

bool reads(TaskKind kind, std::string_view field) {
  for (const Row& row : kRows) {
    const bool section = row.field.ends_with(".");
    if (section ? field.starts_with(row.field) : field == row.field) return (row.kinds & bit(kind)) != 0;
  }
  return false;
}

std::vector<std::string> profile_fields() {
  std::vector<std::string> out;
  walk(Profile(), [&](const std::string& field, bool) { out.push_back(field); });
  return out;
}

std::vector<std::string> unused_fields(const Workload& workload) {
  std::vector<std::string> out;
  walk(workload.profile, [&](const std::string& field, bool set) {
    if (!set || reads(workload.kind, field)) return;
    const bool assumed = std::any_of(workload.assumptions.begin(), workload.assumptions.end(),
                                     [&](const Assumption& a) { return a.field == field; });
    if (!assumed) out.push_back(field);
  });
  return out;
}

std::string_view used_instead(TaskKind kind, std::string_view field) {
  if (reads(kind, field)) return {};
  for (const Pair& pair : kPairs) {
    if (pair.field == field && reads(kind, pair.instead)) return pair.instead;
  }
  return {};
}

}  // namespace gpuadvise
