// What a planned machine is for, read off its containers, scripts, names and labels. What is found here is inferred,
// and the report says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/arena.h"
#include "check/plan.h"
#include "gpuadvise/catalog.h"
#include "gpuadvise/plan_format.h"
#include "gpuadvise/profile.h"

namespace gpuadvise::check {

enum class Use : unsigned char { unknown, training, serving, graphics };

struct Hints {
  Use use = Use::unknown;
  std::optional<double> processes_per_node;  // torchrun and the like
  std::optional<double> job_nodes;           // --nnodes
  bool pickle = false;                       // the checkpoint is unpickled whole, not mapped
  std::string stack;                         // of the image: cuda, cann, rocm, plain; empty: cannot be told
  std::string image;                         // the image that the stack was read off
  bool driver_script = false;                // the first-boot script installs driver, CUDA or Fabric Manager
  std::optional<double> cuda;                // major.minor in the image's tag
  std::optional<Profile> profile;            // a workload, where the file says enough
  std::string model;                         // its model as written
};

Hints read_hints(const PlannedMachine& machine, const PlanFormats& formats, const Catalog& catalog, base::Arena& arena);

// "production" for prod, prd, live, ...; "development", "staging"; the word itself otherwise.
std::string environment_of(const PlannedMachine& machine, std::string_view of_plan);

}  // namespace gpuadvise::check
