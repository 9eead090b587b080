// What a planned machine is for, read off its containers, scripts, names and labels. What is found here is inferred,
// and the report says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpuadvise/catalog.h"
#include "gpuadvise/profile.h"

#include "check/command_line.h"
#include "check/plan.h"
#include "check/workload_hints.h"

namespace gpuadvise::check {

struct Hints {
  Use use = Use::unknown;
  std::optional<double> processes_per_node;  // torchrun and the like
  std::optional<double> job_nodes;           // --nnodes
  bool pickle = false;                       // the checkpoint is unpickled whole, not mapped
  bool saves = false;                        // checkpoints are written or resumed from
  std::string stack;                         // of the image: cuda, cann, rocm, plain; empty: cannot be told
  std::string image;                         // the image that the stack was read off
  bool driver_script = false;                // the first-boot script installs driver, CUDA or Fabric Manager
  std::optional<double> cuda;                // major.minor in the image's tag
  std::optional<Profile> profile;            // a workload, where the file says enough
  std::string model;                         // its model as written
};

// Remembers what it has looked up. The vocabulary and the catalog must outlive it.
class HintReader {
 public:
  HintReader(const Vocabulary& vocabulary, const Catalog& catalog)
      : vocabulary_(vocabulary), flags_(vocabulary), workloads_(vocabulary, flags_, catalog) {}

  Hints read(const PlannedMachine& machine);

  // "production" for prod, prd, live, ...; "development", "staging", "test"; the word itself otherwise. `of_plan` is
  // the whole file's word, for machines that have none.
  std::string environment(const PlannedMachine& machine, std::string_view of_plan) const;

 private:
  Use use_of(const PlannedMachine& machine, const Words& words) const;
  Use use_of_names(const PlannedMachine& machine) const;
  void read_processes(const PlannedMachine& machine, const CommandLine& line, Hints& hints) const;
  bool unpickles(const PlannedMachine& machine, const Words& words, const CommandLine& line) const;
  void read_image(const PlannedMachine& machine, Hints& hints) const;
  std::string stack_of(std::string_view image) const;

  const Vocabulary& vocabulary_;
  FlagTable flags_;
  WorkloadHints workloads_;
};

}  // namespace gpuadvise::check
