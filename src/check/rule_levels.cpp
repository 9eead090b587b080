#include <algorithm>
#include <string_view>

#include "gpuadvise/rule_context.h"

#include "check/rule_levels.h"

namespace gpuadvise::check {

namespace {

std::string_view name_of(std::uint16_t field) { return info(static_cast<Field>(field)).name; }

bool of_group(std::string_view name) {
  return name == "plan.zones" || name == "plan.zone_count" || name == "plan.cards" || name == "plan.card_kinds" ||
         name == "layout.nodes" || name == "plan.machines" || name == "plan.placement";
}

bool of_type(std::string_view name) {
  return name.starts_with("plan.type") || name.starts_with("instance.") || name.starts_with("family.") ||
         name.starts_with("accelerator.") || name.starts_with("estimate.") || name.starts_with("cost.") ||
         name == "plan.need_ratio" || name == "plan.cheaper_type";
}

}  // namespace

Level level_of(const Rule& rule) {
  bool type = false;
  bool group = false;
  for (const auto index : rule.fields) {
    const std::string_view name = name_of(index);
    if (name.starts_with("plan.claim")) return Level::claim;
    if (name.starts_with("plan.disk_")) return Level::disk;
    group = group || of_group(name);
    type = type || of_type(name);
  }
  if (group) return Level::group;
  return type ? Level::type : Level::machine;
}

bool uses_workload(const Rule& rule) {
  return std::any_of(rule.fields.begin(), rule.fields.end(), [](std::uint16_t index) {
    const std::string_view name = name_of(index);
    return name.starts_with("workload.") || name.starts_with("training.") || name.starts_with("inference.") ||
           name.starts_with("estimate.") || name == "plan.need_ratio";
  });
}

bool about_machine_choice(const Rule& rule) {
  return std::any_of(rule.fields.begin(), rule.fields.end(), [](std::uint16_t index) {
    const std::string_view name = name_of(index);
    return name.starts_with("instance.") || name.starts_with("family.") || name.starts_with("accelerator.") ||
           name.starts_with("estimate.") || name.starts_with("plan.type");
  });
}

bool looks_at(const Rule& rule, Field field) {
  return std::find(rule.fields.begin(), rule.fields.end(), static_cast<std::uint16_t>(field)) != rule.fields.end();
}

RulesByLevel::RulesByLevel(const RuleSet& rules) {
  for (const ActiveRule* rule : rules.of(RuleScope::plan)) plan[level_of(*rule->rule)].push_back(rule);
  for (const ActiveRule* rule : rules.of(RuleScope::candidate)) {
    if (rule->severity == Severity::note || rule->rule->spec.effect == Effect::reward) continue;
    (level_of(*rule->rule) == Level::group ? candidate_job : candidate).push_back(rule);
  }
}

}  // namespace gpuadvise::check
