#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gpuadvise/error.h"

#include "base/text.h"
#include "catalog/lookup.h"
#include "estimate/machine.h"

namespace gpuadvise {

namespace {

double usable_fraction(const Accelerator& a, const HardwareAssumptions& assumptions) {
  for (const auto& row : assumptions.usable_memory) {
    const bool memory = row.memory_type.empty() || a.memory_type.starts_with(row.memory_type);
    const bool stack = row.software_stack.empty() || a.software_stack == row.software_stack;
    if (memory && stack) return row.fraction;
  }
  return 1;
}

double pcie_gb_per_s(const Accelerator& a, const HardwareAssumptions& assumptions) {
  const int generation = a.pcie_gen.value_or(assumptions.assumed_pcie_generation);
  const int lanes = a.pcie_lanes.value_or(assumptions.assumed_pcie_lanes);
  double per_lane = 0;
  for (const auto& row : assumptions.pcie_lanes) {
    if (row.generation <= generation) per_lane = std::max(per_lane, row.gb_per_s);
  }
  return per_lane * lanes;
}

void set_memory(Machine& m, const Accelerator& a, const HardwareAssumptions& assumptions, double nominal) {
  m.usable_memory_known = a.usable_memory_gib && a.memory_gib;
  const double fraction =
      m.usable_memory_known ? *a.usable_memory_gib / *a.memory_gib : usable_fraction(a, assumptions);
  m.memory_gib = nominal * std::min(1.0, fraction);
}

void set_link(Machine& m, const Accelerator& a, const HardwareAssumptions& assumptions, LinkKind kind,
              std::optional<double> gb_per_s) {
  m.link = kind;
  switch (kind) {
    case LinkKind::none:
      m.link_gb_per_s = 0;
      break;
    case LinkKind::pcie:
      m.link_gb_per_s = gb_per_s.value_or(pcie_gb_per_s(a, assumptions));
      break;
    case LinkKind::nvlink:
    case LinkKind::hccs:
      // A link whose rate nobody states is at least as fast as the slot.
      m.link_gb_per_s = gb_per_s.value_or(a.link_gb_per_s.value_or(pcie_gb_per_s(a, assumptions)));
      break;
  }
}

// Where the vendor does not say, a module that carries its own link (SXM, OAM) has it; a PCIe card is taken to have
// none.
LinkKind link_of_card(const Accelerator& a) {
  const bool own = !a.link.empty() && a.link != "none" && a.form_factor != "PCIe";
  if (!own) return LinkKind::pcie;
  return a.software_stack == "cann" ? LinkKind::hccs : LinkKind::nvlink;
}

// A card or a count beside an instance type must be that of the type.
void check_hardware(const Catalog& catalog, const HardwareSpec& spec, const InstanceType& type,
                    const Machine& machine) {
  if (spec.accelerator) {
    const Accelerator& card = *machine.accelerator;
    // "a100" is the name of several cards.
    const bool named = base::lower(card.id).find(base::lower(*spec.accelerator)) != std::string::npos;
    if (!named && find_accelerator(catalog, *spec.accelerator) != &card) {
      throw InputError(Place{}, fmt::format("hardware.accelerator: {} carries {}, not {}; leave out one of the two",
                                            type.name, card.id, base::printable(*spec.accelerator)));
    }
  }
  const double count = machine.accelerators_per_node;
  if (spec.accelerators_per_node && std::abs(*spec.accelerators_per_node - count) > 1e-3 * count) {
    throw InputError(Place{}, fmt::format("hardware.accelerators_per_node: {} carries {:g}, not {:g}; leave it out",
                                          type.name, count, *spec.accelerators_per_node));
  }
}

}  // namespace

std::optional<Machine> machine_of(const Catalog& catalog, const HardwareAssumptions& assumptions, const Family& family,
                                  const InstanceType& type, int nodes) {
  const Accelerator* a = accelerator_of(catalog, type);
  if (a == nullptr || !type.accelerators) return std::nullopt;
  const std::optional<double> nominal = type.accelerator_memory_gib ? type.accelerator_memory_gib : a->memory_gib;
  if (!nominal) return std::nullopt;
  Machine m;
  m.accelerator = a;
  m.accelerators_per_node = *type.accelerators;
  m.nodes = nodes;
  set_memory(m, *a, assumptions, *nominal);
  if (*type.accelerators > 1) {
    LinkKind kind = link_of_card(*a);
    if (family.interconnect == "nvlink") kind = LinkKind::nvlink;
    if (family.interconnect == "hccs") kind = LinkKind::hccs;
    if (family.interconnect == "pcie" || family.interconnect == "none") kind = LinkKind::pcie;
    set_link(m, *a, assumptions, kind, family.interconnect_gb_per_s);
  }
  m.rdma = type.rdma_gbps.has_value();
  m.inter_node_gbps = type.rdma_gbps.value_or(type.network_gbps.value_or(0));
  m.vcpus = type.vcpus.value_or(0);
  m.host_memory_gib = type.memory_gib.value_or(0);
  return m;
}

Machine machine_of(const Catalog& catalog, const HardwareAssumptions& assumptions, const HardwareSpec& spec) {
  const int nodes = spec.nodes.value_or(1);
  if (spec.instance_type) {
    const Family* family = nullptr;
    const InstanceType* type = find_type(catalog, *spec.instance_type, &family);
    if (type == nullptr) {
      std::string near;
      for (const auto name : nearest_names(catalog, *spec.instance_type))
        near += (near.empty() ? "" : ", ") + std::string(name);
      throw InputError(Place{}, fmt::format("hardware.instance_type: unknown \"{}\"; nearest: {}",
                                            base::printable(*spec.instance_type), near));
    }
    const auto machine = machine_of(catalog, assumptions, *family, *type, nodes);
    if (!machine) {
      throw InputError(Place{}, fmt::format("hardware.instance_type: the card of {} is not known", type->name));
    }
    check_hardware(catalog, spec, *type, *machine);
    return *machine;
  }
  if (!spec.accelerator) {
    throw InputError(Place{}, "hardware: name an accelerator (--accelerator) or an instance type (--instance)");
  }
  const Accelerator* a = find_accelerator(catalog, *spec.accelerator);
  if (a == nullptr) {
    std::vector<std::string_view> ids;
    for (const auto& known : catalog.accelerators) ids.push_back(known.id);
    throw InputError(Place{}, fmt::format("hardware.accelerator: unknown \"{}\"{}", base::printable(*spec.accelerator),
                                          base::did_you_mean(*spec.accelerator, ids)));
  }
  Machine m;
  m.accelerator = a;
  m.accelerators_per_node = spec.accelerators_per_node.value_or(1);
  m.nodes = nodes;
  set_memory(m, *a, assumptions, a->memory_gib.value_or(0) * std::min(1.0, m.accelerators_per_node));
  if (m.accelerators_per_node > 1) {
    const bool stated = spec.interconnect && *spec.interconnect != LinkKind::none;
    set_link(m, *a, assumptions, stated ? *spec.interconnect : link_of_card(*a), std::nullopt);
  }
  m.inter_node_gbps = spec.inter_node_gbps.value_or(0);
  m.rdma = m.inter_node_gbps >= assumptions.rdma_from_gbps;
  return m;
}

Layout layout_of(const Workload& w, const Machine& machine) {
  const ParallelismSpec& p = w.profile.parallelism;
  const int cards = std::max(1, static_cast<int>(std::lround(machine.accelerators_per_node))) * machine.nodes;
  Layout layout;
  const bool serving = w.kind == TaskKind::llm_serving || w.kind == TaskKind::interactive;
  const bool nothing_said = !p.tensor && !p.pipeline && !p.data && !p.context;
  layout.tensor = p.tensor.value_or(
      serving && nothing_said ? std::max(1, static_cast<int>(std::lround(machine.accelerators_per_node))) : 1);
  layout.pipeline = p.pipeline.value_or(serving && nothing_said ? machine.nodes : 1);
  layout.context = p.context.value_or(1);
  layout.virtual_pipeline = p.virtual_pipeline.value_or(1);
  layout.expert = p.expert.value_or(1);
  layout.sequence_parallel = p.sequence_parallel.value_or(layout.tensor > 1);
  const int model_parallel = layout.tensor * layout.pipeline * layout.context;
  layout.data = p.data.value_or(serving ? 1 : std::max(1, cards / std::max(1, model_parallel)));
  layout.zero_stage = p.zero_stage.value_or(0);
  layout.micro_batch = w.profile.training.micro_batch.value_or(1);
  layout.checkpointing = w.profile.training.activation_checkpointing.value_or(Checkpointing::none);
  return layout;
}

}  // namespace gpuadvise
