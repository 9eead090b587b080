// Where machines are sold, as far as sources say.
#pragma once

#include <string_view>
#include <vector>

#include "gpuadvise/catalog.h"

namespace gpuadvise {

enum class Sold : unsigned char { yes, no, unknown };

// Whether a price's or family's region is one that the pattern ("cn-hangzhou", "cn-*") asks for. A vendor's price area
// ("mainland China") is in each of its regions. `vendor` may be nullptr.
bool region_within(const Vendor* vendor, std::string_view region, std::string_view pattern);

// Whether a family is sold in a region that the pattern asks for: `yes` when its own list or a price of one of its
// types names such a region; `no` when it has a list without one, or its vendor has no such region; `unknown` when the
// vendor has it and no source lists the family's regions.
Sold sold_in(const Catalog& catalog, const Family& family, std::string_view pattern);

// Every region of the vendor that a family, a price area or a price of its names, sorted.
std::vector<std::string_view> regions_of(const Catalog& catalog, const Vendor& vendor);

}  // namespace gpuadvise
