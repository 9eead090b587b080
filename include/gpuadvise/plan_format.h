// Where the formats of planned infrastructure keep what we judge: which resource types are machines, and under which
// attribute their type, count, zone and disks stand. Vocabulary of the formats, kept in data/plan_formats; adding a
// resource is one entry there.
//
// A path is a dotted list of keys; "[]" after a key walks a list ("auto_scaling_config[].instance_type"). Where a list
// is named without it, or an object stands where a list was expected, the walk goes on: providers changed between the
// two. An attribute may list several paths; all that exist are read.
#pragma once

#include <span>
#include <string_view>

namespace gpuadvise {

using Paths = std::span<const std::string_view>;

struct PlanDiskFormat {
  std::string_view each;  // path of the list of disks; empty: the attributes stand at the top
  std::string_view category;
  std::string_view size;
  std::string_view level;
  std::string_view only_when;  // "key=value": an entry counts only then
  std::string_view encrypted;  // a flag, or the key that the disk is encrypted with
};

// Rules of a security group: one, or a list of them.
struct PlanFirewallFormat {
  std::string_view each;       // path of the list; empty: the attributes stand at the top
  std::string_view line;       // the whole rule in one text, "ACCEPT#0.0.0.0/0#22#TCP": policy, source, ports, protocol
  std::string_view direction;  // its words are listed under firewall_direction
  std::string_view policy;     // under firewall_policy; absent: the traffic is let in
  std::string_view protocol;   // under firewall_protocol; absent: all
  Paths sources;               // address ranges
  Paths groups;                // other sources, in whose place no range is given
  bool open_by_default;        // with neither range nor group everybody is let in
  std::string_view ports;
  std::string_view port_from;
  std::string_view port_to;
};

struct PlanResource {
  std::string_view type;  // alicloud_instance, ALIYUN::ECS::InstanceGroup
  std::string_view vendor;
  // machine, pool, template, group, pod, service, storage, placement, address, balancer, firewall, ignored
  std::string_view role;
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
  Paths zone_policy;  // values that spread evenly are listed under zone_policy
  Paths charge;
  Paths spot;  // present and not off: spot
  Paths spot_cap;
  std::span<const PlanDiskFormat> system_disk;
  std::span<const PlanDiskFormat> data_disks;
  Paths image;
  Paths user_data;
  Paths placement;
  Paths placement_strategy;
  Paths hpc_cluster;
  Paths erdma;
  Paths public_address;   // present and neither false, 0 nor empty
  Paths security_groups;  // of a machine; of a firewall rule the group that it belongs to
  std::span<const PlanFirewallFormat> firewall;
  Paths labels;  // maps, or lists of {key, value}
  Paths names;
  Paths claims;  // free text about the machine: descriptions
  Paths gpus;    // cards asked for
  Paths driver;
  Paths links;  // attributes whose references tie this resource to others
};

// One word of a format, an image or a command line, and what it means.
struct PlanWord {
  std::string_view about;  // charge, spot, zone_policy, placement, image_stack, program, flag, ...
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

}  // namespace gpuadvise
