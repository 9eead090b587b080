// Ties the resources of a plan to each other: a template to the group that starts it, a machine to its placement set,
// its balancer, its public address and its storage.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "check/plan.h"

namespace gpuadvise::check {

// Copies what the linked resources say into the machines.
void link_resources(Plan& plan);

// Storage that stands, or may stand, in another zone than the machine that uses it.
struct StorageGap {
  std::string storage;       // address
  std::string storage_zone;  // zone, or the parameter that picks it
  std::string machine_zone;
};
// By index of the machine in the plan. Storage is tied to a machine by a reference or an attachment; without either,
// to all machines when they share one zone.
std::unordered_map<std::size_t, StorageGap> storage_gaps(const Plan& plan);

}  // namespace gpuadvise::check
