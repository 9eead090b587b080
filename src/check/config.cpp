#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <initializer_list>

#include "base/text.h"
#include "check/config.h"
#include "check/readers/readers.h"
#include "check/readers/resource.h"
#include "check/readers/yaml_text.h"
#include "check/select.h"
#include "workload/profile.h"

namespace gpuadvise::check {

using base::Node;

namespace {

class ConfigReader {
 public:
  explicit ConfigReader(const std::string& file) : file_(file) {}

  [[noreturn]] void fail(const Node& at, std::string_view message) const {
    throw InputError(Place{file_, at.line, at.column}, message);
  }

  const Node& need(const Node& node, Node::Kind kind, std::string_view what) const {
    if (!node.is(kind)) {
      fail(node, fmt::format("{}: expected {}, found {}", what, base::kind_name(kind), base::kind_name(node.kind)));
    }
    return node;
  }

  void only(const Node& node, std::string_view what, std::initializer_list<std::string_view> keys) const {
    for (const auto& member : need(node, Node::Kind::map, what).members) {
      if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
      const std::vector<std::string_view> known(keys);
      throw InputError(Place{file_, member.line, member.column},
                       fmt::format("unknown key \"{}\" in {}{}", base::printable(member.key), what,
                                   base::did_you_mean(member.key, known)));
    }
  }

  std::string text(const Node& node, std::string_view key, std::string_view what, bool required) const {
    const Node* value = node.find(key);
    if (value == nullptr || value->is(Node::Kind::null)) {
      if (required) fail(node, fmt::format("{}: {} is missing", what, key));
      return {};
    }
    if (value->is(Node::Kind::list) || value->is(Node::Kind::map)) {
      fail(*value, fmt::format("{}.{}: expected text, found {}", what, key, base::kind_name(value->kind)));
    }
    return std::string(base::trim(value->text));
  }

  const std::string& file() const { return file_; }

 private:
  const std::string& file_;
};

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i != 4 && i != 7 && (text[i] < '0' || text[i] > '9')) return false;
  }
  const std::string_view month = text.substr(5, 2);
  const std::string_view day = text.substr(8, 2);
  return month >= "01" && month <= "12" && day >= "01" && day <= "31";
}

std::optional<Severity> severity_of(const ConfigReader& reader, const Node& node) {
  const std::string word = text_of(&node);
  if (word == "error") return Severity::error;
  if (word == "warning") return Severity::warning;
  if (word == "note") return Severity::note;
  if (word == "off" || word == "false") return std::nullopt;
  reader.fail(node, fmt::format("severity: \"{}\" is not one of error, warning, note, off", base::printable(word)));
}

void read_disk(const ConfigReader& reader, const Node& node, PlannedMachine& machine) {
  reader.only(node, "disk", {"kind", "category", "size_gib", "level"});
  PlannedDisk disk;
  disk.system = reader.text(node, "kind", "disk", false) == "system";
  disk.category = reader.text(node, "category", "disk", false);
  disk.level = reader.text(node, "level", "disk", false);
  disk.size_gib = number_of(node.find("size_gib"));
  machine.disks.push_back(std::move(disk));
}

}  // namespace

void read_config(const std::string& bytes, const std::string& name, Config& config) {
  const Node root = base::parse_document(bytes, name);
  config.name = name;
  if (root.is(Node::Kind::null)) return;
  const ConfigReader reader(name);
  reader.only(root, name, {"version", "workloads", "map", "plans", "policies", "severity", "suppress"});
  if (const Node* version = root.find("version"); version != nullptr && text_of(version) != "1") {
    reader.fail(*version, fmt::format("version {} is not known; this program reads version 1", text_of(version)));
  }
  if (const Node* workloads = root.find("workloads"); workloads != nullptr && !workloads->is(Node::Kind::null)) {
    for (const auto& member : reader.need(*workloads, Node::Kind::map, "workloads").members) {
      config.workloads.push_back({member.key, read_profile(member.value, config.arena, name)});
    }
  }
  const auto known_workload = [&](const Node& at, const std::string& workload) {
    std::vector<std::string_view> names;
    for (const auto& w : config.workloads) names.push_back(w.name);
    if (std::find(names.begin(), names.end(), workload) == names.end()) {
      reader.fail(at, fmt::format("no workload is called \"{}\"{}", base::printable(workload),
                                  base::did_you_mean(workload, names)));
    }
  };
  if (const Node* map = root.find("map"); map != nullptr && !map->is(Node::Kind::null)) {
    for (const auto& item : reader.need(*map, Node::Kind::list, "map").items) {
      reader.only(item, "map", {"match", "workload"});
      Mapping mapping{reader.text(item, "match", "map", true), reader.text(item, "workload", "map", true)};
      known_workload(item, mapping.workload);
      config.map.push_back(std::move(mapping));
    }
  }
  if (const Node* plans = root.find("plans"); plans != nullptr && plans->is(Node::Kind::list)) {
    for (const auto& item : plans->items) {
      const Node* workload = item.is(Node::Kind::map) ? item.find("workload") : nullptr;
      if (workload != nullptr) known_workload(*workload, text_of(workload));
    }
  }
  if (const Node* policies = root.find("policies"); policies != nullptr && !policies->is(Node::Kind::null)) {
    for (const auto& item : reader.need(*policies, Node::Kind::list, "policies").items) {
      config.policies.push_back(text_of(&item));
    }
  }
  if (const Node* severity = root.find("severity"); severity != nullptr && !severity->is(Node::Kind::null)) {
    for (const auto& member : reader.need(*severity, Node::Kind::map, "severity").members) {
      config.severity[member.key] = severity_of(reader, member.value);
    }
  }
  if (const Node* suppress = root.find("suppress"); suppress != nullptr && !suppress->is(Node::Kind::null)) {
    for (const auto& item : reader.need(*suppress, Node::Kind::list, "suppress").items) {
      reader.only(item, "suppress", {"rule", "match", "reason", "until"});
      Suppression one{reader.text(item, "rule", "suppress", true), reader.text(item, "match", "suppress", false),
                      reader.text(item, "reason", "suppress", true), reader.text(item, "until", "suppress", false),
                      Place{name, item.line, item.column}};
      if (!one.until.empty() && !is_date(one.until)) {
        reader.fail(*item.find("until"),
                    fmt::format("until: \"{}\" is not a date such as 2027-06-30", base::printable(one.until)));
      }
      config.suppress.push_back(std::move(one));
    }
  }
}

void read_plans(const Node& root, const std::string& file, Plan& plan) {
  const Node* plans = root.is(Node::Kind::map) ? root.find("plans") : nullptr;
  if (plans == nullptr || plans->is(Node::Kind::null)) return;
  const ConfigReader reader(file);
  for (const auto& item : reader.need(*plans, Node::Kind::list, "plans").items) {
    reader.only(item, "plans",
                {"name",
                 "instance_type",
                 "instance_types",
                 "nodes",
                 "min_nodes",
                 "max_nodes",
                 "zones",
                 "charge_type",
                 "spot_price_limit",
                 "disks",
                 "image",
                 "environment",
                 "workload",
                 "labels",
                 "comment",
                 "vendor",
                 "public_address",
                 "placement",
                 "behind_load_balancer",
                 "storage_zones",
                 "user_data",
                 "command",
                 "processes_per_node"});
    PlannedMachine machine;
    machine.kind = "plan";
    machine.format = "gpuadvise";
    machine.name = reader.text(item, "name", "plans", false);
    machine.resource = machine.name.empty() ? fmt::format("plans[{}]", &item - plans->items.data()) : machine.name;
    machine.group = machine.resource + "@" + std::to_string(item.line);
    machine.place = Place{file, item.line, item.column};
    machine.vendor = reader.text(item, "vendor", "plans", false);
    for (const auto key : {"instance_type", "instance_types"}) {
      for (const Node* node : select(item, key)) {
        if (const std::string text = text_of(node); !text.empty()) {
          machine.types.push_back({text, Place{file, node->line, node->column}});
        }
      }
    }
    const auto number = [&](std::string_view key) -> std::optional<double> {
      const Node* node = item.find(key);
      if (node == nullptr || node->is(Node::Kind::null)) return std::nullopt;
      const auto value = number_of(node);
      if (!value || *value < 0) reader.fail(*node, fmt::format("plans.{}: expected a count", key));
      return value;
    };
    machine.nodes = number("nodes");
    machine.min_nodes = number("min_nodes");
    machine.max_nodes = number("max_nodes");
    for (const Node* zone : select(item, "zones")) machine.zones.push_back(text_of(zone));
    machine.charge = reader.text(item, "charge_type", "plans", false);
    constexpr auto kCharges = std::to_array<std::string_view>({"on_demand", "spot", "month", "year"});
    if (!machine.charge.empty() && std::find(kCharges.begin(), kCharges.end(), machine.charge) == kCharges.end()) {
      reader.fail(*item.find("charge_type"),
                  fmt::format("plans.charge_type: \"{}\" is not one of on_demand, spot, month, year{}",
                              base::printable(machine.charge), base::did_you_mean(machine.charge, kCharges)));
    }
    machine.spot_capped = truthy(item.find("spot_price_limit"));
    if (const Node* disks = item.find("disks"); disks != nullptr) {
      for (const auto& disk : reader.need(*disks, Node::Kind::list, "disks").items) read_disk(reader, disk, machine);
    }
    machine.image = reader.text(item, "image", "plans", false);
    machine.environment = reader.text(item, "environment", "plans", false);
    machine.workload = reader.text(item, "workload", "plans", false);
    machine.public_address = truthy(item.find("public_address"));
    machine.behind_balancer = truthy(item.find("behind_load_balancer"));
    machine.placement_strategy = reader.text(item, "placement", "plans", false);
    machine.placement_given = !machine.placement_strategy.empty();
    machine.user_data = reader.text(item, "user_data", "plans", false);
    if (const Node* labels = item.find("labels"); labels != nullptr) add_labels(labels, machine.labels);
    if (const std::string comment = reader.text(item, "comment", "plans", false); !comment.empty()) {
      machine.claims.push_back({Claim::From::comment, comment, machine.place});
    }
    Container container;
    container.place = machine.place;
    split_words(reader.text(item, "command", "plans", false), container.words);
    if (const auto processes = number("processes_per_node")) {
      container.words.push_back(fmt::format("--nproc_per_node={:.0f}", *processes));
    }
    if (!container.words.empty()) machine.containers.push_back(std::move(container));
    for (const Node* zone : select(item, "storage_zones")) {
      PlannedMachine storage;
      storage.kind = "storage";
      storage.format = machine.format;
      storage.resource = machine.resource + ".storage";
      storage.name = machine.name;
      storage.group = storage.resource;
      storage.place = machine.place;
      storage.role = Role::storage;
      storage.zones.push_back(text_of(zone));
      storage.refers_to.push_back(machine.resource);
      plan.machines.push_back(std::move(storage));
    }
    machine.claims.push_back({Claim::From::name, machine.name, machine.place});
    plan.machines.push_back(std::move(machine));
  }
}

bool is_config(const Input& input) {
  return input.has("plans") ||
         (input.has("version") && (input.has("workloads") || input.has("map") || input.has("suppress")));
}

void read_config_plans(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  const Node root = base::parse_document(input.text, input.name);
  const std::size_t before = plan.machines.size();
  read_plans(root, input.name, plan);
  if (input.json) return;
  const Comments comments(input.text);
  for (std::size_t i = before; i < plan.machines.size(); ++i) {
    auto& machine = plan.machines[i];
    std::vector<int> lines{machine.place.line};
    for (const auto& type : machine.types) {
      if (type.place.line != machine.place.line) lines.push_back(type.place.line);
    }
    for (const int line : lines) {
      for (const auto& [at, text] : comments.near(line)) {
        machine.claims.push_back({Claim::From::comment, text, Place{input.name, at, 1}});
      }
    }
  }
}

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t back = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      back = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++back;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace gpuadvise::check
