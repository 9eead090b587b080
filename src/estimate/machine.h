// From catalog rows, or from a profile's hardware section, to the Machine that estimates see.
#pragma once

#include "gpuadvise/catalog.h"
#include "gpuadvise/estimate.h"
#include "gpuadvise/hardware.h"

namespace gpuadvise {

// Nothing when the card, its memory or the count is unknown: such a type cannot be estimated.
std::optional<Machine> machine_of(const Catalog& catalog, const HardwareAssumptions& assumptions, const Family& family,
                                  const InstanceType& type, int nodes);

// Throws InputError for an unknown accelerator or instance type, or when the profile names neither.
Machine machine_of(const Catalog& catalog, const HardwareAssumptions& assumptions, const HardwareSpec& spec);

// The profile's parallelism and training setup as a layout; what it leaves open is the plainest choice: data parallel
// over all cards for training and small models, tensor parallel over a machine for serving.
Layout layout_of(const Workload& workload, const Machine& machine);

}  // namespace gpuadvise
