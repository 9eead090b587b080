// What a rule is about: it speaks once for each such thing, however often its condition holds.
#pragma once

#include <map>

#include "gpuadvise/rules.h"

namespace gpuadvise::check {

enum class Level : unsigned char { machine, group, type, claim, disk };

// By the fields that the rule looks at.
Level level_of(const Rule& rule);

// Whether its message or condition speaks of the workload, which may be inferred.
bool uses_workload(const Rule& rule);
// Whether another instance type could change its verdict.
bool about_machine_choice(const Rule& rule);
bool looks_at(const Rule& rule, Field field);

// The rules that judge a plan.
struct RulesByLevel {
  explicit RulesByLevel(const RuleSet& rules);

  std::map<Level, RuleList> plan;
  // Advice on choosing speaks here too where it rejects or warns: a plan is a choice that was made.
  RuleList candidate;      // about one machine
  RuleList candidate_job;  // about the machines of a job
};

}  // namespace gpuadvise::check
