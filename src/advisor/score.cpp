#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "advisor/layouts.h"
#include "advisor/score.h"

namespace gpuadvise {

namespace {

// A criterion where less is better, in the unit it is shown in.
struct Raw {
  std::optional<double> value;
  std::string_view unit;
};

bool bounded(const Workload& w) { return w.kind == TaskKind::llm_training || w.kind == TaskKind::media_training; }

bool serves(const Workload& w) {
  return w.kind == TaskKind::llm_serving || w.kind == TaskKind::interactive || w.kind == TaskKind::media_inference;
}

double cards_of(const Recommendation& r) { return std::max(1.0, r.machine.accelerators_per_node) * r.machine.nodes; }

// `in_hours`: the duration of some candidate is known, so that is what all are compared by.
Raw cost_of(const Recommendation& r, const Workload& w, bool in_hours) {
  const CostEstimate& c = r.estimate.cost;
  if (!c.known) return {std::nullopt, {}};
  if (in_hours) return {c.to_finish, "to finish"};
  const double rate = merit(w, r.estimate.speed, Objective::balanced);
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

// candidates[i] becomes what candidates[order[i]] was. They are large, so each is moved once and in place.
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

}  // namespace

double communication_share(const SpeedEstimate& s) {
  const StepTerms& t = s.terms;
  const double comm = t.tensor_comm + t.data_comm + t.expert_comm + t.context_comm + t.pipeline_bubble;
  if (!s.step_seconds || *s.step_seconds <= 0) return 0;
  return std::clamp(comm / *s.step_seconds, 0.0, 1.0);
}

void score(std::vector<Recommendation>& candidates, const std::vector<CriterionFactors>& factors, const Workload& w,
           const ObjectiveWeights& weights) {
  double best_cost = std::numeric_limits<double>::infinity();
  double best_time = best_cost;
  double best_latency = best_cost;
  const auto least = [](double& best, const Raw& raw) {
    if (raw.value && *raw.value > 0) best = std::min(best, *raw.value);
  };
  const bool in_hours = bounded(w) && std::any_of(candidates.begin(), candidates.end(), [](const Recommendation& r) {
                          return r.hours_to_finish.has_value();
                        });
  for (const auto& r : candidates) {
    least(best_cost, cost_of(r, w, in_hours));
    least(best_time, time_of(r, w, in_hours));
    least(best_latency, latency_of(r));
  }
  // A job that is done soon enough gains nothing by being done sooner.
  if (w.task->patience_hours && in_hours) {
    best_time = std::max(best_time, *w.task->patience_hours * weights.soon_enough);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Recommendation& r = candidates[i];
    const CriterionFactors& f = factors[i];
    r.criteria.clear();
    r.score = 0;
    for (const auto& item : weights.weights) {
      ScoreTerm term;
      term.criterion = item.criterion;
      term.weight = item.weight;
      const auto ratio = [&](const Raw& raw, double best) {
        term.value = raw.value;
        term.unit = raw.unit;
        // An unknown price or speed earns nothing: it never beats a known one.
        term.normalised = raw.value && *raw.value > 0 ? std::min(1.0, best / *raw.value) : 0;
      };
      if (item.criterion == "cost") {
        ratio(cost_of(r, w, in_hours), best_cost);
        term.factor = f.cost;
      } else if (item.criterion == "time") {
        ratio(time_of(r, w, in_hours), best_time);
        term.factor = f.time;
      } else if (item.criterion == "latency") {
        ratio(latency_of(r), best_latency);
        term.factor = f.latency;
      } else if (item.criterion == "memory") {
        const MemoryEstimate& m = r.estimate.memory;
        if (m.known && m.capacity_gib > 0) {
          term.value = m.headroom_gib / m.capacity_gib;
          term.unit = "of capacity free";
          term.normalised = std::clamp(*term.value / weights.enough_headroom, 0.0, 1.0);
        }
        term.factor = f.memory;
      } else if (item.criterion == "network") {
        term.value = communication_share(r.estimate.speed);
        term.unit = "of the step waits";
        term.normalised = 1 - *term.value;
        term.factor = f.network;
      } else if (item.criterion == "lifecycle") {
        term.normalised = 1;
        term.factor = f.lifecycle;
      } else if (item.criterion == "availability") {
        term.normalised = 1;
        term.factor = f.availability;
      }
      term.contribution = term.weight * std::min(1.0, term.normalised / term.factor);
      r.score += 100 * term.contribution;
      r.criteria.push_back(term);
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
