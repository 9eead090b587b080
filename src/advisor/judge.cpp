#include <algorithm>
#include <fmt/format.h>

#include "advisor/judge.h"
#include "catalog/lookup.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

Judge::Judge(const Workload& workload, const Catalog& catalog, const RuleSet& rules, const RecommendOptions& options)
    : workload_(workload), catalog_(catalog), options_(options) {
  set_workload(base_, workload, lists_);
  base_.set(Field::request_optimize, names(Objective{})[static_cast<std::size_t>(options.objective)]);
  const bool preview = std::any_of(options.include.begin(), options.include.end(),
                                   [](Status s) { return s == Status::preview || s == Status::undocumented; });
  base_.set(Field::request_preview_included, preview);
  evaluation_.narrow(rules.of(RuleScope::candidate), base_, narrowed_);
}

Note Judge::note(const ActiveRule& rule, RuleContext& context) {
  Note out{rule.id(), rule.severity, evaluation_.message(rule, context, options_.lang), {}, {}};
  // A remedy that names what is not known helps nobody.
  std::string remedy = evaluation_.remedy(rule, context, options_.lang);
  if (evaluation_.unfilled() == 0) out.remedy = std::move(remedy);
  if (options_.explain) {
    for (const auto& value : rule_values(rule, context)) {
      out.seen += fmt::format("{}{} = {}{}{}", out.seen.empty() ? "" : ", ", value.field, value.value,
                              value.unit.empty() ? "" : " ", value.unit);
    }
  }
  return out;
}

void Judge::set_type(const Entry& entry) {
  type_ = base_;
  // A status that the user asked to include, or a name that the user gave, is not held against the type.
  const bool included = std::find(options_.include.begin(), options_.include.end(),
                                  status_of(*entry.family, *entry.type)) != options_.include.end();
  type_.set(Field::request_family_named, entry.named || included);
  set_instance(type_, *entry.family, *entry.type, accelerator_of(catalog_, *entry.type), catalog_, type_lists_);
  evaluation_.narrow(narrowed_, type_, narrowed_type_);
}

std::vector<Note> Judge::type(const Entry& entry, bool all) {
  set_type(entry);
  std::vector<const ActiveRule*> rejecting;  // messages use the evaluation's buffers
  for (const auto& firing : evaluation_.apply(narrowed_type_, type_)) {
    if (firing.rule->rule->spec.effect == Effect::reject) rejecting.push_back(firing.rule);
    if (!all && !rejecting.empty()) break;
  }
  std::vector<Note> out;
  for (const ActiveRule* rule : rejecting) out.push_back(note(*rule, type_));
  return out;
}

std::optional<Note> Judge::candidate(const Recommendation& r, CriterionFactors& factors) {
  RuleContext context = facts_of(r);
  for (const auto& firing : evaluation_.apply(narrowed_type_, context)) {
    const RuleSpec& spec = firing.rule->rule->spec;
    if (spec.effect == Effect::reject) return note(*firing.rule, context);
    if (spec.effect != Effect::penalise && spec.effect != Effect::reward) continue;
    const double factor = spec.effect == Effect::penalise ? firing.factor : 1 / firing.factor;
    switch (spec.criterion) {
      case Criterion::cost:
        factors.cost *= factor;
        break;
      case Criterion::time:
        factors.time *= factor;
        break;
      case Criterion::latency:
        factors.latency *= factor;
        break;
      case Criterion::memory:
        factors.memory *= factor;
        break;
      case Criterion::network:
        factors.network *= factor;
        break;
      case Criterion::lifecycle:
        factors.lifecycle *= factor;
        break;
      case Criterion::availability:
        factors.availability *= factor;
        break;
      case Criterion::none:
        break;
    }
  }
  return std::nullopt;
}

void Judge::describe(Recommendation& r) {
  set_type({r.family, r.type, r.named, false});
  RuleContext context = facts_of(r);
  const auto fired = evaluation_.apply(narrowed_type_, context);
  const std::vector<const ActiveRule*> rules = [&] {
    std::vector<const ActiveRule*> out;  // messages use the evaluation's buffers
    for (const auto& firing : fired) out.push_back(firing.rule);
    return out;
  }();
  for (const ActiveRule* rule : rules) r.warnings.push_back(note(*rule, context));
  std::stable_sort(r.warnings.begin(), r.warnings.end(),
                   [](const Note& a, const Note& b) { return a.severity < b.severity; });
}

RuleContext Judge::facts_of(const Recommendation& r) const {
  RuleContext context = type_;
  set_layout(context, r.machine, r.layout);
  set_estimate(context, r.estimate);
  context.set(Field::estimate_hours_to_finish, r.hours_to_finish);
  return context;
}

}  // namespace gpuadvise
