// The type that failed on memory by least, and the smallest change that makes it run.
#pragma once

#include <optional>
#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// Of a ranked answer. Where the request has limits, the change is one that meets them all; where none does, the nearest
// type is named without a change.
std::optional<NearestMiss> find_nearest_miss(const Advice& advice, const Knowledge& knowledge, const RuleSet& rules,
                                             const RecommendOptions& options);

// One change to a profile, as a flag a person would add.
struct Change {
  std::string flags;
  Profile profile;
};

// Changes that save memory, the least intrusive first: `asked` is the profile before defaults, which they edit.
std::vector<Change> memory_changes(const Workload& workload, const Profile& asked);

}  // namespace gpuadvise
