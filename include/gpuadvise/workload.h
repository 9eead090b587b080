// A workload: a profile with every default filled in, the model's architecture known or inferred, and the list of what
// was assumed. Estimates and rules read this; nothing in it is optional that an estimate needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpuadvise/model.h"
#include "gpuadvise/profile.h"
#include "gpuadvise/task.h"

namespace gpuadvise {

struct Catalog;

// One default that was filled in: "training.lora_rank" = "16", and from where.
struct Assumption {
  enum class Origin : unsigned char { task_preset, model_library, inferred };
  std::string field;
  std::string value;
  Origin origin;
};

struct Workload {
  Profile profile;  // with defaults filled in
  const TaskPreset* task = nullptr;
  TaskKind kind = TaskKind::llm_training;
  const Model* model = nullptr;  // the library's entry, where the name is known
  bool has_architecture = false;
  bool architecture_inferred = false;  // from the parameter count alone: wider band
  Architecture architecture;
  double params = 0;  // total; 0: unknown or not a model task
  double active_params = 0;
  std::vector<Assumption> assumptions;
};

// Fills defaults from the task's preset and the model library. Throws InputError where the profile contradicts itself
// or names something unknown.
Workload resolve(const Profile& profile, const Catalog& catalog);

}  // namespace gpuadvise
