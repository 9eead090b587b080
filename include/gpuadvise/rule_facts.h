// Fills a RuleContext from what the product knows. Each function sets the fields of its groups and leaves the others.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gpuadvise/catalog.h"
#include "gpuadvise/estimate.h"
#include "gpuadvise/rule_context.h"
#include "gpuadvise/workload.h"

namespace gpuadvise {

// Lists that a context's fields point at; must outlive it.
struct RuleLists {
  std::vector<cel::Value> regions;
  std::vector<cel::Value> vendors;
  std::vector<cel::Value> export_rules;
  std::vector<cel::Value> family_regions;
  std::vector<cel::Value> successors;
};

// request.*, workload.*, training.*, inference.*, hpc.*, rendering.*, transcoding.*, software.*
void set_workload(RuleContext& context, const Workload& workload, RuleLists& lists);
// accelerator.*, family.*, instance.*; `accelerator` may be nullptr where the card is not known.
void set_instance(RuleContext& context, const Family& family, const InstanceType& type, const Accelerator* accelerator,
                  const Catalog& catalog, RuleLists& lists);
// accelerator.* alone, as its maker states them: one type may be given less of the memory.
void set_accelerator(RuleContext& context, const Accelerator& accelerator, const Catalog& catalog, RuleLists& lists);
// family.* but for the status, which a type may have of its own.
void set_family(RuleContext& context, const Family& family, RuleLists& lists);
// instance.*, family.status, and accelerator.memory_gib where the type has a share of its own.
void set_type(RuleContext& context, const Family& family, const InstanceType& type);
// layout.*
void set_layout(RuleContext& context, const Machine& machine, const Layout& layout);
// estimate.*, cost.*
void set_estimate(RuleContext& context, const Estimate& estimate);
// software.* from strings as their makers write them: "12.4", "550.54.15", "torch 2.6.0+cu124"
void set_software(RuleContext& context, const SoftwareSpec& software);

// "12.4.1" as 1204; the first number with a dot in the text. Empty: there is none.
std::optional<int> version_number(std::string_view text);

}  // namespace gpuadvise
