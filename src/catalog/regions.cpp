#include <algorithm>
#include <set>

#include "catalog/lookup.h"
#include "catalog/regions.h"

namespace gpuadvise {

namespace {

const PriceArea* area_of(const Vendor* vendor, std::string_view region) {
  if (vendor == nullptr) return nullptr;
  for (const auto& area : vendor->price_areas) {
    if (area.name == region) return &area;
  }
  return nullptr;
}

bool priced_in(const Catalog& catalog, const Vendor* vendor, const Family& family, std::string_view pattern) {
  return std::any_of(family.types.begin(), family.types.end(), [&](const InstanceType& type) {
    auto row = std::lower_bound(catalog.prices.begin(), catalog.prices.end(), type.name,
                                [](const Price& p, std::string_view name) { return p.type < name; });
    for (; row != catalog.prices.end() && row->type == type.name; ++row) {
      if (region_within(vendor, row->region, pattern)) return true;
    }
    return false;
  });
}

}  // namespace

bool region_within(const Vendor* vendor, std::string_view region, std::string_view pattern) {
  if (!region.empty() && region_matches(pattern, region)) return true;
  const PriceArea* area = area_of(vendor, region);
  return area != nullptr && std::any_of(area->regions.begin(), area->regions.end(),
                                        [&](std::string_view part) { return region_matches(pattern, part); });
}

std::vector<std::string_view> regions_of(const Catalog& catalog, const Vendor& vendor) {
  std::set<std::string_view> out;
  const auto add = [&](std::string_view region) {
    if (!region.empty() && !region.ends_with("*") && area_of(&vendor, region) == nullptr) out.insert(region);
  };
  for (const auto& family : catalog.families) {
    if (family.vendor != vendor.id) continue;
    for (const auto region : family.regions) add(region);
  }
  for (const auto& area : vendor.price_areas) {
    for (const auto region : area.regions) add(region);
  }
  for (const auto region : vendor.home_regions) add(region);
  for (const auto region : vendor.other_regions) add(region);
  for (const auto& price : catalog.prices) {
    if (price.vendor == vendor.id && price.region.find(' ') == std::string_view::npos) add(price.region);
  }
  return {out.begin(), out.end()};
}

Sold sold_in(const Catalog& catalog, const Family& family, std::string_view pattern) {
  const auto asked_for = [&](std::string_view region) { return region_matches(pattern, region); };
  if (std::any_of(family.regions.begin(), family.regions.end(), asked_for)) return Sold::yes;
  const Vendor* vendor = find_vendor(catalog, family.vendor);
  if (priced_in(catalog, vendor, family, pattern)) return Sold::yes;
  if (!family.regions.empty()) return Sold::no;
  if (vendor == nullptr) return Sold::unknown;
  const auto regions = regions_of(catalog, *vendor);
  return std::any_of(regions.begin(), regions.end(), asked_for) ? Sold::unknown : Sold::no;
}

}  // namespace gpuadvise
