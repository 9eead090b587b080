// Planned infrastructure as every reader hands it on: machines that someone is about to create, whatever the file they
// stand in. Texts are the file's own words, untrusted; whoever prints them neutralises them for the output at hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuadvise/error.h"

namespace gpuadvise::check {

enum class Action : unsigned char { create, update, replace, no_op };

// What a resource is to the judge.
enum class Role : unsigned char {
  machine,    // runs as written
  pool,       // a group of machines with alternatives of type
  templ,      // a launch template: the type is fixed here, the count elsewhere
  group,      // scaling group: count and zones for the template it points to
  pod,        // asks a cluster for accelerators
  service,    // a managed platform that names machines in its own words
  storage,    // a disk or file system with a zone of its own
  placement,  // a deployment set or placement group
  address,    // a public address bound to a machine
  balancer,   // traffic from outside to a machine
  firewall,   // lets traffic in to the machines of a security group
  ignored     // looks like a machine and is none
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

// One instance type as written, and where.
struct TypeText {
  std::string text;
  Place place;
};

struct PlannedDisk {
  bool system = false;
  std::string category;  // as written: cloud_essd, CLOUD_HSSD, SSD
  std::string level;     // PL1
  std::optional<double> size_gib;
  std::optional<bool> encrypted;  // empty: the file does not say
};

// What one container asks for.
struct Container {
  std::string name;
  std::string image;
  std::vector<std::string> words;  // command and arguments, shell lines split into words
  Pairs env;
  std::optional<double> gpus;            // whole cards, or a fraction where the scheduler allows it
  std::optional<double> gpu_memory_gib;  // of a shared card
  std::optional<double> mig_slices;      // of partitioned cards
  std::optional<double> npus;            // Ascend
  std::string device;                    // the resource that names its accelerator: nvidia.com/gpu
  std::string stack;                     // what that device runs: cuda, cann, rocm, ppu; empty: cannot be told
  std::optional<double> memory_gib;      // host
  bool rdma = false;
  Place place;
};

// A statement of the file about its card: a label, a selector, a comment, a name.
struct Claim {
  enum class From : unsigned char { selector, label, comment, name };
  From from = From::label;
  std::string text;
  Place place;
};

struct PlannedMachine {
  std::string resource;  // address, kind/namespace/name, or the plan's name
  std::string kind;      // alicloud_instance, Deployment, ALIYUN::ECS::Instance
  std::string name;
  std::string group;   // machines of one job or one count share it
  std::string format;  // the reader's kind
  Place place;
  Role role = Role::machine;
  Action action = Action::create;

  std::string vendor;                 // alibaba, tencent, huawei; empty: the file does not say
  std::string platform;               // "eas", "modelarts", "lingjun": types in a name space of their own
  std::vector<TypeText> types;        // more than one: alternatives
  std::vector<std::string> families;  // where a pool names families in place of types
  bool type_unknown = false;          // known only after apply
  bool type_sensitive = false;        // marked sensitive: not read
  bool type_optional = false;         // without one the vendor picks
  bool choices = false;               // the user of the template will pick one of the types

  std::optional<double> nodes;  // as planned; empty: not said
  std::optional<double> min_nodes, max_nodes;
  bool nodes_unknown = false;
  bool replicas = false;             // its nodes are copies of one another, not one job
  double gpus_per_node_claimed = 0;  // a file's own count of cards per node, 0: not said
  std::vector<TypeText> cards;       // asked for by name, where no type is given: alternatives
  std::string gpu_driver;            // as pinned by the file

  std::vector<std::string> zones;
  std::vector<std::string> subnets;
  std::vector<std::string> zone_refs;  // parameters that the zones come from
  bool zones_unknown = false;
  bool zones_spread = false;  // the policy spreads evenly over zones

  std::string charge;  // on_demand, spot, month, year; empty: not said
  bool spot_capped = false;
  std::vector<PlannedDisk> disks;
  std::string image;
  std::string user_data;
  std::vector<std::string> placement;  // deployment set or placement group, id or reference
  std::string placement_strategy;      // spread, low_latency; for role placement, or worked out
  bool placement_given = false;
  bool hpc_cluster = false;
  std::optional<bool> erdma;  // the interface's traffic mode
  bool public_address = false;
  std::vector<std::string> security_groups;  // ids as written
  std::vector<std::string> open_ports;       // "22", "8000-9000", "all": let in from the whole internet
  bool behind_balancer = false;

  Pairs labels;  // tags, labels, annotations
  std::vector<Claim> claims;
  std::vector<Container> containers;
  std::string environment;             // production, development, ...; the file's own word
  std::string workload;                // named by tag, label or annotation
  std::vector<std::string> refers_to;  // addresses that the configuration links this to
};

// Something that could not be read, or that was read as something else: a finding of its own.
struct PlanProblem {
  enum class Kind : unsigned char {
    unreadable,  // partial reading: exit 2 unless allowed
    not_a_plan,  // recognised, and answered with what to run instead: exit 2
    incomplete   // read, but the file itself says that it is partial: a warning
  };
  Kind kind = Kind::unreadable;
  std::string rule;     // input/..., the id it is reported under
  std::string message;  // id of the message table
  Pairs values;         // for its placeholders
  Place place;
};

struct Plan {
  std::vector<PlannedMachine> machines;
  std::vector<PlanProblem> problems;
  std::string environment;  // of the whole file, from its variables
  std::string region;
};

// Asks for a card by name, once.
void ask_for_card(PlannedMachine& machine, std::string_view card, const Place& place);

// The first of the pairs with this key; empty when there is none.
std::string_view value_of(const Pairs& pairs, std::string_view key);

}  // namespace gpuadvise::check
