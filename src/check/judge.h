// From a plan to findings: works out the facts of each machine and lets the rules speak.
#pragma once

#include <string>
#include <vector>

#include "gpuadvise/check.h"

#include "check/config.h"
#include "check/plan.h"

namespace gpuadvise::check {

struct Judgement {
  std::vector<Finding> findings;
  std::vector<CheckedWorkload> workloads;
  int machines = 0;
};

Judgement judge(const Plan& plan, const Config& config, const Knowledge& knowledge, const RuleSet& rules, Lang lang);

}  // namespace gpuadvise::check
