// Where the formats of planned infrastructure keep what we judge: which resource types are machines, and under which
// attribute their type, count, zone and disks stand. Vocabulary of the formats, kept in data/plan_formats; adding a
// resource is one entry there.
//
// A path is a dotted list of keys; "[]" after a key walks a list ("auto_scaling_config[].instance_type"). Where a list
// is named without it, or an object stands where a list was expected, the walk goes on: providers changed between the
// two. An attribute may list several paths; all that exist are read.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string_view>

#include "base/fields.h"

namespace gpuadvise {

using Paths = std::span<const std::string_view>;

struct PlanDiskFormat {
  std::string_view each;      // path of the list of disks; empty: the attributes stand at the top
  std::string_view category;
  std::string_view size;
  std::string_view level;
  std::string_view only_when; // "key=value": an entry counts only then
};

struct PlanResource {
  std::string_view type;      // alicloud_instance, ALIYUN::ECS::InstanceGroup
  std::string_view vendor;
  std::string_view role;      // machine, pool, template, group, service, storage, placement, address, balancer, ignored
  std::string_view each;      // the resource holds a list of machines here; paths below start from its entries
  std::string_view part;      // what such an entry is called in addresses: worker, core
  std::string_view platform;  // types are names of this platform, not of the vendor's plain machines
  bool type_optional;         // without a type the vendor picks one
  Paths types;
  Paths families;
  Paths count;
  Paths min_count;
  Paths max_count;
  Paths zones;
  Paths subnets;
  Paths zone_policy;          // values that spread evenly are listed in spread_words
  Paths charge;
  Paths spot;                 // present and not off: spot
  Paths spot_cap;
  std::span<const PlanDiskFormat> system_disk;
  std::span<const PlanDiskFormat> data_disks;
  Paths image;
  Paths user_data;
  Paths placement;
  Paths placement_strategy;
  Paths hpc_cluster;
  Paths erdma;
  Paths public_address;       // present and neither false, 0 nor empty
  Paths labels;               // maps, or lists of {key, value}
  Paths names;
  Paths claims;               // free text about the machine: descriptions
  Paths gpus;                 // cards asked for
  Paths driver;
  Paths links;                // attributes whose references tie this resource to others
};

// One word of a format and what it means: charge_words, spread_words, placement_words.
struct PlanWord {
  std::string_view about;     // charge, spot, zone_policy, placement
  std::string_view word;
  std::string_view means;
};

// A provider that is a copy of another: its resources are read with the other's rows.
struct PlanFork {
  std::string_view prefix;
  std::string_view like;
};

struct PlanFormats {
  std::span<const PlanResource> resources;
  std::span<const PlanWord> words;
  std::span<const PlanFork> forks;
};

template <class V, class S>
  requires std::same_as<std::remove_const_t<S>, PlanDiskFormat>
void fields(V& v, S& s) {
  v("each", s.each);
  v("category", s.category);
  v("size", s.size);
  v("level", s.level);
  v("only_when", s.only_when);
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

template <class V, class S>
  requires std::same_as<std::remove_const_t<S>, PlanFormats>
void fields(V& v, S& s) {
  v("plan_resources", s.resources);
  v("plan_words", s.words);
  v("plan_forks", s.forks);
}

}  // namespace gpuadvise
