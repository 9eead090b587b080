#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "advisor/answer_facts.h"
#include "advisor/figures.h"
#include "advisor/judge.h"
#include "advisor/layouts.h"
#include "catalog/lookup.h"
#include "estimate/cost.h"
#include "estimate/machine.h"
#include "estimate/pieces.h"

namespace gpuadvise {

namespace {

// A load or a number of pieces that machines divide between them without talking to each other.
bool shares_work(const Workload& w) {
  const InferenceSpec& asked = w.profile.inference;
  if (w.kind == TaskKind::llm_serving || w.kind == TaskKind::media_inference)
    return asked.requests_per_second.has_value();
  if (streams(w)) return carries_load(w);
  return independent_pieces(w).has_value();
}

}  // namespace

AnswerFacts::AnswerFacts(const Advice& advice, std::optional<QuantisedFit> quantised)
    : advice_(advice), quantised_(quantised) {
  for (const auto& r : advice.recommendations) {
    const auto cost = paid(r, advice.workload);
    if (cost && (cheapest_ == nullptr || *cost < least_)) cheapest_ = &r, least_ = *cost;
  }
}

void AnswerFacts::set_candidate(RuleContext& c, const Recommendation& r) const {
  const auto cost = paid(r, advice_.workload);
  if (cheapest_ == nullptr || !cost || least_ <= 0) return;
  constexpr double kSame = 1.001;
  const double ratio = *cost / least_;
  c.set(Field::cost_cheapest_fit_ratio, ratio);
  if (ratio > kSame) c.set(Field::cost_cheaper_fit, cheapest_->type->name);
}

void AnswerFacts::set_pick(RuleContext& c) const {
  const Recommendation& pick = advice_.recommendations.front();
  c.set(Field::answer_candidates, static_cast<int>(advice_.recommendations.size()));
  int priced = 0;
  int cheaper = 0;
  const auto mine = paid(pick, advice_.workload);
  for (const auto& r : advice_.recommendations) {
    const auto cost = paid(r, advice_.workload);
    if (!cost) continue;
    ++priced;
    if (mine && *cost < *mine * 0.999) ++cheaper;
  }
  c.set(Field::answer_priced, priced);
  if (mine) {
    c.set(Field::answer_cheaper, cheaper);
    set_fastest(c, *mine);
  }
  set_smaller_card(c);
  set_other_size(c);
  const auto per_hour = pick.estimate.cost.per_hour;
  if (quantised_ && per_hour && *per_hour > 0) {
    c.set(Field::estimate_quantised_weights, quantised_->weights);
    c.set(Field::cost_quantised_fit, quantised_->type->name);
    c.set(Field::cost_quantised_ratio, quantised_->per_hour / *per_hour);
  }
}

// The fastest of those that have a price, against the pick.
void AnswerFacts::set_fastest(RuleContext& c, double price) const {
  const auto mine = time_taken(advice_.recommendations.front(), advice_.workload);
  if (!mine) return;
  double cost_of_fastest = price;
  double least = *mine;
  for (const auto& r : advice_.recommendations) {
    const auto time = time_taken(r, advice_.workload);
    const auto cost = paid(r, advice_.workload);
    if (cost && time && *time < least) cost_of_fastest = *cost, least = *time;
  }
  c.set(Field::answer_fastest_speed_ratio, *mine / least);
  c.set(Field::answer_fastest_cost_ratio, cost_of_fastest / price);
}

// Few large machines against many small ones, where each machine works on its own.
void AnswerFacts::set_other_size(RuleContext& c) const {
  const Recommendation& pick = advice_.recommendations.front();
  const auto mine = paid(pick, advice_.workload);
  if (!shares_work(advice_.workload) || !mine || *mine <= 0) return;
  const auto at = std::find_if(advice_.recommendations.begin() + 1, advice_.recommendations.end(), [&](const auto& r) {
    return r.machine.accelerator == pick.machine.accelerator && !r.type->slice && !pick.type->slice &&
           r.machine.accelerators_per_node != pick.machine.accelerators_per_node && paid(r, advice_.workload);
  });
  if (at == advice_.recommendations.end()) return;
  c.set(Field::answer_other_size, at->type->name);
  c.set(Field::answer_other_size_accelerators, at->machine.accelerators_per_node);
  c.set(Field::answer_other_size_nodes, at->machine.nodes);
  c.set(Field::answer_other_size_cost_ratio, *paid(*at, advice_.workload) / *mine);
}

// The largest card that is too small in the same number shows what the memory is needed for. Small slices and old cards
// show nothing: the contrast is worth a word from half of what is needed.
void AnswerFacts::set_smaller_card(RuleContext& c) const {
  const Recommendation& pick = advice_.recommendations.front();
  const MemoryEstimate& m = pick.estimate.memory;
  if (!m.known) return;
  const Rejection* largest = nullptr;
  double gib = 0;
  for (const auto& r : advice_.rejected) {
    if (r.missing_gib <= 0 || !r.type->accelerator_memory_gib) continue;
    if (r.type->accelerators != pick.machine.accelerators_per_node) continue;
    const double its = *r.type->accelerator_memory_gib;
    if (its > gib && its < m.capacity_gib) largest = &r, gib = its;
  }
  if (largest == nullptr || gib < 0.5 * m.device) return;
  c.set(Field::answer_smaller_card_gib, gib);
  c.set(Field::answer_smaller_card_missing_gib, largest->missing_gib);
}

std::optional<QuantisedFit> find_quantised_fit(const Advice& advice, const Knowledge& knowledge, const RuleSet& rules,
                                               const RecommendOptions& options) {
  // In the order of what they change: fewer bits save more and alter more.
  static constexpr auto kFormats = std::to_array<std::string_view>({"int8", "awq-int4"});
  constexpr std::size_t kMostTries = 8;  // machines, the cheapest first
  const Workload& w = advice.workload;
  const bool serving = w.kind == TaskKind::llm_serving || w.kind == TaskKind::interactive;
  const auto weights = w.profile.inference.weights.value_or("");
  const bool wide = weights == "fp16" || weights == "bf16" || weights == "fp32";
  if (!serving || !wide || advice.recommendations.empty() || advice.recommendations.front().fleet) return std::nullopt;
  const auto most = advice.recommendations.front().estimate.cost.per_hour;
  if (!most) return std::nullopt;

  struct Target {
    const Rejection* rejection;
    double per_hour;
  };
  std::vector<Target> targets;
  for (const auto& r : advice.rejected) {
    if (r.missing_gib <= 0) continue;
    const auto per_hour =
        choose_price(knowledge.catalog, find_vendor(knowledge.catalog, r.family->vendor), *r.type, w).per_hour;
    if (per_hour && *per_hour < *most) targets.push_back({&r, *per_hour});
  }
  std::sort(targets.begin(), targets.end(), [](const Target& a, const Target& b) {
    return std::tuple(a.per_hour, a.rejection->type->name) < std::tuple(b.per_hour, b.rejection->type->name);
  });
  // Types that carry the same cards in the same number hold the same.
  std::set<std::pair<const Accelerator*, double>> seen;
  std::erase_if(targets, [&](const Target& t) {
    const InstanceType& type = *t.rejection->type;
    return !seen.emplace(accelerator_of(knowledge.catalog, type), type.accelerators.value_or(0)).second;
  });
  if (targets.size() > kMostTries) targets.resize(kMostTries);

  for (const auto& format : kFormats) {
    Profile changed = advice.asked;
    changed.inference.weights = format;
    const Workload quantised = resolve(changed, knowledge.catalog);
    const Estimator estimator(quantised, knowledge.calibration);
    Judge judge(quantised, knowledge.catalog, rules, options);
    for (const Target& t : targets) {
      const Entry entry{t.rejection->family, t.rejection->type, false, false};
      const auto machine = machine_of(knowledge.catalog, knowledge.hardware, *entry.family, *entry.type, 1);
      if (!machine || !judge.type(entry, false).empty()) continue;
      if (best_layout(estimator, *machine, knowledge, options.objective).fits) {
        return QuantisedFit{format, entry.type, t.per_hour};
      }
    }
  }
  return std::nullopt;
}

}  // namespace gpuadvise
