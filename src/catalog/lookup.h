// Names as people type them: any case, with or without the vendor's prefix or name, families and types and cards alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/catalog.h"

namespace gpuadvise {

// One thing that a name can mean; exactly one pointer is set, and with `type` its family too.
struct NameMatch {
  const Family* family = nullptr;
  const InstanceType* type = nullptr;
  const Accelerator* accelerator = nullptr;
  const NameNote* note = nullptr;
};

// Everything that the name means, documented things first. Several vendors may use one name.
std::vector<NameMatch> find_name(const Catalog& catalog, std::string_view name);

// The families that a name asks to search: the family itself, or the nearest documented ones of a name that no vendor
// documents. `note` is set when a guide's claim about the name needs correcting.
struct FamilyRequest {
  std::vector<const Family*> families;
  const NameNote* note = nullptr;
  bool documented = false;
};
FamilyRequest find_families(const Catalog& catalog, std::string_view name);

const InstanceType* find_type(const Catalog& catalog, std::string_view name, const Family** family = nullptr);
const Accelerator* find_accelerator(const Catalog& catalog, std::string_view name);
const Vendor* find_vendor(const Catalog& catalog, std::string_view name);
const Source* find_source(const Catalog& catalog, std::string_view id);
const Accelerator* accelerator_of(const Catalog& catalog, const InstanceType& type);
Status status_of(const Family& family, const InstanceType& type);

const Currency* find_currency(const Catalog& catalog, std::string_view code);

// "cn-hangzhou", or a pattern such as "cn-*".
bool region_matches(std::string_view pattern, std::string_view region);
// Every region that a family, a vendor's price area or a price names, sorted.
std::vector<std::string_view> known_regions(const Catalog& catalog);

// Real names nearest to one that means nothing, across vendors, nearest first.
std::vector<std::string_view> nearest_names(const Catalog& catalog, std::string_view name, std::size_t most = 3);

// The name without the vendor's prefix ("ecs.") and without the vendor's own name in front ("Alibaba gn6v").
std::string_view bare_name(const Catalog& catalog, std::string_view name);

}  // namespace gpuadvise
