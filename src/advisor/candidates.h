// Which instance types are searched, and which are turned away before any estimate.
#pragma once

#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

struct Entry {
  const Family* family;
  const InstanceType* type;
  bool named;    // the user asked for the family, type or card by name
  bool largest;  // the most cards of its family: what a cluster is built from
};

struct Selection {
  std::vector<Cut> cuts;
  std::vector<Entry> entries;
  std::vector<ResolvedName> resolved_names;
};

// Throws InputError for vendors, cards, families or types that mean nothing.
Selection select(const Workload& workload, const Catalog& catalog, const RecommendOptions& options);

}  // namespace gpuadvise
