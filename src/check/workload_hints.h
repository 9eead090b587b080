// A workload read off a command line: the model, and how it is trained or served.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gpuadvise/catalog.h"
#include "gpuadvise/profile.h"

#include "base/arena.h"
#include "check/command_line.h"
#include "check/plan.h"

namespace gpuadvise::check {

enum class Use : unsigned char { unknown, training, serving, graphics };

// Models by the names that command lines give them. Remembers its answers: plans repeat themselves.
class ModelNames {
 public:
  explicit ModelNames(const Catalog& catalog) : catalog_(catalog) {}

  struct Answer {
    const Model* model = nullptr;  // of the library
    std::optional<double> params;  // or the size that the name states ("...-13b-...")
  };
  const Answer& find(const std::string& name);

 private:
  Answer look_up(std::string_view name) const;

  const Catalog& catalog_;
  std::unordered_map<std::string, Answer> known_;
};

class WorkloadHints {
 public:
  // All of them must outlive it; texts of the profiles are kept in the arena.
  WorkloadHints(const Vocabulary& vocabulary, const FlagTable& flags, const Catalog& catalog)
      : vocabulary_(vocabulary), flags_(flags), models_(catalog) {}

  // The model as the words or the machine's variables and labels spell it; empty: not said.
  std::string model_name(const Words& words, const CommandLine& line, const PlannedMachine& machine) const;
  // Empty when the model is not said, or not known and without a size in its name.
  std::optional<Profile> profile(const Words& words, const PlannedMachine& machine, Use use, const std::string& model);

 private:
  void serving(Profile& profile, const Words& words, const CommandLine& line, const PlannedMachine& machine,
               std::string_view model) const;
  void training(Profile& profile, const Words& words, const CommandLine& line) const;

  const Vocabulary& vocabulary_;
  const FlagTable& flags_;
  ModelNames models_;
};

}  // namespace gpuadvise::check
