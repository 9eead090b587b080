// How the rows of data/plan_formats are written: see base/fields.h.
#pragma once

#include <concepts>
#include <type_traits>

#include "gpuadvise/plan_format.h"

#include "base/fields.h"

namespace gpuadvise {

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, PlanDiskFormat>
void fields(V& v, S& s) {
  v("each", s.each);
  v("category", s.category);
  v("size", s.size);
  v("level", s.level);
  v("only_when", s.only_when);
  v("encrypted", s.encrypted);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, PlanFirewallFormat>
void fields(V& v, S& s) {
  v("each", s.each);
  v("line", s.line);
  v("direction", s.direction);
  v("policy", s.policy);
  v("protocol", s.protocol);
  v("sources", s.sources);
  v("groups", s.groups);
  v("open_by_default", s.open_by_default);
  v("ports", s.ports);
  v("port_from", s.port_from);
  v("port_to", s.port_to);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, PlanResource>
void fields(V& v, S& s) {
  using base::Need;
  v("type", s.type, Need::required);
  v("vendor", s.vendor);
  v("role", s.role, Need::required);
  v("each", s.each);
  v("part", s.part);
  v("platform", s.platform);
  v("type_optional", s.type_optional);
  v("types", s.types);
  v("families", s.families);
  v("count", s.count);
  v("min_count", s.min_count);
  v("max_count", s.max_count);
  v("zones", s.zones);
  v("subnets", s.subnets);
  v("zone_policy", s.zone_policy);
  v("charge", s.charge);
  v("spot", s.spot);
  v("spot_cap", s.spot_cap);
  v("system_disk", s.system_disk);
  v("data_disks", s.data_disks);
  v("image", s.image);
  v("user_data", s.user_data);
  v("placement", s.placement);
  v("placement_strategy", s.placement_strategy);
  v("hpc_cluster", s.hpc_cluster);
  v("erdma", s.erdma);
  v("public_address", s.public_address);
  v("security_groups", s.security_groups);
  v("firewall", s.firewall);
  v("labels", s.labels);
  v("names", s.names);
  v("claims", s.claims);
  v("gpus", s.gpus);
  v("driver", s.driver);
  v("links", s.links);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, PlanWord>
void fields(V& v, S& s) {
  using base::Need;
  v("about", s.about, Need::required);
  v("word", s.word, Need::required);
  v("means", s.means, Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, PlanFork>
void fields(V& v, S& s) {
  v("prefix", s.prefix, base::Need::required);
  v("like", s.like, base::Need::required);
}

}  // namespace gpuadvise
