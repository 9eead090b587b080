#include <algorithm>
#include <cmath>

#include "estimate/training_comm.h"

namespace gpuadvise {

namespace {

constexpr double kBytesPerGb = 1e9;
constexpr double kBytesPerGbit = 1e9 / 8;
constexpr double kMicro = 1e-6;

// PCI Express: about 1 GB/s per lane and direction in generation 3, doubled by each generation.
double pcie_gb_per_s(const Accelerator& card) {
  if (!card.pcie_gen) return 0;
  return 2 * card.pcie_lanes.value_or(16) * std::exp2(*card.pcie_gen - 3) * 0.985;
}

}  // namespace

Fabric training_fabric(const Machine& machine, const ChipTraining& chip, const FrameworkTraining& framework,
                       const TrainingCalibration& calibration) {
  Fabric f;
  f.cards_per_node = std::max(1.0, machine.accelerators_per_node);
  f.nodes = machine.nodes;
  for (const LinkTraining& link : calibration.links) {
    const LinkKind kind = machine.link == LinkKind::none ? LinkKind::pcie : machine.link;
    if (link.link != kind) continue;
    double rate = machine.link_gb_per_s;
    if (rate <= 0 && kind == LinkKind::pcie) rate = pcie_gb_per_s(*machine.accelerator);
    if (rate <= 0 && kind != LinkKind::pcie) rate = machine.accelerator->link_gb_per_s.value_or(0);
    if (rate <= 0) rate = link.gb_per_s;
    f.link = rate / 2 * kBytesPerGb * link.share;
    f.link_latency = link.latency_us * kMicro;
    break;
  }
  const bool stated = machine.inter_node_gbps > 0;
  const double gbps = stated ? machine.inter_node_gbps : chip.network_gbps;
  const double share =
      stated && !machine.rdma ? std::min(calibration.tcp_share, framework.network_share) : framework.network_share;
  f.network = gbps * kBytesPerGbit * share;
  f.hop_latency = calibration.hop_latency_us * kMicro;
  return f;
}

Group group_on(const Fabric& fabric, double size, double stride) {
  Group g;
  g.size = size;
  g.in_node = std::clamp(std::floor(fabric.cards_per_node / std::max(1.0, stride)), 1.0, size);
  return g;
}

double gather_seconds(const Fabric& f, const Group& g, double bytes, double pieces) {
  if (g.size <= 1) return 0;
  const double moved = (g.size - 1) / g.size * bytes;
  if (g.size <= g.in_node) return moved / f.link + pieces * f.link_latency;
  const double crossing = f.network * g.in_node / f.cards_per_node;
  const double rate = g.in_node > 1 ? std::min(f.link, crossing) : crossing;
  return moved / rate + pieces * (f.link_latency + f.hop_latency * (g.size - 1));
}

double dispatch_seconds(const Fabric& f, const Group& g, double bytes, double copies) {
  if (g.size <= 1) return 0;
  if (g.size <= g.in_node) return bytes * copies * (g.size - 1) / g.size / f.link + f.link_latency;
  const double nodes = g.size / g.in_node;
  const double visited = nodes * (1 - std::pow(1 - 1 / nodes, copies));
  const double outside = bytes * visited * (nodes - 1) / nodes / (f.network / f.cards_per_node);
  const double inside = bytes * copies * (g.in_node - 1) / g.in_node / f.link;
  return std::max(inside, outside) + f.link_latency + f.hop_latency;
}

double send_seconds(const Fabric& f, bool across_nodes, double bytes) {
  return across_nodes ? bytes / (f.network / f.cards_per_node) + f.hop_latency : bytes / f.link + f.link_latency;
}

}  // namespace gpuadvise
