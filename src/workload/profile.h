// Reading, merging and writing profiles.
#pragma once

#include <string>
#include <vector>

#include "gpuadvise/profile.h"
#include "gpuadvise/workload.h"

#include "base/arena.h"
#include "base/node.h"

namespace gpuadvise {

// Strict: unknown keys, wrong kinds and impossible numbers are InputErrors with their place. Strings live in the arena.
Profile read_profile(const base::Node& node, base::Arena& arena, const std::string& file);

// Takes from `defaults` what `profile` leaves open; each value taken is added to `assumptions`.
void fill_in(Profile& profile, const Profile& defaults, Assumption::Origin origin,
             std::vector<Assumption>& assumptions);

}  // namespace gpuadvise
