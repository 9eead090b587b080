#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "advisor/standing.h"

namespace gpuadvise {

namespace {

const ScoreTerm* find_term(const Recommendation& r, std::string_view criterion) {
  for (const auto& term : r.criteria) {
    if (term.criterion == criterion) return &term;
  }
  return nullptr;
}

std::optional<double> value_of(const Recommendation& r, std::string_view criterion) {
  const ScoreTerm* term = find_term(r, criterion);
  return term == nullptr ? std::nullopt : term->value;
}

double share_of(const Recommendation& r, std::string_view criterion) {
  const ScoreTerm* term = find_term(r, criterion);
  return term == nullptr ? 0 : std::min(1.0, term->normalised / term->factor);
}

double score_under(const Recommendation& r, std::span<const CriterionWeight> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0, [&](double sum, const CriterionWeight& w) {
    return sum + w.weight * share_of(r, w.criterion);
  });
}

// In order of cost, whatever is faster than everything cheaper stands on the front.
void mark_front(std::vector<Recommendation>& candidates) {
  std::vector<Recommendation*> known;
  for (auto& r : candidates) {
    if (value_of(r, "cost") && value_of(r, "time")) known.push_back(&r);
  }
  const auto both = [](const Recommendation* r) { return std::pair(*value_of(*r, "cost"), *value_of(*r, "time")); };
  std::stable_sort(known.begin(), known.end(), [&](const auto* a, const auto* b) { return both(a) < both(b); });
  const Recommendation* last = nullptr;
  for (Recommendation* r : known) {
    r->pareto = last == nullptr || both(r).second < both(last).second || both(r) == both(last);
    if (r->pareto) last = r;
  }
}

double half_band(const SpeedEstimate& s) {
  return std::max(std::abs(s.band_low_percent), std::abs(s.band_high_percent)) / 100;
}

// Estimates of one card err together, so only different cards are ever told apart by less than the error.
bool tied(const Recommendation& pick, const Recommendation& r) {
  const double behind = pick.score - r.score;
  if (std::round(pick.score * 10) == std::round(r.score * 10)) return true;
  if (pick.machine.accelerator == r.machine.accelerator) return false;
  const auto by_speed = [](const Recommendation& x) {
    double sum = 0;
    for (const auto& term : x.criteria) {
      const bool speed = term.criterion == "cost" || term.criterion == "time" || term.criterion == "latency";
      if (speed && term.value) sum += 100 * term.contribution;
    }
    return sum;
  };
  const double error = std::hypot(half_band(pick.estimate.speed), half_band(r.estimate.speed));
  return behind <= error * std::max(by_speed(pick), by_speed(r));
}

// The first of the best: candidates that print the same in it stand in the order of the ranking.
template <class Value>
void give(std::vector<Recommendation>& candidates, Role role, Value value) {
  std::optional<double> most;
  for (const auto& r : candidates) {
    const std::optional<double> v = value(r);
    if (v && (!most || *v > *most)) most = v;
  }
  if (!most) return;
  constexpr double kSame = 1e-3;
  const auto best = std::find_if(candidates.begin(), candidates.end(), [&](const Recommendation& r) {
    const std::optional<double> v = value(r);
    return v && *v >= *most - kSame * std::abs(*most);
  });
  best->roles.push_back(role);
}

std::optional<double> least(const std::optional<double>& value) {
  return value ? std::optional(-*value) : std::nullopt;
}

}  // namespace

std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, 4> kNames = {"cheapest", "fastest", "balanced", "safest_supply"};
  return kNames[static_cast<std::size_t>(role)];
}

void mark_standing(std::vector<Recommendation>& candidates, std::span<const CriterionWeight> balanced) {
  if (candidates.empty()) return;
  mark_front(candidates);
  for (std::size_t i = 1; i < candidates.size(); ++i) candidates[i].tied = tied(candidates.front(), candidates[i]);
  give(candidates, Role::cheapest, [](const Recommendation& r) { return least(value_of(r, "cost")); });
  give(candidates, Role::fastest, [](const Recommendation& r) { return least(value_of(r, "time")); });
  give(candidates, Role::balanced, [&](const Recommendation& r) { return std::optional(score_under(r, balanced)); });
  give(candidates, Role::safest_supply,
       [](const Recommendation& r) { return std::optional(share_of(r, "lifecycle") + share_of(r, "availability")); });
}

}  // namespace gpuadvise
