#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "advisor/figures.h"
#include "advisor/score.h"
#include "advisor/standing.h"

namespace gpuadvise {

namespace {

double share_of(const Recommendation& r, std::string_view criterion) {
  for (const auto& term : r.criteria) {
    if (term.criterion == criterion) return std::min(1.0, term.normalised / term.factor);
  }
  return 0;
}

double score_under(const Recommendation& r, std::span<const CriterionWeight> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0, [&](double sum, const CriterionWeight& w) {
    return sum + w.weight * share_of(r, w.criterion);
  });
}

// In order of cost, whatever is faster than everything cheaper stands on the front.
void mark_front(std::vector<Recommendation>& candidates, const Workload& w) {
  struct Point {
    double cost;
    double time;
    Recommendation* candidate;
  };
  std::vector<Point> known;
  known.reserve(candidates.size());
  for (auto& r : candidates) {
    const auto cost = paid(r, w);
    const auto time = time_taken(r, w);
    if (cost && time) known.push_back({*cost, *time, &r});
  }
  std::stable_sort(known.begin(), known.end(), [](const Point& a, const Point& b) {
    return std::pair(a.cost, a.time) < std::pair(b.cost, b.time);
  });
  const Point* last = nullptr;
  for (const Point& p : known) {
    p.candidate->pareto = last == nullptr || p.time < last->time || (p.time == last->time && p.cost == last->cost);
    if (p.candidate->pareto) last = &p;
  }
}

double half_band(const SpeedEstimate& s) {
  return std::max(std::abs(s.band_low_percent), std::abs(s.band_high_percent)) / 100;
}

// A score in the parts that ties are about, in points.
struct Parts {
  double estimated = 0;  // what the estimate of speed decides
  double firm = 0;       // what stands whatever the speed turns out to be, less what rules take off the rest
  double half_band = 0;  // error of the speed, as a share of it
  std::optional<double> cost, time, latency;
  const Accelerator* card = nullptr;
};

Parts parts_of(const Recommendation& r) {
  Parts out;
  for (const auto& term : r.criteria) {
    const bool speed = term.criterion == "cost" || term.criterion == "time" || term.criterion == "latency";
    if (speed && term.value) out.estimated += 100 * term.contribution;
    out.firm += 100 * (term.contribution - (speed ? term.weight * term.normalised : 0));
    if (term.criterion == "cost") out.cost = term.value;
    if (term.criterion == "time") out.time = term.value;
    if (term.criterion == "latency") out.latency = term.value;
  }
  out.half_band = half_band(r.estimate.speed);
  out.card = r.machine.accelerator;
  return out;
}

double error_between(const Parts& a, const Parts& b) { return std::hypot(a.half_band, b.half_band); }

bool within_error(double behind, const Parts& a, const Parts& b) {
  return std::abs(behind) <= error_between(a, b) * std::max(a.estimated, b.estimated);
}

bool same_score(const Recommendation& a, const Recommendation& b) {
  return std::round(a.score * 10) == std::round(b.score * 10);
}

// On another card, cheaper, not slower by more than the error, and no worse in anything that is not estimated.
bool goes_before(const Parts& a, const Parts& first) {
  constexpr double kSame = 0.05;  // points
  if (a.card == first.card || !a.cost || !first.cost || *a.cost >= *first.cost) return false;
  if (a.firm < first.firm - kSame) return false;
  const double most = 1 + error_between(a, first);
  const auto as_fast = [&](const std::optional<double>& mine, const std::optional<double>& of_first) {
    return !of_first || (mine && *mine <= *of_first * most);
  };
  return as_fast(a.time, first.time) && as_fast(a.latency, first.latency);
}

// Of the candidates of one tie, best score first: each place goes to the cheapest that goes before the first that is
// left.
void put_in_stated_order(std::span<std::size_t> tie, const std::vector<Parts>& parts) {
  for (auto first = tie.begin(); first != tie.end(); ++first) {
    auto chosen = first;
    for (auto i = first + 1; i != tie.end(); ++i) {
      if (goes_before(parts[*i], parts[*first]) && (chosen == first || *parts[*i].cost < *parts[*chosen].cost)) {
        chosen = i;
      }
    }
    std::rotate(first, chosen, chosen + 1);
  }
}

// The candidates from `begin` on that the error does not tell from the first of them.
std::size_t end_of_tie(const std::vector<Recommendation>& candidates, const std::vector<Parts>& parts,
                       std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < candidates.size() &&
         (same_score(candidates[begin], candidates[end]) ||
          within_error(candidates[begin].score - candidates[end].score, parts[begin], parts[end]))) {
    ++end;
  }
  return end;
}

// Estimates of one card err together, so only different cards are ever not told apart by the error.
void mark_tied(std::vector<Recommendation>& candidates) {
  const Recommendation& pick = candidates.front();
  const Parts mine = parts_of(pick);
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    Recommendation& r = candidates[i];
    const bool other_card = r.machine.accelerator != pick.machine.accelerator;
    r.tied = same_score(pick, r) || (other_card && within_error(pick.score - r.score, mine, parts_of(r)));
  }
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

void order_ties(std::vector<Recommendation>& candidates) {
  std::vector<Parts> parts;
  parts.reserve(candidates.size());
  for (const auto& r : candidates) parts.push_back(parts_of(r));
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  int tie = 0;
  for (std::size_t begin = 0; begin < candidates.size();) {
    const std::size_t end = end_of_tie(candidates, parts, begin);
    ++tie;
    for (std::size_t i = begin; i < end; ++i) candidates[i].tie = tie;
    put_in_stated_order(std::span(order).subspan(begin, end - begin), parts);
    begin = end;
  }
  put_in_order(candidates, order);
}

void mark_standing(std::vector<Recommendation>& candidates, const Workload& w,
                   std::span<const CriterionWeight> balanced) {
  if (candidates.empty()) return;
  mark_front(candidates, w);
  mark_tied(candidates);
  give(candidates, Role::cheapest, [&](const Recommendation& r) { return least(paid(r, w)); });
  give(candidates, Role::fastest, [&](const Recommendation& r) { return least(time_taken(r, w)); });
  give(candidates, Role::balanced, [&](const Recommendation& r) { return std::optional(score_under(r, balanced)); });
  give(candidates, Role::safest_supply,
       [](const Recommendation& r) { return std::optional(share_of(r, "lifecycle") + share_of(r, "availability")); });
}

}  // namespace gpuadvise
