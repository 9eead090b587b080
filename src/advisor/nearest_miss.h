// The type that failed on memory by least, and the smallest change that makes it run.
#pragma once

#include <optional>
#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

std::optional<NearestMiss> find_nearest_miss(const std::vector<Rejection>& rejected, const Advice& advice,
                                             const Knowledge& knowledge);

// One change to a profile, as a flag a person would add.
struct Change {
  std::string flags;
  Profile profile;
};

// Changes that save memory, the least intrusive first: `asked` is the profile before defaults, which they edit.
std::vector<Change> memory_changes(const Workload& workload, const Profile& asked);

}  // namespace gpuadvise
