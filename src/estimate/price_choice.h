// Which price a machine is reckoned at: the row, made comparable with the others in the currency of the request.
#pragma once

#include <optional>
#include <string_view>

#include "gpuadvise/catalog.h"
#include "gpuadvise/estimate.h"
#include "gpuadvise/workload.h"

namespace gpuadvise {

struct PriceChoice {
  const Price* price = nullptr;        // null: no sourced price
  std::string_view currency;           // of the request
  std::optional<double> per_hour;      // of one machine, in that currency; unknown: `why` says why
  std::optional<double> per_hour_low;  // spot by the vendor's stated range; per_hour is then its upper end
  std::optional<double> rate;          // converted: what one unit of the price's currency is worth
  std::string_view why;                // message id
};

// Of the rows in the charge type asked for that nothing speaks against, in this order: the user's own; those in the
// currency of the request, then those that a rate converts, then others; the regions asked for (none else), or without
// any the vendor's home regions before others; the newest; the cheapest. Spot without a price of the user's is the
// range that the vendor states, from the on-demand price: single quotes of a price that moves are not compared with it.
// Catalog::prices is sorted by type.
PriceChoice choose_price(const Catalog& catalog, const Vendor* vendor, const InstanceType& type,
                         const Workload& workload);
// The same in a charge type that something else than the workload says, such as a plan.
PriceChoice choose_price(const Catalog& catalog, const Vendor* vendor, const InstanceType& type,
                         const Workload& workload, ChargeType charge);

ChargeType charge_of(const Workload& workload);
std::string_view currency_of(const Workload& workload, const Catalog& catalog);

// Hours that an amount of the charge type pays for.
double hours_of(ChargeType charge);

// From how many hours a month a subscription costs less than paying on demand: the price's own terms in the same region
// and currency. Nothing where one of the two has no price.
std::optional<BreakEven> break_even(const Catalog& catalog, const Price& price, ChargeType subscription);

}  // namespace gpuadvise
