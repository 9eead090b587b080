// One planned machine with everything that was worked out about it before rules look at it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/cel.h"
#include "gpuadvise/rule_context.h"
#include "gpuadvise/workload.h"

#include "check/contradictions.h"
#include "check/hints.h"
#include "check/links.h"
#include "check/plan.h"
#include "check/vocabulary.h"

namespace gpuadvise::check {

// Machines that belong together: copies of one resource, pods of one job, resources of one training workload.
struct Group {
  std::string name;
  std::vector<std::size_t> members;  // indices into the plan's machines
  std::vector<std::string> zones;    // distinct
  std::vector<std::string> cards;    // names of the distinct cards
  double nodes = 0;                  // machines of one job
  bool nodes_known = false;
  std::vector<std::string_view> zone_views, card_views;
  std::vector<cel::Value> zone_values, card_values;
};

struct Subject {
  const PlannedMachine* machine = nullptr;
  std::size_t group = 0;
  Hints hints;
  Use use = Use::unknown;
  std::string environment;
  std::vector<CardStatement> statements;  // of the file about its cards
  const Workload* workload = nullptr;
  std::string workload_name;
  bool inferred = false;  // the workload, or what the machine is for
  const StorageGap* storage = nullptr;
  std::vector<cel::Value> open_ports;  // words of the machine, as rules see them
  std::vector<cel::Value> pool_tasks;  // of all pods that ask for the same machines; on the first of them only
  int nodes = 1;                       // machines that one job or one replica spans
};

// plan.* and what follows from the plan in request.*, software.*, layout.*: everything but the type.
void set_plan(RuleContext& context, const Subject& subject, Group& group);

// plan.disk_* of one disk. `supported`: the vendor's words for the disks of the family; empty: not known. `storage`
// holds the text of a field.
void set_disk(RuleContext& context, const PlannedDisk& disk, const Vocabulary& vocabulary,
              std::span<const std::string_view> supported, std::string& storage);

}  // namespace gpuadvise::check
