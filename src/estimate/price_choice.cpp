#include <algorithm>
#include <span>
#include <tuple>

#include "catalog/lookup.h"
#include "catalog/regions.h"
#include "estimate/price_choice.h"

namespace gpuadvise {

namespace {

constexpr double kHoursAYear = 8760;
constexpr double kMonthsAYear = 12;

std::span<const Price> rows_of(const Catalog& catalog, std::string_view type) {
  const auto first = std::lower_bound(catalog.prices.begin(), catalog.prices.end(), type,
                                      [](const Price& p, std::string_view name) { return p.type < name; });
  const auto last = std::upper_bound(first, catalog.prices.end(), type,
                                     [](std::string_view name, const Price& p) { return name < p.type; });
  return {first, last};
}

// A user's price without a region holds in all of them; a listed one says nothing of where.
bool anywhere(const Price& p) { return p.region.empty() && p.confidence == SourceKind::user; }

bool home(const Vendor* vendor, std::string_view region) {
  if (vendor == nullptr) return false;
  const auto in = [&](std::span<const std::string_view> list) {
    return std::any_of(list.begin(), list.end(), [&](std::string_view p) { return region_within(vendor, region, p); });
  };
  return in(vendor->home_regions) && !in(vendor->other_regions);
}

std::optional<double> worth(const Catalog& catalog, std::string_view currency) {
  if (!catalog.currencies.empty() && catalog.currencies.front().code == currency) return 1;
  for (const auto& rate : catalog.exchange_rates) {
    if (rate.currency == currency) return rate.worth;
  }
  return std::nullopt;
}

std::optional<double> rate_between(const Catalog& catalog, std::string_view from, std::string_view to) {
  const auto theirs = worth(catalog, from);
  const auto ours = worth(catalog, to);
  if (!theirs || !ours) return std::nullopt;
  return *theirs / *ours;
}

class Chooser {
 public:
  Chooser(const Catalog& catalog, const Vendor* vendor, const InstanceType& type, const Workload& w)
      : catalog_(catalog),
        vendor_(vendor),
        rows_(rows_of(catalog, type.name)),
        currency_(currency_of(w, catalog)),
        regions_(w.profile.constraints.regions.value_or(std::span<const std::string_view>())) {}

  const Price* best(ChargeType charge, bool own_only) const {
    const Price* found = nullptr;
    for (const Price& p : rows_) {
      if (p.charge != charge || !p.suspect.empty() || (own_only && p.confidence != SourceKind::user)) continue;
      if (!regions_.empty() && rank(p) >= regions_.size()) continue;
      if (found == nullptr || before(p, *found)) found = &p;
    }
    return found;
  }

  std::string_view currency() const { return currency_; }

 private:
  // The user's order of regions; without one home, then elsewhere.
  std::size_t rank(const Price& p) const {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      if (anywhere(p) || region_within(vendor_, p.region, regions_[i])) return i;
    }
    return regions_.size() + (anywhere(p) || home(vendor_, p.region) ? 0 : 1);
  }

  int distance(const Price& p) const {
    if (p.currency == currency_) return 0;
    return rate_between(catalog_, p.currency, currency_) ? 1 : 2;
  }

  bool before(const Price& a, const Price& b) const {
    const auto key = [&](const Price& p) {
      return std::tuple(p.confidence != SourceKind::user, distance(p), anywhere(p), rank(p));
    };
    const auto first = key(a);
    const auto second = key(b);
    if (first != second) return first < second;
    const auto month = [](const Price& p) { return p.as_of.substr(0, 7); };
    if (month(a) != month(b)) return month(a) > month(b);
    return std::tie(a.amount, a.region, a.source) < std::tie(b.amount, b.region, b.source);
  }

  const Catalog& catalog_;
  const Vendor* vendor_;
  std::span<const Price> rows_;
  std::string_view currency_;
  std::span<const std::string_view> regions_;
};

PriceChoice priced(const Catalog& catalog, const Price* price, std::string_view currency) {
  PriceChoice out;
  out.price = price;
  out.currency = currency;
  if (price == nullptr) {
    out.why = "cost/no-price";
    return out;
  }
  double amount = price->amount;
  if (price->currency != currency) {
    out.rate = rate_between(catalog, price->currency, currency);
    if (!out.rate) {
      out.why = "cost/other-currency";
      return out;
    }
    amount *= *out.rate;
  }
  out.per_hour = amount / hours_of(price->charge);
  return out;
}

}  // namespace

PriceChoice choose_price(const Catalog& catalog, const Vendor* vendor, const InstanceType& type,
                         const Workload& workload) {
  return choose_price(catalog, vendor, type, workload, charge_of(workload));
}

PriceChoice choose_price(const Catalog& catalog, const Vendor* vendor, const InstanceType& type,
                         const Workload& workload, ChargeType charge) {
  const Chooser chooser(catalog, vendor, type, workload);
  if (charge != ChargeType::spot) return priced(catalog, chooser.best(charge, false), chooser.currency());
  if (const Price* own = chooser.best(ChargeType::spot, true)) return priced(catalog, own, chooser.currency());
  PriceChoice out = priced(catalog, chooser.best(ChargeType::on_demand, false), chooser.currency());
  if (!out.per_hour) return out;
  if (vendor == nullptr || !vendor->spot_min_fraction) {
    out.per_hour.reset();
    out.why = "cost/no-spot-range";
    return out;
  }
  out.per_hour_low = *out.per_hour * *vendor->spot_min_fraction;
  return out;
}

ChargeType charge_of(const Workload& workload) {
  switch (workload.profile.operations.charge_type.value_or(ChargePreference::on_demand)) {
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

std::string_view currency_of(const Workload& workload, const Catalog& catalog) {
  if (workload.profile.constraints.currency) return *workload.profile.constraints.currency;
  return catalog.currencies.empty() ? std::string_view() : catalog.currencies.front().code;
}

double hours_of(ChargeType charge) {
  switch (charge) {
    case ChargeType::month:
      return kHoursAYear / kMonthsAYear;
    case ChargeType::year:
      return kHoursAYear;
    case ChargeType::on_demand:
    case ChargeType::spot:
      return 1;
  }
  return 1;
}

std::optional<BreakEven> break_even(const Catalog& catalog, const Price& price, ChargeType subscription) {
  if (price.charge == ChargeType::spot) return std::nullopt;
  // The same page says the most of the same machine; after that the newest row.
  const auto partner = [&](ChargeType charge) -> const Price* {
    if (price.charge == charge) return &price;
    const Price* found = nullptr;
    const auto key = [&](const Price& p) { return std::tuple(p.source == price.source, p.as_of.substr(0, 7)); };
    for (const Price& p : rows_of(catalog, price.type)) {
      const bool region = p.region == price.region || anywhere(p) || anywhere(price);
      if (p.charge != charge || !region || p.currency != price.currency || !p.suspect.empty()) continue;
      if (found == nullptr || key(p) > key(*found)) found = &p;
    }
    return found;
  };
  const Price* on_demand = partner(ChargeType::on_demand);
  const Price* term = partner(subscription);
  if (on_demand == nullptr || term == nullptr || on_demand->amount <= 0) return std::nullopt;
  const double a_month = term->amount / (hours_of(subscription) / hours_of(ChargeType::month));
  return BreakEven{on_demand, term, a_month / on_demand->amount};
}

}  // namespace gpuadvise
