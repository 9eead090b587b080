#include <algorithm>
#include <tuple>

#include "estimate/cost.h"

namespace gpuadvise {

namespace {

ChargeType charge_of(const Workload& w) {
  switch (w.profile.operations.charge_type.value_or(ChargePreference::on_demand)) {
    case ChargePreference::on_demand:
      return ChargeType::on_demand;
    case ChargePreference::spot:
      return ChargeType::spot;
    case ChargePreference::month:
      return ChargeType::month;
    case ChargePreference::year:
      return ChargeType::year;
  }
  return ChargeType::on_demand;
}

bool matches(std::string_view pattern, std::string_view region) {
  if (pattern.ends_with("*")) return region.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == region;
}

bool home(const Vendor* vendor, std::string_view region) {
  if (vendor == nullptr) return false;
  const auto in = [&](std::span<const std::string_view> list) {
    return std::any_of(list.begin(), list.end(), [&](std::string_view p) { return matches(p, region); });
  };
  return in(vendor->home_regions) && !in(vendor->other_regions);
}

}  // namespace

const Price* find_price(const Catalog& catalog, const Vendor* vendor, const InstanceType& type, const Workload& w) {
  const auto first = std::lower_bound(catalog.prices.begin(), catalog.prices.end(), type.name,
                                      [](const Price& p, std::string_view name) { return p.type < name; });
  const auto last = std::find_if(first, catalog.prices.end(), [&](const Price& p) { return p.type != type.name; });
  if (first == last) return nullptr;
  const ChargeType charge = charge_of(w);
  const std::string_view currency = w.profile.constraints.currency.value_or("CNY");
  const auto regions = w.profile.constraints.regions.value_or(std::span<const std::string_view>());
  // Rank of a region: the user's order first, then home, then elsewhere.
  const auto rank = [&](const Price& p) {
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (matches(regions[i], p.region)) return i;
    }
    return regions.size() + (home(vendor, p.region) ? 0 : 1);
  };
  const Price* best = nullptr;
  for (auto at = first; at != last; ++at) {
    const Price& p = *at;
    if (p.charge != charge || p.currency != currency || !p.suspect.empty()) continue;
    if (!regions.empty() && rank(p) >= regions.size()) continue;
    if (best == nullptr) {
      best = &p;
      continue;
    }
    const auto key = [&](const Price& x) { return std::tuple(rank(x), x.amount, x.region); };
    const bool newer = p.as_of.substr(0, 7) > best->as_of.substr(0, 7) && rank(p) <= rank(*best);
    const bool as_new = p.as_of.substr(0, 7) >= best->as_of.substr(0, 7);
    if (newer || (as_new && key(p) < key(*best))) best = &p;
  }
  return best;
}

double hours_of(ChargeType charge) {
  constexpr double kMonth = 730;  // 8,760 hours a year over twelve months
  switch (charge) {
    case ChargeType::month:
      return kMonth;
    case ChargeType::year:
      return kMonth * 12;
    case ChargeType::on_demand:
    case ChargeType::spot:
      return 1;
  }
  return 1;
}

std::optional<double> work_of(const Workload& w) {
  const DataSpec& d = w.profile.data;
  const double epochs = d.epochs.value_or(1);
  if (w.kind == TaskKind::llm_training && d.dataset_tokens) return *d.dataset_tokens * epochs;
  if (w.kind == TaskKind::media_training && d.dataset_samples) return *d.dataset_samples * epochs;
  return std::nullopt;
}

std::optional<double> hours_to_finish(const Workload& w, const SpeedEstimate& speed) {
  const auto work = work_of(w);
  const auto rate = w.kind == TaskKind::llm_training ? speed.tokens_per_second : speed.samples_per_second;
  if (!work || !rate || *rate <= 0) return std::nullopt;
  constexpr double kSecondsPerHour = 3600;
  return *work / *rate / kSecondsPerHour;
}

CostEstimate estimate_cost(const Workload& w, const SpeedEstimate& speed, const Price* price, int nodes) {
  CostEstimate cost;
  if (price == nullptr) {
    cost.why = "cost/no-price";
    return cost;
  }
  cost.known = true;
  cost.price = price;
  cost.currency = price->currency;
  cost.per_hour = price->amount / hours_of(price->charge) * nodes;
  const auto rate = w.kind == TaskKind::llm_training ? speed.tokens_per_second : speed.output_tokens_per_second;
  if (rate && *rate > 0) cost.per_million_tokens = *cost.per_hour / (*rate * 3600) * 1e6;
  if (const auto hours = hours_to_finish(w, speed)) cost.to_finish = *cost.per_hour * *hours;
  return cost;
}

}  // namespace gpuadvise
