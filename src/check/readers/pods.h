// What a pod, or any container-like entry, asks for.
#pragma once

#include "base/node.h"
#include "check/plan.h"

namespace gpuadvise::check {

// One entry of `containers`, or KServe's `model`.
Container read_container(const base::Node& node, const std::string& file);

// Node selectors, affinities, labels and annotations of a pod: types, cards, zones, spot. `metadata` may be null.
void read_pod_placement(const base::Node& spec, const base::Node* metadata, const std::string& file,
                        PlannedMachine& machine);

}  // namespace gpuadvise::check
