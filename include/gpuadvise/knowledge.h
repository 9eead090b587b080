// Everything that data/ holds, loaded and checked: the catalog, the calibrations and the texts. The compiled-in
// knowledge costs no parsing; load() reads YAML in the same form, over it or in its place. Immutable once made, so one
// Knowledge serves any number of threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/calibration.h"
#include "gpuadvise/catalog.h"
#include "gpuadvise/emit.h"
#include "gpuadvise/hardware.h"
#include "gpuadvise/objective.h"
#include "gpuadvise/plan_format.h"
#include "gpuadvise/rules.h"
#include "gpuadvise/text.h"

namespace gpuadvise {

struct Knowledge {
  Catalog catalog;
  Calibration calibration;
  std::span<const Message> messages;  // sorted by id
  PlanFormats plans;
  std::span<const Rule> rules;
  std::span<const ObjectiveWeights> objectives;
  HardwareAssumptions hardware;
  EmitKnowledge emit;
};

// What was compiled in.
const Knowledge& builtin_knowledge();

// Owns what it read. Throws InputError with file:line:column where a file breaks the form or a cross-check.
class LoadedKnowledge {
 public:
  // `paths` are files or folders (every *.yaml below). With `base`, rows of the same name replace those of the base
  // and others are added; without, the files must be complete in themselves.
  static LoadedKnowledge load(const std::vector<std::string>& paths, const Knowledge* base);

  const Knowledge& knowledge() const;

  LoadedKnowledge(LoadedKnowledge&&) noexcept;
  LoadedKnowledge& operator=(LoadedKnowledge&&) noexcept;
  ~LoadedKnowledge();

 private:
  struct Storage;
  explicit LoadedKnowledge(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage_;
};

}  // namespace gpuadvise
