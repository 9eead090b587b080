// What is assumed of hardware where no source says more. Rows of data/hardware.yaml.
#pragma once

#include <span>
#include <string_view>

namespace gpuadvise {

// The share of nominal memory that software can use, for cards without a driver's report.
struct UsableMemory {
  std::string_view memory_type;     // start of Accelerator::memory_type: HBM, GDDR; empty: any
  std::string_view software_stack;  // empty: any
  double fraction;
  std::string_view source;
  std::string_view note;
};

// One lane of a PCI Express generation, both directions together, after line coding.
struct PcieLane {
  int generation;
  double gb_per_s;
  std::string_view source;
};

struct HardwareAssumptions {
  std::span<const UsableMemory> usable_memory;  // the first that matches
  std::span<const PcieLane> pcie_lanes;
  int assumed_pcie_generation = 0;  // where the card's is unknown
  int assumed_pcie_lanes = 0;
  double memory_margin = 0;             // share of the estimate kept free: its error on measured runs
  int usual_accelerators_per_node = 1;  // of a machine when the profile does not say
  double rdma_from_gbps = 0;            // a network this fast is RDMA when the profile does not say
};

}  // namespace gpuadvise
