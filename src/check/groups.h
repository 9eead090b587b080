// Which machines of a plan belong together.
#pragma once

#include <vector>

#include "check/subject.h"
#include "check/types.h"

namespace gpuadvise::check {

// Puts every subject into a group, and sets how many machines its job or replica spans.
std::vector<Group> make_groups(std::vector<Subject>& subjects, TypeIndex& types);

}  // namespace gpuadvise::check
