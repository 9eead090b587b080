#include <algorithm>
#include <cmath>

#include "check/type_facts.h"

namespace gpuadvise::check {

namespace {

// Weights as they lie on disk: two bytes a parameter, unless they are kept in another format.
void set_checkpoint_size(RuleContext& c, const Workload& w) {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  const std::string_view weights = w.profile.inference.weights.value_or("");
  double bytes = 2;
  if (weights == "fp32") bytes = 4;
  if (weights == "fp8" || weights == "int8" || weights == "w8a8") bytes = 1;
  if (weights.find("int4") != std::string_view::npos || weights == "nf4") bytes = 0.5;
  if (w.params > 0 && !c.known(Field::workload_checkpoint_gib)) {
    c.set(Field::workload_checkpoint_gib, w.params * bytes / kGib);
  }
}

}  // namespace

void FactFiller::machine(RuleContext& c, const Subject& subject, RuleLists& lists) const {
  if (subject.workload != nullptr) {
    set_workload(c, *subject.workload, lists);
    set_checkpoint_size(c, *subject.workload);
    // A preset's guess at the environment is no statement of the plan.
    const auto& assumed = subject.workload->assumptions;
    const bool guessed = std::any_of(assumed.begin(), assumed.end(),
                                     [](const Assumption& a) { return a.field == "operations.environment"; });
    if (guessed) c.clear(Field::request_environment);
  }
  set_plan(c, subject, groups_[subject.group]);
}

void FactFiller::type(RuleContext& c, const Subject& subject, std::string_view name, TypeFacts& facts) const {
  const TypeMatch& match = types_.find(name);
  facts.match = &match;
  c.set(Field::plan_type, name);
  c.set(Field::plan_type_documented, match.type != nullptr);
  c.set(Field::plan_type_accelerated, match.accelerated);
  c.set(Field::plan_type_foreign, match.foreign || (!subject.machine->platform.empty() && match.type == nullptr));
  c.set(Field::plan_type_trial, match.trial);
  c.set(Field::plan_type_vendor, match.named_vendor);
  c.set(Field::plan_suggestion, match.suggestion);
  if (match.note != nullptr) {
    facts.truth = std::string(lang_ == Lang::zh ? match.note->truth.zh : match.note->truth.en);
    c.set(Field::plan_name_truth, facts.truth);
  }
  if (match.type == nullptr) return;
  set_instance(c, *match.family, *match.type, match.card, knowledge_.catalog, facts.lists);
  if (match.family->rdma.empty() && !match.type->rdma_gbps) {
    // No page read names RDMA for the family: a plan that needs it must not count on it.
    c.set(Field::instance_rdma_gbps, 0.0);
  }
  if (subject.workload != nullptr)
    facts.sizing = sizer_.size(*subject.workload, *match.family, *match.type, subject.nodes);
  if (facts.sizing != nullptr) sizing(c, subject, *facts.sizing);
  cost(c, subject, match);
}

void FactFiller::cost(RuleContext& c, const Subject& subject, const TypeMatch& match) const {
  const PriceChoice choice =
      sizer_.price(*match.family, *match.type, subject.workload, std::string_view(subject.machine->charge));
  const double machines = std::max(1.0, groups_[subject.group].nodes);
  // The estimate's own cost is that of the workload's charge type, which the plan may overrule.
  for (const Field field :
       {Field::cost_currency, Field::cost_foreign_currency, Field::cost_per_hour, Field::cost_per_hour_low})
    c.clear(field);
  c.set(Field::cost_known, choice.per_hour.has_value());
  if (choice.why == "cost/other-currency") c.set(Field::cost_foreign_currency, choice.price->currency);
  if (!choice.per_hour) return;
  c.set(Field::cost_currency, choice.currency);
  c.set(Field::cost_per_hour, *choice.per_hour * machines);
  if (choice.per_hour_low) c.set(Field::cost_per_hour_low, *choice.per_hour_low * machines);
}

void FactFiller::sizing(RuleContext& c, const Subject& subject, const Sizing& sizing) const {
  set_layout(c, sizing.machine, sizing.layout);
  if (!sizing.heads_divided) c.set(Field::search_layout_found, false);
  set_estimate(c, sizing.estimate);
  const MemoryEstimate& memory = sizing.estimate.memory;
  if (memory.known) {
    c.set(Field::estimate_memory_fits, memory.fits);
    if (!memory.fits) {
      // What decides is what the card must have, against what the engine may take of it.
      c.set(Field::estimate_memory_total_gib, memory.required);
      const double limit = memory.limit_gib > 0 ? std::min(memory.limit_gib, memory.capacity_gib) : memory.capacity_gib;
      c.set(Field::estimate_memory_capacity_gib, limit);
    }
  }
  if (sizing.single_node_ratio) c.set(Field::estimate_single_node_speed_ratio, *sizing.single_node_ratio);
  if (subject.use == Use::serving && sizing.needed_gib > 0 && memory.capacity_gib > 0) {
    const double cards = std::ceil(sizing.needed_gib / memory.capacity_gib);
    if (cards < 1e6) c.set(Field::estimate_cards_needed_for_memory, static_cast<int>(cards));
  }
  if (subject.use == Use::serving && sizing.needed_gib > 0 && memory.fits) {
    const double cards = std::max(1.0, sizing.machine.accelerators_per_node);
    c.set(Field::plan_need_ratio, cards * sizing.machine.memory_gib / sizing.needed_gib);
  }
}

void FactFiller::card(RuleContext& c, const Subject& subject, const Carrier& carrier, RuleLists& lists) const {
  if (carrier.card == nullptr) return;
  set_accelerator(c, *carrier.card, knowledge_.catalog, lists);
  if (subject.workload == nullptr || carrier.type == nullptr) return;
  const Sizing* found = sizer_.size(*subject.workload, *carrier.family, *carrier.type, subject.nodes);
  if (found == nullptr) return;
  sizing(c, subject, *found);
  // The machine stands in for one that the file does not name: neither its price nor its size is a statement of the
  // file.
  for (const Field field : {Field::cost_known, Field::cost_currency, Field::cost_foreign_currency, Field::cost_per_hour,
                            Field::cost_per_hour_low, Field::plan_need_ratio})
    c.clear(field);
}

}  // namespace gpuadvise::check
