#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "advisor/judge.h"
#include "catalog/lookup.h"
#include "catalog/regions.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

// Whether the rule looks at a field from `first` on that stands before `end` in the published list.
bool looks_within(const Rule& rule, Field first, Field end) {
  return std::any_of(rule.fields.begin(), rule.fields.end(), [=](auto index) {
    const auto field = static_cast<Field>(index);
    return field >= first && field < end;
  });
}

// Whether the rule looks at what is known of a layout only.
bool waits(const Rule& rule) { return looks_within(rule, Field::layout_nodes, Field::software_cuda); }

}  // namespace

Judge::Judge(const Workload& workload, const Catalog& catalog, const RuleSet& rules, const RecommendOptions& options)
    : catalog_(catalog),
      all_(rules),
      options_(options),
      regions_(workload.profile.constraints.regions.value_or(std::span<const std::string_view>())) {
  set_workload(facts_, workload, lists_);
  facts_.set(Field::request_optimize, names(Objective{})[static_cast<std::size_t>(options.objective)]);
  const bool preview = std::any_of(options.include.begin(), options.include.end(),
                                   [](Status s) { return s == Status::preview || s == Status::undocumented; });
  facts_.set(Field::request_preview_included, preview);
  const bool retired =
      std::find(options.include.begin(), options.include.end(), Status::retired) != options.include.end();
  facts_.set(Field::request_retired_included, retired);
  evaluation_.narrow(rules.of(RuleScope::candidate), facts_, rules_);
  for (const ActiveRule* rule : rules_) {
    const auto effect = rule->rule->spec.effect;
    // Unless every reason is asked for, a rule that looks at the layout or the estimate is asked when there is one.
    if (effect == Effect::reject && (options.exhaustive || !waits(*rule->rule))) rejecting_.push_back(rule);
    if (effect == Effect::reject || effect == Effect::penalise || effect == Effect::reward) weighing_.push_back(rule);
  }
  RuleList of_answer;
  evaluation_.narrow(rules.of(RuleScope::recommendation), facts_, of_answer);
  for (const ActiveRule* rule : of_answer) {
    const auto tags = rule->rule->spec.tags;
    const bool reason = std::find(tags.begin(), tags.end(), "reason") != tags.end();
    (reason ? reasons_ : answer_).push_back(rule);
  }
  std::stable_sort(reasons_.begin(), reasons_.end(), [](const ActiveRule* a, const ActiveRule* b) {
    return std::tuple(!a->origin.empty(), a->rule->line) < std::tuple(!b->origin.empty(), b->rule->line);
  });
}

Note Judge::note(const ActiveRule& rule, RuleContext& context) {
  Note out{rule.id(), rule.severity, evaluation_.message(rule, context, options_.lang), {}, {}, rule.origin};
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

void Judge::set_family(const Entry& entry) {
  // A status that the user asked to include, or a name that the user gave, is not held against the type.
  const bool named = entry.named || std::find(options_.include.begin(), options_.include.end(),
                                              status_of(*entry.family, *entry.type)) != options_.include.end();
  const Accelerator* accelerator = accelerator_of(catalog_, *entry.type);
  if (entry.family == family_ && accelerator == accelerator_ && named == named_) return;
  family_ = entry.family;
  accelerator_ = accelerator;
  named_ = named;
  facts_.clear(Field::accelerator_id, Field::instance_type);
  facts_.clear(Field::request_family_named);
  if (accelerator != nullptr) set_accelerator(facts_, *accelerator, catalog_, type_lists_);
  facts_.clear(Field::accelerator_memory_gib);  // a type's own
  const auto [at, fresh] = card_rules_.try_emplace(accelerator);
  if (fresh) {
    evaluation_.narrow(rejecting_, facts_, at->second.rejecting);
    evaluation_.narrow(weighing_, facts_, at->second.weighing);
  }
  card_ = &at->second;
  facts_.set(Field::request_family_named, named);
  gpuadvise::set_family(facts_, *entry.family, type_lists_);
  if (!regions_.empty()) set_regions(*entry.family);
  // Narrowing for a family costs as much as judging a type of it.
  constexpr std::size_t kWorthNarrowing = 3;
  if (entry.family->types.size() >= kWorthNarrowing) {
    evaluation_.narrow(card_->rejecting, facts_, family_rejecting_);
  } else {
    family_rejecting_ = card_->rejecting;
  }
}

// What is asked for and sold counts as a region of the family: a pattern, or one that only a price names. Where no
// source lists the family's regions, those of a vendor that has none of the asked ones stand for them.
void Judge::set_regions(const Family& family) {
  std::vector<std::string_view> known(family.regions.begin(), family.regions.end());
  bool nowhere = true;
  for (const auto asked : regions_) {
    const Sold sold = sold_in(catalog_, family, asked);
    nowhere = nowhere && sold == Sold::no;
    if (sold == Sold::yes && std::find(known.begin(), known.end(), asked) == known.end()) known.push_back(asked);
  }
  const Vendor* vendor = find_vendor(catalog_, family.vendor);
  if (known.empty() && nowhere && vendor != nullptr) known = regions_of(catalog_, *vendor);
  facts_.set(Field::family_regions, known, type_lists_.family_regions);
}

void Judge::set_type(const Entry& entry) {
  // Fields of one group after another stand in the order of the published list.
  facts_.clear(Field::instance_type, Field::software_cuda);
  set_family(entry);
  if (accelerator_ != nullptr) facts_.set(Field::accelerator_memory_gib, accelerator_->memory_gib);
  gpuadvise::set_type(facts_, *entry.family, *entry.type);
}

Note Judge::rejection(const ActiveRule& rule) {
  const bool worded = !options_.brief || worded_.insert(rule.id()).second;
  return worded ? note(rule, facts_) : Note{rule.id(), rule.severity, {}, {}, {}, rule.origin};
}

std::vector<Note> Judge::type(const Entry& entry, bool all) {
  set_type(entry);
  return rejections(family_rejecting_, all);
}

std::vector<Note> Judge::card(const Accelerator& accelerator) {
  family_ = nullptr;
  accelerator_ = nullptr;
  facts_.clear(Field::accelerator_id, Field::software_cuda);
  set_accelerator(facts_, accelerator, catalog_, type_lists_);
  RuleList of_card;
  for (const ActiveRule* rule : rejecting_) {
    if (!looks_within(*rule->rule, Field::family_name, Field::software_cuda)) of_card.push_back(rule);
  }
  return rejections(of_card, true);
}

std::vector<Note> Judge::rejections(const RuleList& rules, bool all) {
  std::vector<Note> out;
  for (const ActiveRule* rule : rules) {
    const Firing firing = evaluation_.apply(*rule, facts_);
    if (firing.rule == nullptr || firing.undecided) continue;
    out.push_back(rejection(*rule));
    if (!all) break;
  }
  return out;
}

RuleContext& Judge::outcome() {
  facts_.clear(Field::layout_nodes, Field::software_cuda);
  return facts_;
}

Note Judge::rejection(std::initializer_list<std::string_view> rules) {
  const ActiveRule* stated = nullptr;
  for (const auto id : rules) {
    stated = all_.find(id);
    if (stated == nullptr || !stated->disabled.empty()) continue;
    const Firing firing = evaluation_.apply(*stated, facts_);
    if (firing.rule != nullptr && !firing.undecided) break;
  }
  return stated != nullptr ? rejection(*stated) : Note{*(rules.end() - 1), Severity::error, {}, {}, {}, {}};
}

std::vector<Note> Judge::candidate(const Recommendation& r, CriterionFactors& factors, bool all,
                                   std::span<const std::string_view> known) {
  set_candidate(r);
  std::vector<Note> rejections;
  for (const auto& firing : evaluation_.apply(card_->weighing, facts_)) {
    const RuleSpec& spec = firing.rule->rule->spec;
    if (spec.effect == Effect::reject) {
      if (std::find(known.begin(), known.end(), spec.id) != known.end()) continue;
      rejections.push_back(rejection(*firing.rule));
      if (!all) return rejections;
    }
    if (spec.effect != Effect::penalise && spec.effect != Effect::reward) continue;
    const double factor = spec.effect == Effect::penalise ? firing.factor : 1 / firing.factor;
    factors.of(spec.criterion) *= factor;
  }
  return rejections;
}

void Judge::describe(Recommendation& r, bool pick, const AnswerFacts& answer) {
  set_type({r.family, r.type, r.named, false});
  set_candidate(r);
  answer.set_candidate(facts_, r);
  if (pick) answer.set_pick(facts_);
  std::vector<const ActiveRule*> fired;  // messages use the evaluation's buffers
  for (const auto& firing : evaluation_.apply(rules_, facts_)) fired.push_back(firing.rule);
  if (pick) {
    for (const auto& firing : evaluation_.apply(answer_, facts_)) fired.push_back(firing.rule);
  }
  for (const ActiveRule* rule : fired) r.warnings.push_back(note(*rule, facts_));
  std::stable_sort(r.warnings.begin(), r.warnings.end(),
                   [](const Note& a, const Note& b) { return a.severity < b.severity; });
  if (!pick) return;
  constexpr std::size_t kMostReasons = 5;
  for (const ActiveRule* rule : reasons_) {
    const Firing firing = evaluation_.apply(*rule, facts_);
    if (firing.rule == nullptr || firing.undecided || r.reasons.size() >= kMostReasons) continue;
    r.reasons.push_back(note(*rule, facts_));
    r.reasons.back().remedy.clear();  // a reason calls for nothing
  }
}

void Judge::set_candidate(const Recommendation& r) {
  facts_.clear(Field::layout_nodes, Field::software_cuda);
  set_layout(facts_, r.machine, r.layout);
  set_estimate(facts_, r.estimate);
  facts_.set(Field::search_layout_found, true);
  facts_.set(Field::layout_runs_at_once, r.runs_at_once);
  facts_.set(Field::layout_machines_together, r.machines_together);
  facts_.set(Field::estimate_hours_to_finish, r.hours_to_finish);
  const double slow = 1 + std::min(0.0, r.estimate.speed.band_low_percent / 100);
  if (r.hours_to_finish && slow > 0) facts_.set(Field::estimate_hours_to_finish_late, *r.hours_to_finish / slow);
  facts_.set(Field::estimate_single_node_speed_ratio, r.single_machine_ratio);
  if (r.fleet) {
    facts_.set(Field::estimate_replica_requests_per_second, r.fleet->replica.requests_per_second);
    facts_.set(Field::layout_replicas, r.fleet->peak);
    facts_.set(Field::layout_replicas_off_peak, r.fleet->off_peak);
  }
}

}  // namespace gpuadvise
