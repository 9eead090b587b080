// gpuadvise.yaml: workloads, which resource runs which, plans of its own, policies, severities and suppressions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpuadvise/profile.h"
#include "gpuadvise/rules.h"

#include "base/arena.h"
#include "base/node.h"
#include "check/plan.h"

namespace gpuadvise::check {

struct NamedWorkload {
  std::string name;
  Profile profile;
};

struct Mapping {
  std::string match;  // glob over address, group or name
  std::string workload;
};

struct Suppression {
  std::string rule;   // glob
  std::string match;  // glob; empty: everything
  std::string reason;
  std::string until;  // ISO date, the last day in force; empty: no end
  Place place;
};

struct Config {
  std::string name;
  std::vector<NamedWorkload> workloads;
  std::vector<Mapping> map;
  std::vector<std::string> policies;
  std::map<std::string, std::optional<Severity>> severity;  // by rule; empty: off
  std::vector<Suppression> suppress;
  base::Arena arena;  // what the profiles point into
};

// Strict: unknown keys, unknown workloads and dates that are none are InputErrors.
void read_config(const std::string& bytes, const std::string& name, Config& config);

// The machines under `plans`.
void read_plans(const base::Node& root, const std::string& file, Plan& plan);

// "*" any text, "?" one character; brackets stand for themselves, addresses are full of them.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace gpuadvise::check
