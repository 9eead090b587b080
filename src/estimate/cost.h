// What machines cost: the price row that a candidate rests on, and money per hour, per million tokens, to finish.
#pragma once

#include "gpuadvise/catalog.h"
#include "gpuadvise/estimate.h"

namespace gpuadvise {

// The row to rest on: the charge type and currency asked for, not suspect; of the first region asked for that has one,
// else of the vendor's home regions, else of any; the newest, then the cheapest. Null: no sourced price.
// Catalog::prices is sorted by type.
const Price* find_price(const Catalog& catalog, const Vendor* vendor, const InstanceType& type,
                        const Workload& workload);

// Hours in a billing month, for prices listed by month or year.
double hours_of(ChargeType charge);

// Work of the whole job in the unit its speed is in (tokens or samples); nothing when the profile does not bound it.
std::optional<double> work_of(const Workload& workload);
std::optional<double> hours_to_finish(const Workload& workload, const SpeedEstimate& speed);

CostEstimate estimate_cost(const Workload& workload, const SpeedEstimate& speed, const Price* price, int nodes);

}  // namespace gpuadvise
