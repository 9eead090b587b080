// What the rules see of a request, a type on sale, a layout and its estimate.
#pragma once

#include <vector>

#include "gpuadvise/advise.h"
#include "gpuadvise/rule_context.h"

namespace gpuadvise {

// Lists of words that a context points at; must outlive it.
using WordStore = std::vector<std::vector<cel::Value>>;

// The request and the workload: the same for every candidate. `given` is the profile before defaults: it tells what
// the user asked for from what was assumed.
void set_request_facts(RuleContext& context, const Workload& workload, const Profile& given,
                       const RecommendOptions& options, WordStore& store);

// One instance type: card, family, size. `store` is emptied first.
void set_type_facts(RuleContext& context, const Catalog& catalog, const Family& family, const InstanceType& type,
                    bool named, WordStore& store);

// A layout on so many machines, and what was estimated of it.
void set_layout_facts(RuleContext& context, const Workload& workload, const Machine& machine, const Layout& layout);
void set_estimate_facts(RuleContext& context, const Recommendation& candidate, const Catalog& catalog);

}  // namespace gpuadvise
