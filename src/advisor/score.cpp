#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>
#include <tuple>

#include "gpuadvise/error.h"

#include "advisor/figures.h"
#include "advisor/layouts.h"
#include "advisor/score.h"
#include "base/text.h"
#include "rules/rule_fields.h"

namespace gpuadvise {

namespace {

// A criterion where less is better, in the unit it is shown in.
struct Raw {
  std::optional<double> value;
  std::string_view unit;
};

double cards_of(const Recommendation& r) { return std::max(1.0, r.machine.accelerators_per_node) * r.machine.nodes; }

// `in_hours`: the duration of some candidate is known, so that is what all are compared by.
Raw cost_of(const Recommendation& r, const Workload& w, bool in_hours) {
  const CostEstimate& c = r.estimate.cost;
  if (!c.known) return {std::nullopt, {}};
  // What training on spot without checkpoints costs in all is not known; what it takes undisturbed still compares.
  const bool undisturbed = c.why == "cost/spot-no-checkpoints" && r.hours_to_finish;
  if (in_hours && undisturbed) return {*c.per_hour * *r.hours_to_finish, "to finish undisturbed"};
  if (in_hours) return {c.to_finish, "to finish"};
  const double rate = merit(w, r.estimate.speed, Objective::balanced);
  if (carries_load(w) && rate > 0) return {c.per_hour, "per hour"};
  // Whoever types pays by the hour, whatever the speed.
  if (w.kind == TaskKind::interactive && rate <= 0) return {c.per_hour, "per hour"};
  if (rate <= 0 || !c.per_hour) return {std::nullopt, {}};
  // A service pays by the hour while it idles and by the unit while it is busy; between the two lies their mean.
  if (serves(w)) return {std::sqrt(*c.per_hour * *c.per_hour / rate), "mean of per hour and per unit"};
  return {*c.per_hour / rate, "per hour and unit of speed"};
}

Raw time_of(const Recommendation& r, const Workload& w, bool in_hours) {
  if (in_hours) return {r.hours_to_finish, "h"};
  const double rate = merit(w, r.estimate.speed, Objective::balanced);
  if (rate <= 0) return {std::nullopt, {}};
  if (carries_load(w)) return {1.0, "of the load carried"};
  // With no job to finish, more cards are not faster: one replica or one card is what a request meets.
  const double streams =
      w.kind == TaskKind::llm_serving || w.kind == TaskKind::interactive ? std::max(1, r.layout.data) : cards_of(r);
  return {streams / rate, "s per unit"};
}

Raw latency_of(const Recommendation& r) {
  const SpeedEstimate& s = r.estimate.speed;
  if (s.latency_ms) return {s.latency_ms, "ms"};
  return {s.tpot_ms, "ms"};
}

}  // namespace

double communication_share(const SpeedEstimate& s) {
  const StepTerms& t = s.terms;
  const double comm = t.tensor_comm + t.data_comm + t.expert_comm + t.context_comm + t.pipeline_bubble;
  if (!s.step_seconds || *s.step_seconds <= 0) return 0;
  return std::clamp(comm / *s.step_seconds, 0.0, 1.0);
}

std::vector<CriterionWeight> weights_of(const ObjectiveWeights& objective, std::span<const CriterionWeight> own) {
  std::vector<CriterionWeight> out(objective.weights.begin(), objective.weights.end());
  if (own.empty()) return out;
  for (auto& row : out) row.weight = 0;
  double total = 0;
  for (const auto& given : own) {
    static constexpr auto kKnown = names(Criterion{});
    const auto known = std::span(kKnown).subspan(1);  // none is no criterion
    if (std::find(known.begin(), known.end(), given.criterion) == known.end()) {
      throw InputError(Place{"--weight"},
                       fmt::format("unknown criterion \"{}\"{}; known: {}", base::printable(given.criterion),
                                   base::did_you_mean(given.criterion, known), fmt::join(known, ", ")));
    }
    const auto at = std::find_if(out.begin(), out.end(), [&](const auto& w) { return w.criterion == given.criterion; });
    if (at == out.end()) {
      out.push_back(given);
    } else {
      at->weight = given.weight;
    }
    total += given.weight;
  }
  if (!(total > 0)) throw InputError(Place{"--weight"}, "the weights add up to nothing");
  for (auto& row : out) row.weight /= total;
  return out;
}

namespace {

// The best value of each criterion that is compared by its ratio to the best.
struct Best {
  double cost = std::numeric_limits<double>::infinity();
  double time = cost;
  double latency = cost;
  // An unknown price never beats a known one: it counts as the dearest of them.
  double worst_cost = 0;
};

class Scorer {
 public:
  Scorer(const std::vector<Recommendation>& candidates, const Workload& w, const ObjectiveWeights& objective)
      : w_(w), objective_(objective) {
    in_hours_ = std::any_of(candidates.begin(), candidates.end(),
                            [](const Recommendation& r) { return r.hours_to_finish.has_value(); });
    std::vector<double> costs;
    for (const auto& r : candidates) {
      const Raw cost = cost_of(r, w, in_hours_);
      if (cost.value && *cost.value > 0) costs.push_back(*cost.value);
      least(best_.time, time_of(r, w, in_hours_));
      least(best_.latency, latency_of(r));
    }
    if (!costs.empty()) {
      const auto [least_cost, most_cost] = std::minmax_element(costs.begin(), costs.end());
      best_.cost = *least_cost;
      best_.worst_cost = *least_cost / *most_cost;
    }
    // A job that is done soon enough gains nothing by being done sooner.
    if (w.task->patience_hours && in_hours_) {
      best_.time = std::max(best_.time, *w.task->patience_hours * objective.soon_enough);
    }
  }

  ScoreTerm term(const Recommendation& r, const CriterionWeight& item, const CriterionFactors& factors) const {
    static constexpr auto kNames = names(Criterion{});
    const auto criterion =
        static_cast<Criterion>(std::find(kNames.begin(), kNames.end(), item.criterion) - kNames.begin());
    ScoreTerm out;
    out.criterion = item.criterion;
    out.weight = item.weight;
    out.factor = factors.of(criterion);
    switch (criterion) {
      case Criterion::cost:
        ratio(out, cost_of(r, w_, in_hours_), best_.cost);
        if (!r.estimate.cost.known && time_of(r, w_, in_hours_).value) out.normalised = best_.worst_cost;
        break;
      case Criterion::time:
        ratio(out, time_of(r, w_, in_hours_), best_.time);
        break;
      case Criterion::latency:
        ratio(out, latency_of(r), best_.latency);
        break;
      case Criterion::memory:
        headroom(out, r.estimate.memory);
        break;
      case Criterion::network:
        out.value = communication_share(r.estimate.speed);
        out.unit = "of the step waits";
        out.normalised = 1 - *out.value;
        break;
      default:  // what only rules weigh
        out.normalised = 1;
        break;
    }
    out.contribution = out.weight * std::min(1.0, out.normalised / out.factor);
    return out;
  }

 private:
  static void least(double& best, const Raw& raw) {
    if (raw.value && *raw.value > 0) best = std::min(best, *raw.value);
  }
  // An unknown speed earns nothing: it never beats a known one.
  static void ratio(ScoreTerm& term, const Raw& raw, double best) {
    term.value = raw.value;
    term.unit = raw.unit;
    term.normalised = raw.value && *raw.value > 0 ? std::min(1.0, best / *raw.value) : 0;
  }
  void headroom(ScoreTerm& term, const MemoryEstimate& m) const {
    if (!m.known || m.capacity_gib <= 0) return;
    term.value = m.headroom_gib / m.capacity_gib;
    term.unit = "of capacity free";
    term.normalised = std::clamp(*term.value / objective_.enough_headroom, 0.0, 1.0);
  }

  const Workload& w_;
  const ObjectiveWeights& objective_;
  bool in_hours_ = false;
  Best best_;
};

}  // namespace

void put_in_order(std::vector<Recommendation>& candidates, std::vector<std::size_t>& order) {
  for (std::size_t start = 0; start < order.size(); ++start) {
    if (order[start] == start) continue;
    Recommendation first = std::move(candidates[start]);
    std::size_t at = start;
    while (order[at] != start) {
      const std::size_t from = order[at];
      candidates[at] = std::move(candidates[from]);
      order[at] = at;
      at = from;
    }
    candidates[at] = std::move(first);
    order[at] = at;
  }
}

void score(std::vector<Recommendation>& candidates, const std::vector<CriterionFactors>& factors, const Workload& w,
           const ObjectiveWeights& objective, std::span<const CriterionWeight> weights) {
  const Scorer scorer(candidates, w, objective);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Recommendation& r = candidates[i];
    r.criteria.clear();
    r.score = 0;
    for (const auto& item : weights) {
      r.criteria.push_back(scorer.term(r, item, factors[i]));
      r.score += 100 * r.criteria.back().contribution;
    }
  }
  const auto key = [](const Recommendation& r) {
    const double cost = r.estimate.cost.per_hour.value_or(std::numeric_limits<double>::infinity());
    // Scores that print the same are the same: the cheaper, then the smaller machine, then the name decides.
    return std::tuple(-std::round(r.score * 10), cost, r.machine.accelerators_per_node * r.machine.nodes,
                      r.machine.vcpus, r.family->vendor, r.type->name);
  };
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return key(candidates[a]) < key(candidates[b]); });
  put_in_order(candidates, order);
}

}  // namespace gpuadvise
