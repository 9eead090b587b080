#include "check/hints.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "check/readers/resource.h"
#include "check/select.h"
#include "workload/model_lookup.h"

namespace gpuadvise::check {

namespace {

using Words = std::vector<std::string>;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Values of a command line by flag; "-" and "_" are the same, "--flag=value" and "--flag value" too.
class Flags {
 public:
  explicit Flags(const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.size() < 2 || word[0] != '-') continue;
      const auto equals = word.find('=');
      const std::string name = plain(word.substr(0, equals));
      std::string value;
      if (equals != std::string::npos) {
        value = word.substr(equals + 1);
      } else if (i + 1 < words.size() && words[i + 1] != ";" && (words[i + 1][0] != '-' || words[i + 1].size() == 1)) {
        value = words[i + 1];
      }
      flags_.emplace_back(name, value);
    }
  }

  const std::string* find(std::initializer_list<std::string_view> names) const {
    for (const auto name : names) {
      for (const auto& [flag, value] : flags_) {
        if (flag == name) return &value;
      }
    }
    return nullptr;
  }
  std::optional<double> number(std::initializer_list<std::string_view> names) const {
    const std::string* value = find(names);
    if (value == nullptr) return std::nullopt;
    double out = 0;
    const auto [at, status] = std::from_chars(value->data(), value->data() + value->size(), out);
    if (status != std::errc{} || out < 0 || out > 1e9) return std::nullopt;
    if (at == value->data() + value->size()) return out;
    // "32k", "8K": context lengths are written so.
    if (at + 1 == value->data() + value->size() && (*at == 'k' || *at == 'K')) return out * (*at == 'K' ? 1024 : 1000);
    return std::nullopt;
  }
  bool yes(std::initializer_list<std::string_view> names) const {
    const std::string* value = find(names);
    return value != nullptr && base::lower(*value) != "false" && *value != "0";
  }

 private:
  static std::string plain(std::string_view flag) {
    while (!flag.empty() && flag[0] == '-') flag.remove_prefix(1);
    std::string out(flag);
    std::replace(out.begin(), out.end(), '_', '-');
    return out;
  }
  std::vector<std::pair<std::string, std::string>> flags_;
};

bool has_word(const Words& words, std::string_view part) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return contains(word, part); });
}

constexpr auto kServing = std::to_array<std::string_view>(
    {"vllm", "sglang", "text-generation-launcher", "text-generation-inference", "lmdeploy", "tritonserver", "api_server",
     "trtllm-serve", "xinference", "ollama", "mindie", "llama-server", "ktransformers", "fastchat"});
constexpr auto kTraining = std::to_array<std::string_view>(
    {"torchrun", "torch.distributed", "deepspeed", "accelerate", "llamafactory-cli train", "llamafactory", "mpirun",
     "megatron", "pretrain", "finetune", "fine_tune", "train.py", "train.sh", "sft.py", "swift sft", "msrun"});
constexpr auto kTrainingNames =
    std::to_array<std::string_view>({"train", "finetune", "fine-tune", "pretrain", "sft", "lora", "训练", "微调"});
constexpr auto kServingNames = std::to_array<std::string_view>(
    {"infer", "serving", "serve", "chat", "gateway", "-api", "api-", "llm-svc", "service", "推理", "predict"});

Use use_of_names(const PlannedMachine& machine) {
  std::string text = base::lower(machine.name) + " " + base::lower(machine.resource);
  for (const auto& [key, value] : machine.labels) {
    const std::string k = base::lower(key);
    if (contains(k, "purpose") || contains(k, "usage") || contains(k, "role") || contains(k, "workload") || k == "app" ||
        contains(k, "name") || k == "task" || k == "type") {
      text += " " + base::lower(value);
    }
  }
  for (const auto& claim : machine.claims) {
    if (claim.from == Claim::From::name) text += " " + base::lower(claim.text);
  }
  const auto any = [&](const auto& words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return contains(text, word); });
  };
  const bool training = any(kTrainingNames);
  const bool serving = any(kServingNames);
  if (training == serving) return Use::unknown;
  return training ? Use::training : Use::serving;
}

// The stack of an image by the words of its name; "plain" for an operating system and nothing else.
std::string stack_of(std::string_view image, const PlanFormats& formats) {
  const std::string text = base::lower(image);
  std::string plain;
  for (const auto& word : formats.words) {
    if (word.about != "image_stack" || !contains(text, word.word)) continue;
    if (word.means != "plain") return std::string(word.means);
    plain = word.means;
  }
  return plain;
}

std::optional<double> cuda_version(std::string_view image) {
  const std::string text = base::lower(image);
  for (auto at = text.find("cu"); at != std::string::npos; at = text.find("cu", at + 2)) {
    std::size_t start = at + 2;
    if (text.compare(at, 4, "cuda") == 0) start = at + 4;
    while (start < text.size() && (text[start] == ':' || text[start] == '-' || text[start] == ' ' || text[start] == '_')) ++start;
    std::size_t end = start;
    while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == '.')) ++end;
    const std::string number = text.substr(start, end - start);
    if (number.size() == 3 && !contains(number, ".")) {  // cu121
      return (number[0] - '0') * 10 + (number[1] - '0') + (number[2] - '0') / 10.0;
    }
    double value = 0;
    const auto [p, status] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (status == std::errc{} && value >= 8 && value < 20) return value;
  }
  return std::nullopt;
}

class WorkloadReader {
 public:
  WorkloadReader(const Words& words, const PlannedMachine& machine, const Catalog& catalog, base::Arena& arena)
      : words_(words), flags_(words), machine_(machine), catalog_(catalog), arena_(arena) {}

  void read(Hints& hints) {
    Profile profile;
    const std::string model = model_name();
    hints.model = model;
    if (!set_model(profile, model)) return;
    if (hints.use == Use::serving) {
      serving(profile);
    } else if (hints.use == Use::training) {
      training(profile);
    } else {
      return;
    }
    hints.profile = profile;
  }

 private:
  std::string_view keep(std::string_view text) { return arena_.copy(text); }

  std::string model_name() const {
    if (const auto* value = flags_.find({"model", "model-path", "model-id", "model-name-or-path", "model-name",
                                         "pretrained-model-name-or-path", "base-model", "model-dir"});
        value != nullptr && !value->empty()) {
      return *value;
    }
    // "vllm serve MODEL", "lmdeploy serve api_server MODEL", "ollama run MODEL"
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      const bool verb = words_[i] == "serve" || words_[i] == "api_server" || words_[i] == "run";
      const bool tool = i > 0 && (contains(words_[i - 1], "vllm") || contains(words_[i - 1], "lmdeploy") ||
                                  contains(words_[i - 1], "ollama") || words_[i - 1] == "serve");
      if (verb && tool && words_[i + 1] != "api_server" && words_[i + 1][0] != '-') return words_[i + 1];
    }
    constexpr auto kKeys = std::to_array<std::string_view>(
        {"MODEL", "MODEL_NAME", "MODEL_ID", "MODEL_PATH", "HF_MODEL_ID", "VLLM_MODEL", "HF_MODEL", "BASE_MODEL",
         "MODEL_NAME_OR_PATH", "STORAGE_URI", "SERVED_MODEL_NAME"});
    for (const auto& container : machine_.containers) {
      for (const auto key : kKeys) {
        if (const auto value = value_of(container.env, key); !value.empty()) return std::string(value);
      }
    }
    for (const auto key : {"gpuadvise/model", "gpuadvise:model", "model"}) {
      if (const auto value = value_of(machine_.labels, key); !value.empty()) return std::string(value);
    }
    return {};
  }

  // The library's entry, or a size written in the name ("...-13b-...").
  bool set_model(Profile& profile, std::string_view name) {
    if (name.empty() || name.size() > 256) return false;
    while (name.ends_with("/")) name.remove_suffix(1);
    const auto slash = name.rfind('/');
    const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
    for (const auto candidate : {name, last}) {
      if (const Model* model = find_model(catalog_, candidate).model; model != nullptr) {
        profile.model.name = model->id;
        return true;
      }
    }
    const std::string text = base::lower(last);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool starts = text[i] >= '0' && text[i] <= '9' && (i == 0 || text[i - 1] == '-' || text[i - 1] == '_');
      if (!starts) continue;
      std::size_t end = i;
      while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == '.')) ++end;
      const bool ends = end < text.size() && text[end] == 'b' && (end + 1 == text.size() || text[end + 1] == '-' || text[end + 1] == '_');
      if (!ends) continue;
      const auto params = base::parse_count(text.substr(i, end + 1 - i));
      if (params && *params >= 1e8 && *params < 5e12) {
        profile.model.params = *params;
        return true;
      }
    }
    return false;
  }

  void serving(Profile& profile) {
    profile.task = "llm-inference";
    auto& inference = profile.inference;
    const auto whole = [](std::optional<double> value) -> std::optional<int> {
      return value && *value >= 1 && *value <= 1e7 ? std::optional(static_cast<int>(*value)) : std::nullopt;
    };
    if (const auto tensor = whole(flags_.number({"tensor-parallel-size", "tp", "tp-size", "num-shard", "tensor-parallel"}))) {
      profile.parallelism.tensor = *tensor;
    } else if (const auto short_tp = whole(flags_.number({"tp"}))) {
      profile.parallelism.tensor = *short_tp;
    }
    if (const auto pipeline = whole(flags_.number({"pipeline-parallel-size", "pp", "pp-size"}))) {
      profile.parallelism.pipeline = *pipeline;
    }
    if (const auto context = whole(flags_.number({"max-model-len", "context-length", "max-total-tokens", "session-len"}))) {
      inference.max_context = *context;
    }
    if (const auto sequences = flags_.number({"max-num-seqs", "max-running-requests", "max-batch-size"}); sequences && *sequences >= 1) {
      inference.concurrency = *sequences;
    }
    if (const auto share = flags_.number({"gpu-memory-utilization", "mem-fraction-static"}); share && *share > 0 && *share <= 1) {
      inference.gpu_memory_utilization = *share;
    }
    if (const auto* quantization = flags_.find({"quantization", "quantize", "q"}); quantization != nullptr) {
      const std::string word = base::lower(*quantization);
      if (contains(word, "awq")) inference.weights = "awq-int4";
      else if (contains(word, "gptq")) inference.weights = "gptq-int4";
      else if (contains(word, "fp8")) inference.weights = "fp8";
      else if (contains(word, "int8") || contains(word, "w8a8")) inference.weights = "int8";
      else if (contains(word, "bitsandbytes") || contains(word, "nf4")) inference.weights = "nf4";
    } else if (const auto* type = flags_.find({"dtype", "data-type"}); type != nullptr) {
      const std::string word = base::lower(*type);
      if (word == "half" || word == "float16" || word == "fp16") inference.weights = "fp16";
      if (word == "bfloat16" || word == "bf16") inference.weights = "bf16";
      if (word == "float32" || word == "float") inference.weights = "fp32";
    }
    const std::string name = base::lower(model_name());
    if (!inference.weights) {
      if (contains(name, "awq")) inference.weights = "awq-int4";
      if (contains(name, "gptq-int4")) inference.weights = "gptq-int4";
      if (contains(name, "-fp8")) inference.weights = "fp8";
    }
    if (has_word(words_, "vllm") || has_image("vllm")) inference.engine = "vllm";
    if (has_word(words_, "sglang") || has_image("sglang")) inference.engine = "sglang";
    if (has_word(words_, "lmdeploy") || has_image("lmdeploy")) inference.engine = "lmdeploy";
  }

  bool has_image(std::string_view part) const {
    return std::any_of(machine_.containers.begin(), machine_.containers.end(),
                       [&](const Container& c) { return contains(base::lower(c.image), part); });
  }

  void training(Profile& profile) {
    auto& spec = profile.training;
    const auto* method = flags_.find({"finetuning-type", "train-type", "tuner-type"});
    const bool four_bit = flags_.yes({"load-in-4bit", "use-4bit"}) || flags_.number({"quantization-bit", "quant-bits"}) == 4.0;
    const bool adapters = (method != nullptr && contains(*method, "lora")) || flags_.find({"lora-rank", "lora-r", "lora-alpha"}) != nullptr ||
                          flags_.yes({"use-lora", "use-peft"});
    profile.task = has_word(words_, "pretrain") ? "llm-pretrain" : "llm-finetune";
    if (four_bit) {
      spec.method = Method::qlora;
    } else if (adapters) {
      spec.method = Method::lora;
    } else if (method != nullptr && *method == "full") {
      spec.method = Method::full;
    }
    const auto whole = [&](std::initializer_list<std::string_view> names) -> std::optional<int> {
      const auto value = flags_.number(names);
      return value && *value >= 1 && *value <= 1e7 ? std::optional(static_cast<int>(*value)) : std::nullopt;
    };
    if (const auto rank = whole({"lora-rank", "lora-r"})) spec.lora_rank = *rank;
    if (const auto length = whole({"max-seq-length", "max-seq-len", "model-max-length", "cutoff-len", "seq-length", "max-length"})) {
      spec.sequence_length = *length;
    }
    if (const auto batch = whole({"per-device-train-batch-size", "micro-batch-size"})) spec.micro_batch = *batch;
    if (const auto batch = whole({"global-batch-size"})) spec.global_batch = *batch;
    if (flags_.yes({"bf16"})) spec.precision = Precision::bf16;
    if (flags_.yes({"fp16"})) spec.precision = Precision::fp16;
    if (const auto* mixed = flags_.find({"mixed-precision", "torch-dtype"}); mixed != nullptr) {
      if (contains(*mixed, "bf")) spec.precision = Precision::bf16;
      if (*mixed == "fp16" || *mixed == "float16") spec.precision = Precision::fp16;
    }
    if (flags_.yes({"gradient-checkpointing"})) spec.activation_checkpointing = Checkpointing::full;
    if (const auto* config = flags_.find({"deepspeed", "deepspeed-config", "ds-config"}); config != nullptr) {
      const std::string word = base::lower(*config);
      for (const int stage : {1, 2, 3}) {
        const std::string digit = std::to_string(stage);
        if (contains(word, "z" + digit) || contains(word, "zero" + digit) || contains(word, "stage" + digit) || contains(word, "zero_" + digit)) {
          profile.parallelism.zero_stage = stage;
        }
      }
    }
  }

  const Words& words_;
  Flags flags_;
  const PlannedMachine& machine_;
  const Catalog& catalog_;
  base::Arena& arena_;
};

}  // namespace

Hints read_hints(const PlannedMachine& machine, const PlanFormats& formats, const Catalog& catalog, base::Arena& arena) {
  Hints hints;
  Words words;
  for (const auto& container : machine.containers) {
    words.insert(words.end(), container.words.begin(), container.words.end());
    words.emplace_back(";");
  }
  constexpr std::size_t kLongestScript = 64 << 10U;
  split_words(std::string_view(machine.user_data).substr(0, kLongestScript), words);

  const auto any = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](std::string_view part) { return has_word(words, part); });
  };
  bool serving_image = false;
  for (const auto& container : machine.containers) {
    const std::string image = base::lower(container.image);
    for (const auto part : kServing) serving_image = serving_image || contains(image, part);
  }
  const bool training = any(kTraining);
  const bool serving = any(kServing);
  if (machine.kind == "PyTorchJob" || machine.kind == "TFJob" || machine.kind == "MPIJob" || machine.kind == "AscendJob" ||
      machine.kind == "TrainJob" || machine.kind == "PaddleJob") {
    hints.use = Use::training;
  } else if (machine.kind == "InferenceService" || machine.platform == "eas" || machine.behind_balancer ||
             (serving && !training) || (serving_image && !training)) {
    hints.use = Use::serving;
  } else if (training) {
    hints.use = Use::training;
  } else {
    hints.use = use_of_names(machine);
  }

  const Flags flags(words);
  hints.processes_per_node = flags.number({"nproc-per-node", "nproc", "num-gpus", "ntasks-per-node", "gpus-per-node"});
  hints.job_nodes = flags.number({"nnodes", "num-nodes", "num-machines"});
  for (const auto& container : machine.containers) {
    for (const auto key : {"NPROC_PER_NODE", "NUM_GPUS"}) {
      const auto value = value_of(container.env, key);
      double number = 0;
      const auto [at, status] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (!value.empty() && status == std::errc{} && !hints.processes_per_node) hints.processes_per_node = number;
    }
  }
  for (const std::string_view sign : {"pytorch_model", ".ckpt", ".pth", ".pt", "pickle"}) {
    for (const auto& word : words) {
      const bool match = sign[0] == '.' ? std::string_view(word).ends_with(sign) : contains(word, sign);
      hints.pickle = hints.pickle || match;
    }
  }
  if (const auto* format = flags.find({"load-format"}); format != nullptr && *format == "pt") hints.pickle = true;
  for (const auto& [key, value] : machine.labels) {
    const std::string text = base::lower(key + " " + value);
    if (contains(text, "checkpoint") && (contains(text, "pickle") || contains(text, ".bin") || contains(text, "pytorch"))) {
      hints.pickle = true;
    }
  }

  for (const auto& container : machine.containers) {
    if (container.image.empty()) continue;
    const std::string stack = stack_of(container.image, formats);
    if (!stack.empty() && (hints.stack.empty() || hints.stack == "plain")) {
      hints.stack = stack;
      hints.image = container.image;
    }
    if (!hints.cuda) hints.cuda = cuda_version(container.image);
  }
  if (hints.stack.empty() && !machine.image.empty()) {
    hints.stack = stack_of(machine.image, formats);
    hints.image = machine.image;
    if (!hints.cuda) hints.cuda = cuda_version(machine.image);
  }
  const std::string script = base::lower(machine.user_data);
  for (const std::string_view sign : {"fabricmanager", "nvidia-driver", "cuda-drivers", "nvidia-linux", "cuda-toolkit"}) {
    hints.driver_script = hints.driver_script || contains(script, sign);
  }
  if (hints.use == Use::serving || hints.use == Use::training) WorkloadReader(words, machine, catalog, arena).read(hints);
  return hints;
}

std::string environment_of(const PlannedMachine& machine, std::string_view of_plan) {
  std::string word = machine.environment;
  for (const auto key : {"environment", "Environment", "env", "Env", "ENV", "stage", "Stage", "gpuadvise:environment"}) {
    if (word.empty()) word = std::string(value_of(machine.labels, key));
  }
  if (word.empty()) word = std::string(of_plan);
  const std::string lower = base::lower(word);
  if (lower == "prod" || lower == "prd" || lower == "live" || lower.starts_with("production") || lower == "生产") return "production";
  if (lower == "dev" || lower.starts_with("develop") || lower == "开发") return "development";
  if (lower == "stage" || lower == "stg" || lower == "staging" || lower == "uat" || lower == "pre") return "staging";
  if (lower == "test" || lower == "testing" || lower == "qa") return "test";
  if (!word.empty()) return word;
  for (const auto& claim : machine.claims) {
    const std::string name = base::lower(claim.text);
    if (claim.from == Claim::From::name && (contains(name, "prod-") || contains(name, "-prod") || contains(name, "production"))) {
      return "production";
    }
  }
  return {};
}

}  // namespace gpuadvise::check
