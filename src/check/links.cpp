#include <algorithm>
#include <unordered_set>

#include "check/links.h"

namespace gpuadvise::check {

namespace {

// Addresses without indexes, as references spell them.
std::string plain(std::string_view address) {
  std::string out;
  int depth = 0;
  for (const char c : address) {
    if (c == '[') ++depth;
    if (depth == 0) out += c;
    if (c == ']' && depth > 0) --depth;
  }
  return out;
}

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

}  // namespace

void link_resources(Plan& plan) {
  auto& all = plan.machines;
  ByAddress by_address;
  for (std::size_t i = 0; i < all.size(); ++i) by_address[plain(all[i].resource)].push_back(i);
  const auto each = [&](const PlannedMachine& from, auto visit) {
    for (const auto& address : from.refers_to) {
      const auto found = by_address.find(plain(address));
      if (found == by_address.end()) continue;
      for (const std::size_t i : found->second) visit(all[i]);
    }
  };
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
  // Attachments name both sides.
  const auto tied = [&](const PlannedMachine& store, const PlannedMachine& machine) {
    const std::string s = plain(store.resource);
    const std::string m = plain(machine.resource);
    const auto names = [](const PlannedMachine& from, const std::string& to) {
      return std::any_of(from.refers_to.begin(), from.refers_to.end(),
                         [&](const std::string& a) { return plain(a) == to; });
    };
    if (names(store, m) || names(machine, s)) return true;
    return std::any_of(all.begin(), all.end(), [&](const PlannedMachine& other) {
      return other.role == Role::ignored && !other.refers_to.empty() && names(other, s) && names(other, m);
    });
  };
  const bool few = machines.size() * stores.size() <= 10'000;
  for (const std::size_t s : stores) {
    const auto& store = all[s];
    bool any_tie = false;
    std::vector<std::size_t> users;
    if (few) {
      for (const std::size_t m : machines) {
        if (tied(store, all[m])) users.push_back(m);
      }
      any_tie = !users.empty();
    }
    if (!any_tie) users = machines;
    for (const std::size_t m : users) {
      const auto& machine = all[m];
      // Zones picked by different parameters may differ, whatever their defaults.
      if (!store.zone_refs.empty() && !machine.zone_refs.empty()) {
        if (store.zone_refs.front() != machine.zone_refs.front()) {
          out[m] = {store.resource, store.zone_refs.front(), machine.zone_refs.front()};
        }
        continue;
      }
      if (store.zones.empty() || machine.zones.empty()) continue;
      const bool shared =
          std::find(machine.zones.begin(), machine.zones.end(), store.zones.front()) != machine.zones.end();
      const bool anywhere = zones.contains(store.zones.front());
      if (!shared && (any_tie || !anywhere)) out[m] = {store.resource, store.zones.front(), machine.zones.front()};
    }
  }
  return out;
}

}  // namespace gpuadvise::check
