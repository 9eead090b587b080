#include <array>
#include <fmt/format.h>

#include "gpuadvise/advise.h"
#include "gpuadvise/error.h"

#include "base/node.h"
#include "base/text.h"
#include "cli/complaint.h"
#include "cli/profile_flags.h"
#include "workload/hf_profile.h"
#include "workload/profile.h"
#include "workload/unused_fields.h"

namespace gpuadvise::cli {

namespace {

struct FlagEntry {
  const char* flag;
  const char* section;  // of the profile; empty: the top
  const char* key;
  bool list = false;
  const char* inner = nullptr;  // for keys one level deeper
};

// Help texts are the messages "flag/KEY-OF-THE-FLAG"; the rest of a flag's meaning is its profile key.
constexpr std::array kFlags = std::to_array<FlagEntry>({
    {"--task", "", "task"},
    {"--id", "", "id"},
    {"--model", "model", "name"},
    {"--params", "model", "params"},
    {"--active-params", "model", "active_params"},
    {"--method", "training", "method"},
    {"--lora-rank", "training", "lora_rank"},
    {"--lora-targets", "training", "lora_targets", true},
    {"--base-weights", "training", "base_weights"},
    {"--precision", "training", "precision"},
    {"--master-weights", "training", "master_weights"},
    {"--optimizer", "training", "optimizer"},
    {"--sequence-length", "training", "sequence_length"},
    {"--micro-batch", "training", "micro_batch"},
    {"--global-batch", "training", "global_batch"},
    {"--activation-checkpointing", "training", "activation_checkpointing"},
    {"--flash-attention", "training", "flash_attention"},
    {"--offload", "training", "offload"},
    {"--fused-loss", "training", "fused_loss"},
    {"--compile", "training", "compile"},
    {"--framework", "training", "framework"},
    {"--weights", "inference", "weights"},
    {"--kv-cache", "inference", "kv_cache"},
    {"--engine", "inference", "engine"},
    {"--input-tokens", "inference", "input_tokens"},
    {"--output-tokens", "inference", "output_tokens"},
    {"--concurrency", "inference", "concurrency"},
    {"--requests-per-second", "inference", "requests_per_second"},
    {"--off-peak-requests-per-second", "inference", "off_peak_requests_per_second"},
    {"--mode", "inference", "mode"},
    {"--max-context", "inference", "max_context"},
    {"--gpu-memory-utilization", "inference", "gpu_memory_utilization"},
    {"--beam-width", "inference", "beam_width"},
    {"--resolution", "inference", "resolution"},
    {"--frames", "inference", "frames"},
    {"--steps", "inference", "steps"},
    {"--audio-seconds", "inference", "audio_seconds"},
    {"--prefix-cache-hit-rate", "inference", "prefix_cache_hit_rate"},
    {"--speculative-acceptance", "inference", "speculative_acceptance"},
    {"--ttft-ms", "inference", "slo", false, "ttft_ms"},
    {"--tpot-ms", "inference", "slo", false, "tpot_ms"},
    {"--tensor", "parallelism", "tensor"},
    {"--pipeline", "parallelism", "pipeline"},
    {"--virtual-pipeline", "parallelism", "virtual_pipeline"},
    {"--data-parallel", "parallelism", "data"},
    {"--expert", "parallelism", "expert"},
    {"--context-parallel", "parallelism", "context"},
    {"--sequence-parallel", "parallelism", "sequence_parallel"},
    {"--zero-stage", "parallelism", "zero_stage"},
    {"--nodes", "hardware", "nodes"},
    {"--accelerators-per-node", "hardware", "accelerators_per_node"},
    {"--interconnect", "hardware", "interconnect"},
    {"--inter-node-gbps", "hardware", "inter_node_gbps"},
    {"--cuda", "software", "cuda"},
    {"--driver", "software", "driver"},
    {"--cudnn", "software", "cudnn"},
    {"--nccl", "software", "nccl"},
    {"--tokens", "data", "dataset_tokens"},
    {"--dataset-samples", "data", "dataset_samples"},
    {"--epochs", "data", "epochs"},
    {"--dataset-gib", "data", "dataset_gib"},
    {"--samples-per-vcpu", "data", "samples_per_vcpu"},
    {"--storage-mb-per-s", "data", "storage_mb_per_s"},
    {"--environment", "operations", "environment"},
    {"--interruptible", "operations", "interruptible"},
    {"--checkpointing", "operations", "checkpointing"},
    {"--charge-type", "operations", "charge_type"},
    {"--hours-per-month", "operations", "hours_per_month"},
    {"--runs", "operations", "runs"},
    {"--vendor", "constraints", "vendors", true},
    {"--region", "constraints", "regions", true},
    {"--accelerator", "constraints", "accelerators", true},
    {"--family", "constraints", "families", true},
    {"--instance", "constraints", "instance_types", true},
    {"--max-nodes", "constraints", "max_nodes"},
    {"--budget-per-hour", "constraints", "budget_per_hour"},
    {"--budget-total", "constraints", "budget_total"},
    {"--currency", "constraints", "currency"},
    {"--deadline-hours", "constraints", "deadline_hours"},
    {"--export-unrestricted", "constraints", "export_unrestricted"},
    {"--not-vendor", "constraints", "not_vendors", true},
    {"--not-accelerator", "constraints", "not_accelerators", true},
    {"--cuda-only", "constraints", "cuda_only"},
    {"--domestic-only", "constraints", "domestic_only"},
    {"--min-headroom", "constraints", "min_headroom"},
    {"--app", "hpc", "app"},
    {"--case", "hpc", "case"},
    {"--hpc-precision", "hpc", "precision"},
    {"--bound", "hpc", "bound"},
    {"--arithmetic-intensity", "hpc", "arithmetic_intensity"},
    {"--hours-per-run", "hpc", "hours_per_run"},
    {"--renderer", "rendering", "app"},
    {"--scene", "rendering", "scene"},
    {"--frames-to-render", "rendering", "frames"},
    {"--minutes-per-frame", "rendering", "minutes_per_frame"},
    {"--problem-gib", "hpc", "memory_gib"},
    {"--scene-gib", "rendering", "scene_gib"},
    {"--codec", "transcoding", "codec"},
    {"--preset", "transcoding", "preset"},
    {"--frame-rate", "transcoding", "frame_rate"},
});

base::Node map_of(std::string key, base::Node value) {
  base::Node map;
  map.kind = base::Node::Kind::map;
  map.members.push_back({std::move(key), 0, 0, std::move(value)});
  return map;
}

base::Node value_node(const FlagEntry& entry, const std::vector<std::string>& values) {
  if (!entry.list) return base::scalar_node(values.back());
  base::Node list;
  list.kind = base::Node::Kind::list;
  for (const auto& value : values) {
    for (const auto part : base::split(value, ',')) {
      base::Node item = base::scalar_node(base::trim(part));
      if (item.text.empty()) throw InputError(Place{entry.flag}, "an empty name in the list");
      item.kind = base::Node::Kind::string;
      list.items.push_back(std::move(item));
    }
  }
  return list;
}

}  // namespace

bool ProfileFlags::occurs(std::string_view flag, std::span<const std::string> arguments) {
  for (const auto& argument : arguments) {
    if (argument == "-h" || argument == "--help") return true;
    if (argument.starts_with(flag) && (argument.size() == flag.size() || argument[flag.size()] == '=')) return true;
  }
  return false;
}

std::vector<std::string> ProfileFlags::names() {
  std::vector<std::string> out;
  out.reserve(std::size(kFlags));
  for (const auto& entry : kFlags) out.emplace_back(entry.flag);
  return out;
}

void ProfileFlags::add(CLI::App& app, const base::Texts& texts, std::span<const std::string> arguments) {
  for (const auto& entry : kFlags) {
    if (!occurs(entry.flag, arguments)) continue;
    const std::string id = fmt::format("flag/{}", entry.flag + 2);
    std::string help = texts.has(id) ? texts(id) : std::string();
    const std::string path = fmt::format("{}{}{}{}", entry.section, *entry.section != '\0' ? "." : "", entry.key,
                                         entry.inner != nullptr ? fmt::format(".{}", entry.inner) : "");
    if (help.empty()) help = texts("flag/profile-key", {{"key", path}});
    app.add_option(entry.flag, values_[entry.flag], help)
        ->expected(1)
        ->multi_option_policy(entry.list ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::Throw)
        ->group(entry.list ? texts("flag/group-limits") : texts("flag/group-workload"));
  }
  app.add_option("--profile", profile_path_, texts("flag/profile"));
  app.add_option("--model-config", model_config_path_, texts("flag/model-config"));
  app.add_option("--weight-file", weight_file_, texts("flag/weight-file"));
}

Profile ProfileFlags::read(Context& context) {
  const Catalog& catalog = context.knowledge().catalog;
  Profile profile;
  std::vector<Assumption> ignored;
  for (const auto& entry : kFlags) {
    const auto found = values_.find(entry.flag);
    if (found == values_.end() || found->second.empty()) continue;
    for (const auto& value : found->second) {
      if (base::invalid_utf8_at(value)) throw InputError(Place{entry.flag}, "is not valid UTF-8");
      if (base::trim(value).empty()) throw InputError(Place{entry.flag}, "has an empty value");
    }
    base::Node value = value_node(entry, found->second);
    if (entry.inner != nullptr) value = map_of(entry.inner, std::move(value));
    value = map_of(entry.key, std::move(value));
    if (*entry.section != '\0') value = map_of(entry.section, std::move(value));
    fill_in(profile, read_profile(value, arena_, entry.flag), Assumption::Origin::inferred, ignored);
  }
  std::vector<ConfigWarning> warnings;
  if (!model_config_path_.empty()) {
    const auto node = base::parse_json(base::read_bytes(model_config_path_), model_config_path_);
    const HfConfig config = read_hf_config(node, model_config_path_, catalog);
    warnings.insert(warnings.end(), config.warnings.begin(), config.warnings.end());
    apply_config(profile, config, arena_);
  }
  if (!weight_file_.empty()) {
    const WeightsFile weights = read_weights_file(weight_file_);
    warnings.insert(warnings.end(), weights.warnings.begin(), weights.warnings.end());
    apply_weights(profile, weights, arena_);
  }
  if (!profile_path_.empty()) {
    profile_node_ = base::parse_document(base::read_bytes(profile_path_), profile_path_);
    fill_in(profile, read_profile(profile_node_, arena_, profile_path_, catalog, warnings),
            Assumption::Origin::inferred, ignored);
  }
  for (const auto& warning : warnings) {
    context.err << "gpuadvise: " << in_language(InputError(warning.place, warning.text), context.lang) << '\n';
  }
  return profile;
}

void ProfileFlags::warn_unmeasured(const Profile& profile, Context& context) {
  for (const auto& word : unmeasured_words(profile, context.knowledge().calibration)) {
    std::string near;
    for (const auto name : word.nearest) near += (near.empty() ? "" : ", ") + std::string(name);
    context.err << "gpuadvise: "
                << context.texts()("cli/unmeasured",
                                   {{"field", word.field}, {"word", base::printable(word.word)}, {"nearest", near}})
                << '\n';
  }
}

namespace {

std::string path_of(const FlagEntry& entry) {
  std::string path = entry.key;
  if (*entry.section != '\0') path = fmt::format("{}.{}", entry.section, entry.key);
  if (entry.inner != nullptr) path += std::string(".") + entry.inner;
  return path;
}

// "rendering.frames (--frames-to-render)"; the path alone where no flag sets it.
std::string with_flag(std::string_view field) {
  for (const auto& entry : kFlags) {
    if (path_of(entry) == field) return fmt::format("{} ({})", field, entry.flag);
  }
  return std::string(field);
}

}  // namespace

void ProfileFlags::warn_unused(const Workload& workload, std::ostream& out, const base::Texts& texts) {
  std::string unused;
  for (const auto& field : unused_fields(workload)) {
    if (!unused.empty()) unused += texts("screen/comma");
    unused += with_flag(field);
    const std::string_view instead = used_instead(workload.kind, field);
    if (!instead.empty()) unused += texts("cli/used-instead", {{"field", with_flag(instead)}});
  }
  if (unused.empty()) return;
  out << "! " << texts("cli/unused", {{"task", std::string(workload.task->id)}, {"fields", unused}}) << '\n';
}

std::string_view key_of_message(std::string_view message) {
  const auto colon = message.find(": ");
  if (colon == std::string_view::npos) return {};
  const std::string_view key = message.substr(0, colon);
  return key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.") == std::string_view::npos ? key : std::string_view();
}

Place place_of(const base::Node& profile, std::string_view key, const std::string& file) {
  const base::Node* at = &profile;
  Place place{file, profile.line, profile.column};
  for (const auto part : base::split(key, '.')) {
    at = at->find(part);
    if (at == nullptr) break;
    place.line = at->line;
    place.column = at->column;
  }
  return place;
}

InputError ProfileFlags::placed(const InputError& error) const {
  if (!error.place().file.empty()) return error;
  const std::string_view key = key_of_message(error.message());
  if (key.empty()) return error;
  // `estimate` takes its hardware from the flags that name what `recommend` searches.
  const std::string_view also = key == "hardware.accelerator"     ? "constraints.accelerators"
                                : key == "hardware.instance_type" ? "constraints.instance_types"
                                                                  : "";
  for (const auto& entry : kFlags) {
    const auto found = values_.find(entry.flag);
    if (found == values_.end() || found->second.empty()) continue;
    const std::string path = path_of(entry);
    if (path == key || path == also) return {Place{entry.flag}, error.message()};
  }
  if (profile_path_.empty()) return error;
  return {place_of(profile_node_, key, profile_path_), error.message()};
}

}  // namespace gpuadvise::cli
