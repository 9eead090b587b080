// Instance types side by side for one workload.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// One of the things compared: what it came to, or why it cannot run.
struct Compared {
  std::string name;  // as it was asked for
  const Family* family = nullptr;
  const InstanceType* type = nullptr;
  std::optional<Recommendation> runs;  // of a family or a card, its best type; scores are among those compared
  std::optional<std::size_t> rank;     // among those compared that run, from 1
  std::vector<Note> failures;          // where it does not run
};

struct Comparison {
  Workload workload;
  std::vector<Compared> columns;  // in the order asked for
};

// Each name is an instance type, a family or a card. Throws InputError for a name that means nothing.
Comparison compare(std::span<const std::string> names, const Profile& profile, const Knowledge& knowledge,
                   const RuleSet& rules, const RecommendOptions& options);

}  // namespace gpuadvise
