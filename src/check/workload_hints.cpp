#include <algorithm>
#include <array>

#include "base/text.h"
#include "check/workload_hints.h"
#include "workload/model_lookup.h"

namespace gpuadvise::check {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool has_word(const Words& words, std::string_view part) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return contains(word, part); });
}

bool has_image(const PlannedMachine& machine, std::string_view part) {
  return std::any_of(machine.containers.begin(), machine.containers.end(),
                     [&](const Container& c) { return contains(base::lower(c.image), part); });
}

// "llama-13b-chat" -> 13e9: a number before a "b", both standing by themselves.
std::optional<double> size_in(std::string_view name) {
  constexpr double kLeast = 1e8;
  constexpr double kMost = 5e12;
  const std::string text = base::lower(name);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = digit(text[i]) && (i == 0 || text[i - 1] == '-' || text[i - 1] == '_');
    if (!starts) continue;
    std::size_t end = i;
    while (end < text.size() && (digit(text[end]) || text[end] == '.')) ++end;
    const bool ends = end < text.size() && text[end] == 'b' &&
                      (end + 1 == text.size() || text[end + 1] == '-' || text[end + 1] == '_');
    if (!ends) continue;
    const auto params = base::parse_count(text.substr(i, end + 1 - i));
    if (params && *params >= kLeast && *params < kMost) return params;
  }
  return std::nullopt;
}

// The stage that the name of a DeepSpeed configuration gives: "ds_z3.json", "zero2", "stage_1".
std::optional<int> zero_stage_in(std::string_view config) {
  const std::string word = base::lower(config);
  for (const int stage : {1, 2, 3}) {
    const std::string digits = std::to_string(stage);
    for (const std::string_view lead : {"z", "zero", "stage", "zero_", "zero-", "stage_", "stage-"}) {
      if (contains(word, std::string(lead) + digits)) return stage;
    }
  }
  return std::nullopt;
}

}  // namespace

const ModelNames::Answer& ModelNames::find(const std::string& name) {
  const auto found = known_.find(name);
  return found != known_.end() ? found->second : known_.emplace(name, look_up(name)).first->second;
}

ModelNames::Answer ModelNames::look_up(std::string_view name) const {
  constexpr std::size_t kLongest = 256;
  if (name.empty() || name.size() > kLongest) return {};
  while (name.ends_with("/")) name.remove_suffix(1);
  const auto slash = name.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
  for (const auto candidate : {name, last}) {
    if (const Model* model = find_model(catalog_, candidate).model; model != nullptr) return {model, std::nullopt};
    if (candidate.size() == last.size()) break;
  }
  return {nullptr, size_in(last)};
}

std::string WorkloadHints::model_name(const Words& words, const CommandLine& line,
                                      const PlannedMachine& machine) const {
  if (const auto* value = line.text("model"); value != nullptr && !value->empty()) return *value;
  // "vllm serve MODEL", "lmdeploy serve api_server MODEL", "ollama run MODEL"
  const auto verbs = vocabulary_.about("model_verb");
  const auto is_verb = [&](std::string_view word) {
    return std::any_of(verbs.begin(), verbs.end(), [&](const PlanWord* verb) { return verb->means == word; });
  };
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& next = words[i + 1];
    const bool behind_verb = std::any_of(verbs.begin(), verbs.end(), [&](const PlanWord* verb) {
      return words[i] == verb->means && contains(words[i - 1], verb->word);
    });
    if (behind_verb && !next.empty() && next[0] != '-' && next != ";" && !is_verb(next)) return next;
  }
  for (const auto& container : machine.containers) {
    // Images whose entry point takes the model as its first argument.
    const bool bare =
        !container.words.empty() && contains(container.words.front(), "/") && container.words.front()[0] != '-';
    if (bare && container.words.front()[0] != '/' &&
        !vocabulary_.meaning_within("model_image", base::lower(container.image)).empty()) {
      return container.words.front();
    }
    for (const PlanWord* key : vocabulary_.about("variable")) {
      if (key->means != "model") continue;
      if (const auto value = value_of(container.env, key->word); !value.empty()) return std::string(value);
    }
  }
  for (const auto key : {"gpuadvise/model", "gpuadvise:model", "model"}) {
    if (const auto value = value_of(machine.labels, key); !value.empty()) return std::string(value);
  }
  return {};
}

std::optional<Profile> WorkloadHints::profile(const Words& words, const PlannedMachine& machine, Use use,
                                              const std::string& model) {
  Profile profile;
  const ModelNames::Answer& known = models_.find(model);
  if (known.model != nullptr) {
    profile.model.name = known.model->id;
  } else if (known.params) {
    profile.model.params = *known.params;
  } else {
    return std::nullopt;
  }
  const CommandLine line(words, flags_);
  if (use == Use::serving) {
    serving(profile, words, line, machine, model);
  } else if (use == Use::training) {
    training(profile, words, line);
  } else {
    return std::nullopt;
  }
  return profile;
}

void WorkloadHints::serving(Profile& profile, const Words& words, const CommandLine& line,
                            const PlannedMachine& machine, std::string_view model) const {
  profile.task = "llm-inference";
  auto& inference = profile.inference;
  if (const auto tensor = line.count("tensor")) profile.parallelism.tensor = *tensor;
  if (const auto pipeline = line.count("pipeline")) profile.parallelism.pipeline = *pipeline;
  if (const auto context = line.count("context")) inference.max_context = *context;
  if (const auto sequences = line.number("concurrency"); sequences && *sequences >= 1)
    inference.concurrency = *sequences;
  if (const auto share = line.number("memory_share"); share && *share > 0 && *share <= 1) {
    inference.gpu_memory_utilization = *share;
  }
  std::string_view weights;
  if (const auto* quantization = line.text("quantization"); quantization != nullptr) {
    weights = vocabulary_.meaning_within("quantized_weights", base::lower(*quantization));
  } else if (const auto* type = line.text("weights"); type != nullptr) {
    weights = vocabulary_.meaning("weights", *type);
  }
  if (weights.empty()) weights = vocabulary_.meaning_within("weights_in_name", base::lower(model));
  if (!weights.empty()) inference.weights = weights;
  for (const PlanWord* engine : vocabulary_.about("engine")) {
    if (has_word(words, engine->word) || has_image(machine, engine->word)) inference.engine = engine->means;
  }
}

void WorkloadHints::training(Profile& profile, const Words& words, const CommandLine& line) const {
  auto& spec = profile.training;
  const auto* method = line.text("method");
  const bool four_bit = line.yes("four_bit") || line.number("base_bits") == 4.0;
  const bool adapters =
      (method != nullptr && contains(*method, "lora")) || line.text("lora_rank") != nullptr || line.yes("adapters");
  profile.task = has_word(words, "pretrain") ? "llm-pretrain" : "llm-finetune";
  if (four_bit) {
    spec.method = Method::qlora;
  } else if (adapters) {
    spec.method = Method::lora;
  } else if (method != nullptr && *method == "full") {
    spec.method = Method::full;
  }
  if (const auto rank = line.count("lora_rank")) spec.lora_rank = *rank;
  if (const auto length = line.count("sequence")) spec.sequence_length = *length;
  if (const auto batch = line.count("micro_batch")) spec.micro_batch = *batch;
  if (const auto batch = line.count("global_batch")) spec.global_batch = *batch;
  if (line.yes("bf16")) spec.precision = Precision::bf16;
  if (line.yes("fp16")) spec.precision = Precision::fp16;
  if (const auto* mixed = line.text("precision"); mixed != nullptr) {
    const std::string_view precision = vocabulary_.meaning("weights", *mixed);
    if (precision == "bf16") spec.precision = Precision::bf16;
    if (precision == "fp16") spec.precision = Precision::fp16;
  }
  if (line.yes("checkpointing")) spec.activation_checkpointing = Checkpointing::full;
  if (const auto* config = line.text("zero_config"); config != nullptr) {
    if (const auto stage = zero_stage_in(*config)) profile.parallelism.zero_stage = *stage;
  }
}

}  // namespace gpuadvise::check
