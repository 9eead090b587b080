// Profiles are shared between tasks, so a field that a task does not read is no error; but it is worth saying.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/workload.h"

namespace gpuadvise {

// Whether what is known of a kind of task depends on a field: "training.optimizer", "inference.slo.ttft_ms". Names of
// whole sections and unknown fields are read by none.
bool reads(TaskKind kind, std::string_view field);

// Every field of a profile by its path, in the order of its declaration.
std::vector<std::string> profile_fields();

// The fields that the user set and that the workload's kind of task does not read, in that order.
std::vector<std::string> unused_fields(const Workload& workload);

// The field that the kind of task reads in place of one that it does not; empty: none.
std::string_view used_instead(TaskKind kind, std::string_view field);

}  // namespace gpuadvise
