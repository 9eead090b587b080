// Which ports the rules of a security group open to everybody.
#pragma once

#include <string>
#include <vector>

#include "gpuadvise/plan_format.h"

#include "check/readers/attributes.h"
#include "check/vocabulary.h"

namespace gpuadvise::check {

// "22", "8000-9000", "all", as far as the resource's row says where rules stand. Ports that are public by their nature
// are left out; so is what is known only after apply.
std::vector<std::string> open_ports(const PlanResource& row, const Vocabulary& words, const Attributes& attributes);

}  // namespace gpuadvise::check
