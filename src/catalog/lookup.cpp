#include <algorithm>
#include <set>

#include "base/text.h"
#include "catalog/lookup.h"

namespace gpuadvise {

using base::equal_ignoring_case;

namespace {

bool starts_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

bool vendor_named(const Vendor& vendor, std::string_view name) {
  if (equal_ignoring_case(vendor.id, name) || equal_ignoring_case(vendor.name.en, name) || vendor.name.zh == name) {
    return true;
  }
  return std::any_of(vendor.aliases.begin(), vendor.aliases.end(),
                     [&](std::string_view alias) { return equal_ignoring_case(alias, name); });
}

// The vendor whose name stands in front, and the rest.
const Vendor* leading_vendor(const Catalog& catalog, std::string_view name, std::string_view& rest) {
  rest = base::trim(name);
  const Vendor* found = nullptr;
  std::size_t longest = 0;
  for (const auto& vendor : catalog.vendors) {
    std::vector<std::string_view> spellings = {vendor.id, vendor.name.en, vendor.name.zh};
    spellings.insert(spellings.end(), vendor.aliases.begin(), vendor.aliases.end());
    for (const auto spelling : spellings) {
      if (spelling.empty() || spelling.size() <= longest || !starts_ignoring_case(rest, spelling)) continue;
      if (rest.size() == spelling.size()) continue;
      const char next = rest[spelling.size()];
      const bool ends_word =
          next == ' ' || next == '/' || next == ':' || static_cast<unsigned char>(spelling.back()) >= 0x80;
      if (!ends_word) continue;
      found = &vendor;
      longest = spelling.size();
    }
  }
  if (found != nullptr) {
    rest.remove_prefix(longest);
    const auto first = rest.find_first_not_of(" /:");
    rest = first == std::string_view::npos ? std::string_view() : rest.substr(first);
  }
  return found;
}

std::string_view without_prefix(const Catalog& catalog, std::string_view name) {
  for (const auto& vendor : catalog.vendors) {
    for (const auto prefix : vendor.name_prefixes) {
      if (starts_ignoring_case(name, prefix) && name.size() > prefix.size()) return name.substr(prefix.size());
    }
  }
  return name;
}

bool same_name(const Catalog& catalog, std::string_view real, std::string_view asked) {
  return equal_ignoring_case(real, asked) ||
         equal_ignoring_case(without_prefix(catalog, real), without_prefix(catalog, asked));
}

bool accelerator_named(const Accelerator& a, std::string_view name) {
  if (equal_ignoring_case(a.id, name) || equal_ignoring_case(a.name, name)) return true;
  return std::any_of(a.aliases.begin(), a.aliases.end(),
                     [&](std::string_view alias) { return equal_ignoring_case(alias, name); });
}

}  // namespace

std::string_view bare_name(const Catalog& catalog, std::string_view name) {
  std::string_view rest;
  leading_vendor(catalog, name, rest);
  return without_prefix(catalog, rest);
}

std::vector<NameMatch> find_name(const Catalog& catalog, std::string_view name) {
  std::string_view rest;
  const Vendor* vendor = leading_vendor(catalog, name, rest);
  const auto of_vendor = [&](std::string_view id) { return vendor == nullptr || vendor->id == id; };
  std::vector<NameMatch> found;
  for (const auto& family : catalog.families) {
    if (!of_vendor(family.vendor)) continue;
    if (same_name(catalog, family.name, rest)) found.push_back({.family = &family});
    for (const auto& type : family.types) {
      if (same_name(catalog, type.name, rest)) found.push_back({.family = &family, .type = &type});
    }
  }
  for (const auto& a : catalog.accelerators) {
    if (accelerator_named(a, base::trim(name)) || accelerator_named(a, rest)) found.push_back({.accelerator = &a});
  }
  for (const auto& note : catalog.names) {
    if (of_vendor(note.vendor) && same_name(catalog, note.name, rest)) found.push_back({.note = &note});
  }
  return found;
}

FamilyRequest find_families(const Catalog& catalog, std::string_view name) {
  FamilyRequest request;
  const auto matches = find_name(catalog, name);
  for (const auto& match : matches) {
    if (match.note != nullptr && request.note == nullptr) request.note = match.note;
    if (match.family != nullptr && match.type == nullptr) {
      request.families.push_back(match.family);
      request.documented = true;
    }
  }
  // A name may be one vendor's family and another's mistake (GN8 and gn8): both are meant until a vendor is named.
  const bool named = !request.families.empty();
  for (const auto& match : matches) {
    if (match.note == nullptr || (match.note->documented && named)) continue;
    for (const auto nearest : match.note->nearest) {
      for (const auto& family : catalog.families) {
        if (family.vendor == match.note->vendor && family.name == nearest) request.families.push_back(&family);
      }
    }
  }
  return request;
}

const InstanceType* find_type(const Catalog& catalog, std::string_view name, const Family** family) {
  std::string_view rest;
  const Vendor* vendor = leading_vendor(catalog, name, rest);
  for (const auto& f : catalog.families) {
    if (vendor != nullptr && vendor->id != f.vendor) continue;
    for (const auto& type : f.types) {
      if (same_name(catalog, type.name, rest)) {
        if (family != nullptr) *family = &f;
        return &type;
      }
    }
  }
  return nullptr;
}

const Accelerator* find_accelerator(const Catalog& catalog, std::string_view name) {
  for (const auto& a : catalog.accelerators) {
    if (accelerator_named(a, base::trim(name))) return &a;
  }
  return nullptr;
}

const Vendor* find_vendor(const Catalog& catalog, std::string_view name) {
  for (const auto& vendor : catalog.vendors) {
    if (vendor_named(vendor, base::trim(name))) return &vendor;
  }
  return nullptr;
}

const Source* find_source(const Catalog& catalog, std::string_view id) {
  for (const auto& source : catalog.sources) {
    if (source.id == id) return &source;
  }
  return nullptr;
}

const Accelerator* accelerator_of(const Catalog& catalog, const InstanceType& type) {
  return type.accelerator_index < 0 ? nullptr : &catalog.accelerators[static_cast<std::size_t>(type.accelerator_index)];
}

Status status_of(const Family& family, const InstanceType& type) { return type.status.value_or(family.status); }

const Currency* find_currency(const Catalog& catalog, std::string_view code) {
  for (const auto& currency : catalog.currencies) {
    if (equal_ignoring_case(currency.code, code)) return &currency;
  }
  return nullptr;
}

bool region_matches(std::string_view pattern, std::string_view region) {
  if (pattern.ends_with("*")) return region.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == region;
}

std::vector<std::string_view> known_regions(const Catalog& catalog) {
  std::set<std::string_view> out;
  for (const auto& family : catalog.families) out.insert(family.regions.begin(), family.regions.end());
  for (const auto& vendor : catalog.vendors) {
    for (const auto& area : vendor.price_areas) out.insert(area.regions.begin(), area.regions.end());
  }
  for (const auto& price : catalog.prices) {
    if (!price.region.empty()) out.insert(price.region);
  }
  return {out.begin(), out.end()};
}

std::vector<std::string_view> nearest_names(const Catalog& catalog, std::string_view name, std::size_t most) {
  const std::string_view bare = bare_name(catalog, name);
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  const auto consider = [&](std::string_view real) {
    const std::size_t distance =
        std::min(base::edit_distance(name, real), base::edit_distance(bare, without_prefix(catalog, real)));
    ranked.emplace_back(distance, real);
  };
  for (const auto& family : catalog.families) {
    consider(family.name);
    for (const auto& type : family.types) consider(type.name);
  }
  for (const auto& a : catalog.accelerators) consider(a.id);
  std::stable_sort(ranked.begin(), ranked.end());
  std::vector<std::string_view> out;
  for (const auto& [distance, real] : ranked) {
    if (out.size() == most) break;
    if (std::find(out.begin(), out.end(), real) == out.end()) out.push_back(real);
  }
  return out;
}

}  // namespace gpuadvise
