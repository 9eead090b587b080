#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "check/hints.h"
#include "check/readers/resource.h"

namespace gpuadvise::check {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Use use_named(std::string_view word) {
  return word == "training" ? Use::training : word == "serving" ? Use::serving : Use::unknown;
}

// A version of CUDA in the name of an image: cuda12.4, cu121, cuda:12.1.
std::optional<double> cuda_version(std::string_view image) {
  const std::string text = base::lower(image);
  for (auto at = text.find("cu"); at != std::string::npos; at = text.find("cu", at + 2)) {
    std::size_t start = at + 2;
    if (text.compare(at, 4, "cuda") == 0) start = at + 4;
    while (start < text.size() &&
           (text[start] == ':' || text[start] == '-' || text[start] == ' ' || text[start] == '_')) {
      ++start;
    }
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

Words words_of(const PlannedMachine& machine) {
  Words words;
  for (const auto& container : machine.containers) {
    words.insert(words.end(), container.words.begin(), container.words.end());
    words.emplace_back(";");
  }
  constexpr std::size_t kLongestScript = 64U << 10U;
  split_words(std::string_view(machine.user_data).substr(0, kLongestScript), words);
  return words;
}

}  // namespace

Hints HintReader::read(const PlannedMachine& machine) {
  const Words words = words_of(machine);
  const CommandLine line(words, flags_);
  Hints hints;
  hints.use = use_of(machine, words);
  read_processes(machine, line, hints);
  hints.pickle = unpickles(machine, words, line);
  hints.saves = line.yes("saves") || std::any_of(machine.labels.begin(), machine.labels.end(), [](const auto& label) {
                  return label.first == "gpuadvise:checkpointing" && label.second == "true";
                });
  read_image(machine, hints);
  const std::string script = base::lower(machine.user_data);
  hints.driver_script = !vocabulary_.meaning_within("driver_package", script).empty();
  if (hints.use == Use::serving || hints.use == Use::training) {
    hints.model = workloads_.model_name(words, line, machine);
    hints.profile = workloads_.profile(words, machine, hints.use, hints.model);
  }
  return hints;
}

Use HintReader::use_of(const PlannedMachine& machine, const Words& words) const {
  const Use by_kind = use_named(vocabulary_.meaning("object_kind", machine.kind));
  if (by_kind != Use::unknown) return by_kind;
  if (machine.platform == "eas" || machine.behind_balancer) return Use::serving;
  bool training = false;
  bool serving = false;
  for (const PlanWord* program : vocabulary_.about("program")) {
    const bool trains = program->means == "training";
    if (trains ? training : serving) continue;
    bool found =
        std::any_of(words.begin(), words.end(), [&](const auto& word) { return contains(word, program->word); });
    // The image of a serving engine is a service; that of a training library may be anything.
    found = found ||
            (!trains && std::any_of(machine.containers.begin(), machine.containers.end(),
                                    [&](const Container& c) { return contains(base::lower(c.image), program->word); }));
    (trains ? training : serving) = found;
  }
  if (training) return Use::training;
  return serving ? Use::serving : use_of_names(machine);
}

Use HintReader::use_of_names(const PlannedMachine& machine) const {
  std::string text = base::lower(machine.name) + " " + base::lower(machine.resource);
  for (const auto& [key, value] : machine.labels) {
    const std::string k = base::lower(key);
    if (contains(k, "purpose") || contains(k, "usage") || contains(k, "role") || contains(k, "workload") ||
        k == "app" || contains(k, "name") || k == "task" || k == "type") {
      text += " " + base::lower(value);
    }
  }
  for (const auto& claim : machine.claims) {
    if (claim.from == Claim::From::name) text += " " + base::lower(claim.text);
  }
  bool training = false;
  bool serving = false;
  for (const PlanWord* word : vocabulary_.about("purpose")) {
    if (contains(text, word->word)) (word->means == "training" ? training : serving) = true;
  }
  if (training == serving) return Use::unknown;
  return training ? Use::training : Use::serving;
}

void HintReader::read_processes(const PlannedMachine& machine, const CommandLine& line, Hints& hints) const {
  hints.processes_per_node = line.number("processes");
  hints.job_nodes = line.number("nodes");
  for (const auto& container : machine.containers) {
    for (const PlanWord* variable : vocabulary_.about("variable")) {
      if (variable->means != "processes" || hints.processes_per_node) continue;
      const auto value = value_of(container.env, variable->word);
      double number = 0;
      const auto [at, status] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (!value.empty() && status == std::errc{}) hints.processes_per_node = number;
    }
  }
}

bool HintReader::unpickles(const PlannedMachine& machine, const Words& words, const CommandLine& line) const {
  for (const auto& word : words) {
    for (const PlanWord* ending : vocabulary_.about("pickle_ending")) {
      if (word.ends_with(ending->word)) return true;
    }
    if (!vocabulary_.meaning_within("pickle_sign", word).empty()) return true;
  }
  if (const auto* format = line.text("load_format"); format != nullptr && *format == "pt") return true;
  return std::any_of(machine.labels.begin(), machine.labels.end(), [](const auto& label) {
    const std::string text = base::lower(label.first + " " + label.second);
    return contains(text, "checkpoint") &&
           (contains(text, "pickle") || contains(text, ".bin") || contains(text, "pytorch"));
  });
}

void HintReader::read_image(const PlannedMachine& machine, Hints& hints) const {
  for (const auto& container : machine.containers) {
    if (container.image.empty()) continue;
    const std::string stack = stack_of(container.image);
    if (!stack.empty() && (hints.stack.empty() || hints.stack == "plain")) {
      hints.stack = stack;
      hints.image = container.image;
    }
    if (!hints.cuda) hints.cuda = cuda_version(container.image);
  }
  if (hints.stack.empty() && !machine.image.empty()) {
    hints.stack = stack_of(machine.image);
    hints.image = machine.image;
    if (!hints.cuda) hints.cuda = cuda_version(machine.image);
  }
}

// The stack of an image by the words of its name; "plain" for an operating system and nothing else.
std::string HintReader::stack_of(std::string_view image) const {
  const std::string text = base::lower(image);
  std::string plain;
  for (const PlanWord* word : vocabulary_.about("image_stack")) {
    if (!contains(text, word->word)) continue;
    if (word->means != "plain") return std::string(word->means);
    plain = word->means;
  }
  return plain;
}

std::string HintReader::environment(const PlannedMachine& machine, std::string_view of_plan) const {
  std::string word = machine.environment;
  for (const auto key :
       {"environment", "Environment", "env", "Env", "ENV", "stage", "Stage", "gpuadvise:environment"}) {
    if (word.empty()) word = std::string(value_of(machine.labels, key));
  }
  if (word.empty()) word = std::string(of_plan);
  if (!word.empty()) {
    // "prod", and "prod-eu" too; "non-prod" is something else.
    const std::string first = word.substr(0, word.find_first_of("-_ ./"));
    for (const auto& part : {word, first}) {
      if (const auto meaning = vocabulary_.meaning("environment", part); !meaning.empty()) return std::string(meaning);
    }
    return word;
  }
  for (const auto& claim : machine.claims) {
    const std::string name = base::lower(claim.text);
    const bool other = contains(name, "non-prod") || contains(name, "nonprod") || contains(name, "pre-prod");
    if (claim.from != Claim::From::name || other) continue;
    if (contains(name, "prod-") || contains(name, "-prod") || contains(name, "production")) return "production";
  }
  return {};
}

}  // namespace gpuadvise::check
