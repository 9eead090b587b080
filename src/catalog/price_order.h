// How Catalog::prices is sorted. Searches go by type; the rest only has to be the same every time.
#pragma once

#include <tuple>

#include "gpuadvise/catalog.h"

namespace gpuadvise {

inline bool price_before(const Price& a, const Price& b) {
  return std::tie(a.type, a.vendor, a.region, a.charge, a.currency, a.as_of, a.source, a.amount) <
         std::tie(b.type, b.vendor, b.region, b.charge, b.currency, b.as_of, b.source, b.amount);
}

}  // namespace gpuadvise
