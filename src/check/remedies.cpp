#include <algorithm>

#include "check/remedies.h"

namespace gpuadvise::check {

namespace {

// Advice that speaks against the type is worth a concrete one; a remark on its supply or its software is not.
bool against_type(const RuleSpec& spec) {
  if (spec.scope != RuleScope::candidate) return false;
  return spec.effect == Effect::reject ||
         (spec.effect == Effect::penalise && spec.criterion != Criterion::availability);
}

bool names(std::string_view text, std::string_view field) { return text.find(field) != std::string_view::npos; }

void append(std::string& out, const std::string& more) { out += (out.empty() ? "" : "; ") + more; }

}  // namespace

std::string Remedies::text(const ActiveRule& rule, RuleContext& context, const About& about) {
  const std::string_view text = rule.remedy.in(texts_.lang());
  const TypeMatch& match = types_.find(about.type);
  const bool wants_instead = names(text, "{plan.instead");
  std::string instead;
  if (wants_instead || about.card != nullptr || against_type(rule.rule->spec)) {
    instead = replacements_.nearest(*about.subject, about.type, match,
                                    {rule.id(), about.card, looks_at(*rule.rule, Field::cost_per_hour)});
  }
  std::string cheaper;
  if (names(text, "{plan.cheaper_type") || names(text, "{plan.saving_per_hour"))
    set_cheaper(context, about, match, cheaper);
  const std::string no_type = texts_("check/no-type");
  if (wants_instead)
    context.set(Field::plan_instead, instead.empty() ? std::string_view(no_type) : std::string_view(instead));
  std::string out = evaluation_.remedy(rule, context, texts_.lang());
  if (const std::string found = fixes(rule, about, match); !found.empty())
    append(out, texts_("check/fixes", {{"fixes", found}}));
  if (!wants_instead && !instead.empty()) append(out, texts_("check/instead", {{"type", instead}}));
  context.clear(Field::plan_instead).clear(Field::plan_cheaper_type).clear(Field::plan_saving_per_hour);
  return out;
}

std::string Remedies::fixes(const ActiveRule& rule, const About& about, const TypeMatch& match) {
  std::string out;
  const Subject& subject = *about.subject;
  if (!looks_at(*rule.rule, Field::estimate_memory_fits) || subject.workload == nullptr || match.type == nullptr)
    return out;
  const Sizing* now = sizer_.size(*subject.workload, *match.family, *match.type, subject.nodes);
  if (now == nullptr || now->estimate.memory.fits) return out;
  for (const auto& fix : sizer_.fixes(*subject.workload, *match.family, *match.type, subject.nodes)) {
    out += (out.empty() ? "" : ", ") + fix;
  }
  return out;
}

void Remedies::set_cheaper(RuleContext& context, const About& about, const TypeMatch& match, std::string& cheaper) {
  const Subject& subject = *about.subject;
  if (match.type == nullptr || subject.workload == nullptr) return;
  const Option* found = replacements_.cheapest(subject, match);
  if (found == nullptr) return;
  cheaper = std::string(found->type->name);
  context.set(Field::plan_cheaper_type, cheaper);
  const std::string_view charge = subject.machine->charge;
  const PriceChoice now = sizer_.price(*match.family, *match.type, subject.workload, charge);
  const PriceChoice then = sizer_.price(*found->family, *found->type, subject.workload, charge);
  if (!now.per_hour || !then.per_hour || *now.per_hour <= *then.per_hour) return;
  const double machines = std::max(1.0, groups_[subject.group].nodes);
  context.set(Field::plan_saving_per_hour, (*now.per_hour - *then.per_hour) * machines);
}

}  // namespace gpuadvise::check
