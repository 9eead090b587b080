// Planned infrastructure in, findings out: what `gpuadvise check` does, for embedding programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/error.h"
#include "gpuadvise/knowledge.h"
#include "gpuadvise/rules.h"
#include "gpuadvise/text.h"

namespace gpuadvise {

// One file to judge. `name` is what findings call it: a path relative to where the user stands, or "-".
struct CheckInput {
  std::string name;
  std::string bytes;
  bool found_in_folder = false;  // passed over when it is of no kind that we know
};

struct CheckOptions {
  std::string kind;         // one of check_kinds(); empty: told by content
  std::string source_dir;   // where *.tf files are looked for; empty: beside each plan
  std::string config_name;  // the gpuadvise.yaml in force, and its bytes; empty: none
  std::string config_bytes;
  bool changes_only = false;  // of a plan only what it changes
  std::string today;          // ISO date that suppressions expire by
  Lang lang = Lang::en;
};

struct Finding {
  std::string rule;  // area/name
  Severity severity = Severity::note;
  std::string resource;  // address, kind/namespace/name, or the plan's name; empty: the file itself
  Place place;
  std::string message;
  std::string remedy;  // empty: none
  std::string instance_type;
  std::vector<std::string> sources;
  std::string fingerprint;  // stable across runs: of rule, file, resource, type and what was found, not of the line
  std::string suppressed;   // the reason; empty: in force
};

// A workload that machines were judged with.
struct CheckedWorkload {
  std::string name;
  std::string task;
  std::string model;
  bool inferred = false;  // read off arguments, images or names, not stated
  int machines = 0;
};

struct CheckReport {
  std::vector<Finding> findings;  // by file, place, severity, rule; suppressed ones apart
  std::vector<Finding> suppressed;
  std::vector<CheckedWorkload> workloads;
  int files = 0;
  int machines = 0;      // resources judged
  bool partial = false;  // something could not be read: exit code 2 unless allowed
};

// Words of --kind.
std::vector<std::string_view> check_kinds();

// Throws InputError where an input cannot be read at all, or the configuration is wrong.
CheckReport check_plans(const std::vector<CheckInput>& inputs, const CheckOptions& options, const Knowledge& knowledge,
                        const RuleSet& rules);

// Rule files that a configuration names, relative to its own folder.
std::vector<std::string> check_policies(const std::string& config_name, const std::string& config_bytes);
// The severities that the configuration gives to rules, laid over them.
void apply_severities(const std::string& config_name, const std::string& config_bytes, RuleSet& rules);

// Takes out of the report what a baseline (JSON made by `check --format json`) already holds. Throws InputError.
void drop_known(CheckReport& report, std::string_view baseline, const std::string& name);

}  // namespace gpuadvise
