// How data/hardware.yaml is written: see base/fields.h.
#pragma once

#include <concepts>

#include "gpuadvise/hardware.h"

#include "base/fields.h"

namespace gpuadvise {

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, UsableMemory>
void fields(V& v, S& s) {
  v("memory_type", s.memory_type);
  v("software_stack", s.software_stack);
  v("fraction", s.fraction, base::Need::required);
  v("source", s.source, base::Need::required);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, PcieLane>
void fields(V& v, S& s) {
  v("generation", s.generation, base::Need::required);
  v("gb_per_s", s.gb_per_s, base::Need::required);
  v("source", s.source, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, HardwareAssumptions>
void fields(V& v, S& s) {
  v("usable_memory", s.usable_memory, base::Need::required);
  v("pcie_lanes", s.pcie_lanes, base::Need::required);
  v("assumed_pcie_generation", s.assumed_pcie_generation, base::Need::required);
  v("assumed_pcie_lanes", s.assumed_pcie_lanes, base::Need::required);
  v("memory_margin", s.memory_margin, base::Need::required);
  v("usual_accelerators_per_node", s.usual_accelerators_per_node, base::Need::required);
  v("rdma_from_gbps", s.rdma_from_gbps, base::Need::required);
}

}  // namespace gpuadvise
