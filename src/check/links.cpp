#include <algorithm>
#include <optional>
#include <unordered_set>

#include "check/links.h"
#include "check/readers/terraform_links.h"

namespace gpuadvise::check {

namespace {

bool is_machine(const PlannedMachine& m) {
  return m.role == Role::machine || m.role == Role::pool || m.role == Role::templ || m.role == Role::pod ||
         m.role == Role::service;
}

using ByAddress = std::unordered_map<std::string, std::vector<std::size_t>>;

void take_group(const PlannedMachine& group, PlannedMachine& machine) {
  if (!machine.nodes) machine.nodes = group.nodes;
  if (!machine.min_nodes) machine.min_nodes = group.min_nodes;
  if (!machine.max_nodes) machine.max_nodes = group.max_nodes;
  if (!machine.nodes && group.min_nodes && *group.min_nodes > 0) machine.nodes = group.min_nodes;
  if (machine.zones.empty()) machine.zones = group.zones;
  if (machine.subnets.empty()) machine.subnets = group.subnets;
  machine.zones_spread = machine.zones_spread || group.zones_spread;
  machine.behind_balancer = machine.behind_balancer || group.behind_balancer;
}

// The ports that each security group opens, by the group's address or id.
class OpenGroups {
 public:
  explicit OpenGroups(const std::vector<PlannedMachine>& all) {
    for (const auto& rule : all) {
      if (rule.role != Role::firewall || rule.open_ports.empty()) continue;
      for (const auto& group : rule.refers_to) add(without_indexes(group), rule.open_ports);
      for (const auto& id : rule.security_groups) add(id, rule.open_ports);
    }
  }
  void open(PlannedMachine& machine) const {
    if (ports_.empty()) return;
    for (const auto& group : machine.refers_to) take(without_indexes(group), machine.open_ports);
    for (const auto& id : machine.security_groups) take(id, machine.open_ports);
  }

 private:
  static void merge(const std::vector<std::string>& from, std::vector<std::string>& to) {
    constexpr std::size_t kMost = 32;
    for (const auto& port : from) {
      if (to.size() < kMost && std::find(to.begin(), to.end(), port) == to.end()) to.push_back(port);
    }
  }
  void add(const std::string& group, const std::vector<std::string>& ports) { merge(ports, ports_[group]); }
  void take(const std::string& group, std::vector<std::string>& out) const {
    if (const auto found = ports_.find(group); found != ports_.end()) merge(found->second, out);
  }
  std::unordered_map<std::string, std::vector<std::string>> ports_;
};

}  // namespace

void link_resources(Plan& plan) {
  auto& all = plan.machines;
  ByAddress by_address;
  for (std::size_t i = 0; i < all.size(); ++i) by_address[without_indexes(all[i].resource)].push_back(i);
  const auto each = [&](const PlannedMachine& from, auto visit) {
    for (const auto& address : from.refers_to) {
      const auto found = by_address.find(without_indexes(address));
      if (found == by_address.end()) continue;
      for (const std::size_t i : found->second) visit(all[i]);
    }
  };
  const OpenGroups groups(all);
  for (auto& machine : all) {
    if (is_machine(machine)) groups.open(machine);
  }
  // Every visit below writes to one side only, so the order of resources does not matter.
  constexpr std::size_t kMostVisits = 4'000'000;
  std::size_t visits = 0;
  for (auto& from : all) {
    if (from.refers_to.empty() || visits > kMostVisits) continue;
    each(from, [&](PlannedMachine& to) {
      if (++visits > kMostVisits || &from == &to) return;
      if (is_machine(from) && to.role == Role::placement) from.placement_strategy = to.placement_strategy;
      if (is_machine(from) && to.role == Role::group) take_group(to, from);
      if (from.role == Role::group && is_machine(to)) take_group(from, to);
      if (from.role == Role::balancer && is_machine(to)) to.behind_balancer = true;
      if (from.role == Role::address && is_machine(to)) to.public_address = true;
    });
  }
}

namespace {

// Which machines use which storage, by plain address: either refers to the other, or an attachment names both.
class StorageTies {
 public:
  explicit StorageTies(const std::vector<PlannedMachine>& all) {
    for (const auto& one : all) {
      const std::string self = without_indexes(one.resource);
      if (one.role == Role::storage) {
        for (const auto& to : one.refers_to) tie(self, without_indexes(to));
      } else if (one.role == Role::ignored) {
        attach(one.refers_to);
      } else if (is_machine(one)) {
        for (const auto& to : one.refers_to) tie(without_indexes(to), self);
      }
    }
  }
  bool tied(const std::string& store, const std::string& machine) const {
    const auto found = machines_.find(store);
    return found != machines_.end() && found->second.contains(machine);
  }
  bool any(const std::string& store) const { return machines_.contains(store); }

 private:
  void tie(const std::string& store, const std::string& machine) { machines_[store].insert(machine); }
  void attach(const std::vector<std::string>& ends) {
    constexpr std::size_t kMostEnds = 16;  // an attachment has two; what names more is none
    if (ends.size() > kMostEnds) return;
    for (const auto& from : ends) {
      for (const auto& to : ends) {
        if (from != to) tie(without_indexes(from), without_indexes(to));
      }
    }
  }
  std::unordered_map<std::string, std::unordered_set<std::string>> machines_;
};

// Nothing where the storage stands in a zone of the machine, or where either zone is not known. `near_some`: it stands
// in the zone of some machine, and nothing ties it to this one.
std::optional<StorageGap> gap_between(const PlannedMachine& store, const PlannedMachine& machine, bool near_some) {
  // Zones picked by different parameters may differ, whatever their defaults.
  if (!store.zone_refs.empty() && !machine.zone_refs.empty()) {
    if (store.zone_refs.front() == machine.zone_refs.front()) return std::nullopt;
    return StorageGap{store.resource, store.zone_refs.front(), machine.zone_refs.front()};
  }
  if (near_some || store.zones.empty() || machine.zones.empty()) return std::nullopt;
  const auto& zone = store.zones.front();
  if (std::find(machine.zones.begin(), machine.zones.end(), zone) != machine.zones.end()) return std::nullopt;
  return StorageGap{store.resource, zone, machine.zones.front()};
}

}  // namespace

std::unordered_map<std::size_t, StorageGap> storage_gaps(const Plan& plan) {
  std::unordered_map<std::size_t, StorageGap> out;
  const auto& all = plan.machines;
  std::vector<std::size_t> machines;
  std::vector<std::size_t> stores;
  std::unordered_set<std::string> zones;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].role == Role::storage) {
      stores.push_back(i);
    } else if (is_machine(all[i]) && (!all[i].zones.empty() || !all[i].zone_refs.empty())) {
      machines.push_back(i);
      zones.insert(all[i].zones.begin(), all[i].zones.end());
    }
  }
  constexpr std::size_t kMostPairs = 2'000'000;
  if (stores.empty() || machines.empty() || stores.size() > kMostPairs / machines.size()) return out;
  const StorageTies ties(all);
  std::vector<std::string> addresses;
  addresses.reserve(machines.size());
  for (const std::size_t m : machines) addresses.push_back(without_indexes(all[m].resource));
  for (const std::size_t s : stores) {
    const std::string store = without_indexes(all[s].resource);
    const bool any_tie = ties.any(store) && std::any_of(addresses.begin(), addresses.end(),
                                                        [&](const auto& machine) { return ties.tied(store, machine); });
    // Storage that nothing ties to a machine serves all of them; it is out of place only where no machine stands.
    const bool near_some = !any_tie && !all[s].zones.empty() && zones.contains(all[s].zones.front());
    for (std::size_t i = 0; i < machines.size(); ++i) {
      if (any_tie && !ties.tied(store, addresses[i])) continue;
      auto gap = gap_between(all[s], all[machines[i]], near_some);
      if (gap) out[machines[i]] = std::move(*gap);
    }
  }
  return out;
}

}  // namespace gpuadvise::check
