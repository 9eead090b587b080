#include <algorithm>
#include <array>

#include "base/text.h"
#include "check/readers/attributes.h"
#include "check/readers/firewall.h"
#include "check/readers/resource.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

constexpr std::array kRoles =
    std::to_array<std::string_view>({"machine", "pool", "template", "group", "pod", "service", "storage", "placement",
                                     "address", "balancer", "firewall", "ignored"});

bool entry_counts(const Node& entry, std::string_view only_when) {
  if (only_when.empty()) return true;
  const auto equals = only_when.find('=');
  return text_of(entry.find(only_when.substr(0, equals))) == only_when.substr(equals + 1);
}

// A flag, or the name of a key; what is left out may still be the account's default.
std::optional<bool> encryption_of(const Node* node) {
  if (node == nullptr || node->is(Node::Kind::null) || node->is(Node::Kind::list) || node->is(Node::Kind::map)) {
    return std::nullopt;
  }
  return truthy(node);
}

void read_disks(const Attributes& attributes, std::span<const PlanDiskFormat> formats, bool system,
                std::vector<PlannedDisk>& out) {
  for (const auto& format : formats) {
    const auto shown = [&](std::string_view path) {
      return attributes.shown(format.each.empty() ? std::string(path)
                                                  : std::string(format.each) + "." + std::string(path));
    };
    std::vector<const Node*> entries{&attributes.values()};
    if (!format.each.empty()) entries = select(attributes.values(), format.each);
    for (const Node* entry : entries) {
      if (!entry->is(Node::Kind::map) || !entry_counts(*entry, format.only_when)) continue;
      PlannedDisk disk;
      disk.system = system;
      const auto pick = [&](std::string_view path) -> const Node* {
        if (path.empty() || !shown(path)) return nullptr;
        return first(*entry, path);
      };
      disk.category = text_of(pick(format.category));
      disk.level = text_of(pick(format.level));
      disk.size_gib = number_of(pick(format.size));
      disk.encrypted = encryption_of(pick(format.encrypted));
      if (disk.size_gib && *disk.size_gib <= 0) disk.size_gib.reset();
      if (!disk.category.empty() || disk.size_gib || !disk.level.empty()) out.push_back(std::move(disk));
    }
  }
}

void read_charge(const Attributes& attributes, const PlanResource& row, const ResourceTable& table,
                 PlannedMachine& machine) {
  machine.charge = std::string(table.words().meaning("charge", attributes.text(row.charge)));
  for (const Node* node : attributes.all(row.spot)) {
    const std::string word = text_of(node);
    const std::string_view meaning = table.words().meaning("spot", word);
    const bool counts = meaning.empty() && number_of(node).value_or(0) > 0;  // a target capacity of spot machines
    if (meaning == "spot" || counts) machine.charge = "spot";
  }
  machine.spot_capped = attributes.any(row.spot_cap);
  for (const Node* node : attributes.all(row.spot)) {
    if (text_of(node) == "SpotWithPriceLimit") machine.spot_capped = true;
  }
}

void read_types(const Attributes& attributes, const PlanResource& row, const ResourceSource& source,
                PlannedMachine& machine) {
  for (const Node* node : attributes.all(row.types)) {
    const std::string whole = text_of(node);
    for (const auto part : base::split(whole, ',')) {  // "a,b,c": scaling configurations, container groups
      const std::string text(base::trim(part));
      if (text.empty()) continue;
      const bool seen = std::any_of(machine.types.begin(), machine.types.end(),
                                    [&](const TypeText& type) { return type.text == text; });
      if (seen) continue;
      Place place = source.place;
      if (source.values_have_places && node->line > 0) place = {source.place.file, node->line, node->column};
      machine.types.push_back({text, place});
    }
  }
  machine.families = attributes.texts(row.families);
  machine.type_unknown = machine.types.empty() && attributes.is_unknown(row.types);
  machine.type_sensitive = attributes.is_sensitive(row.types);
  machine.type_optional = row.type_optional;
}

PlannedMachine read_entry(const PlanResource& row, const ResourceTable& table, const ResourceSource& source,
                          const Attributes& attributes) {
  PlannedMachine machine;
  machine.resource = source.address;
  machine.kind = source.type;
  machine.name = source.name;
  machine.group = source.address;
  machine.format = source.format;
  machine.place = source.place;
  machine.role = role_of(row.role);
  machine.vendor = std::string(row.vendor);
  machine.platform = std::string(row.platform);
  read_types(attributes, row, source, machine);
  machine.nodes = attributes.number(row.count);
  machine.min_nodes = attributes.number(row.min_count);
  machine.max_nodes = attributes.number(row.max_count);
  machine.nodes_unknown = attributes.is_unknown(row.count);
  machine.zones = attributes.texts(row.zones);
  machine.subnets = attributes.texts(row.subnets);
  machine.zones_unknown = attributes.is_unknown(row.zones);
  for (const auto& word : attributes.texts(row.zone_policy)) {
    if (table.words().meaning("zone_policy", word) == "spread") machine.zones_spread = true;
  }
  read_charge(attributes, row, table, machine);
  read_disks(attributes, row.system_disk, true, machine.disks);
  read_disks(attributes, row.data_disks, false, machine.disks);
  machine.image = attributes.text(row.image);
  machine.user_data = script_text(attributes.text(row.user_data));
  machine.placement = attributes.texts(row.placement);
  machine.placement_given = !machine.placement.empty() || attributes.is_unknown(row.placement);
  for (const auto& word : attributes.texts(row.placement_strategy)) {
    machine.placement_strategy = std::string(table.words().meaning("placement", word));
  }
  // The provider's default strategy is to spread.
  if (machine.role == Role::placement && machine.placement_strategy.empty()) machine.placement_strategy = "spread";
  machine.hpc_cluster = attributes.any(row.hpc_cluster) || attributes.is_unknown(row.hpc_cluster);
  const std::string traffic = attributes.text(row.erdma);
  if (!traffic.empty()) machine.erdma = traffic == "HighPerformance";
  machine.public_address = attributes.any(row.public_address);
  machine.security_groups = attributes.texts(row.security_groups);
  machine.open_ports = open_ports(row, table.words(), attributes);
  machine.labels = attributes.labels(row.labels);
  for (auto& text : attributes.texts(row.names))
    machine.claims.push_back({Claim::From::name, std::move(text), source.place});
  for (auto& text : attributes.texts(row.claims)) {
    machine.claims.push_back({Claim::From::label, std::move(text), source.place});
  }
  machine.gpu_driver = attributes.text(row.driver);
  if (const auto gpus = attributes.number(row.gpus)) {
    Container container;
    container.gpus = gpus;
    container.place = source.place;
    machine.containers.push_back(std::move(container));
  }
  return machine;
}

}  // namespace

Role role_of(std::string_view word) {
  const auto at = std::find(kRoles.begin(), kRoles.end(), word);
  return at == kRoles.end() ? Role::ignored : static_cast<Role>(at - kRoles.begin());
}

ResourceTable::ResourceTable(const PlanFormats& formats) : formats_(formats), words_(formats) {
  for (const auto& row : formats.resources) by_type_[row.type].push_back(&row);
}

std::vector<const PlanResource*> ResourceTable::rows(std::string_view type) const {
  if (const auto found = by_type_.find(type); found != by_type_.end()) return found->second;
  for (const auto& fork : formats_.forks) {
    if (type.size() > fork.prefix.size() && type.starts_with(fork.prefix) && type[fork.prefix.size()] == '_') {
      const std::string like = std::string(fork.like) + std::string(type.substr(fork.prefix.size()));
      if (const auto found = by_type_.find(like); found != by_type_.end()) return found->second;
    }
  }
  return {};
}

std::vector<PlannedMachine> read_resource(const PlanResource& row, const ResourceTable& table,
                                          const ResourceSource& source) {
  std::vector<PlannedMachine> out;
  static const Node kNothing;
  const Node& values = source.values == nullptr ? kNothing : *source.values;
  const Attributes whole(values, source.unknown, source.sensitive);
  if (row.each.empty()) {
    out.push_back(read_entry(row, table, source, whole));
    return out;
  }
  const auto entries = select(values, row.each);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ResourceSource part = source;
    if (!row.part.empty()) {
      part.address += "." + std::string(row.part) + (entries.size() > 1 ? "[" + std::to_string(i) + "]" : "");
    }
    out.push_back(read_entry(row, table, part, whole.entry(row.each, i, *entries[i])));
  }
  return out;
}

void add_labels(const Node* node, Pairs& out) {
  if (node == nullptr) return;
  if (node->is(Node::Kind::list)) {
    for (const auto& item : node->items) add_labels(&item, out);
    return;
  }
  if (!node->is(Node::Kind::map)) return;
  constexpr auto kKeys = std::to_array<std::string_view>({"key", "Key", "tag_key", "name"});
  constexpr auto kValues = std::to_array<std::string_view>({"value", "Value", "tag_value"});
  for (const auto key : kKeys) {
    const Node* k = node->find(key);
    if (k == nullptr || !k->is(Node::Kind::string)) continue;
    for (const auto value : kValues) {
      const Node* v = node->find(value);
      if (v != nullptr) {
        out.emplace_back(text_of(k), text_of(v));
        return;
      }
    }
  }
  for (const auto& member : node->members) {
    if (!member.value.is(Node::Kind::map) && !member.value.is(Node::Kind::list)) {
      out.emplace_back(member.key, text_of(&member.value));
    }
  }
}

void split_words(std::string_view text, std::vector<std::string>& out) {
  std::string word;
  char quote = 0;
  bool open = false;
  const auto flush = [&] {
    if (open) out.push_back(std::move(word));
    word.clear();
    open = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      ++i;
      if (text[i] == '\r' || text[i] == '\n') {
        flush();
      } else {
        word += text[i];
        open = true;
      }
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == '|' || c == '&') {
      flush();
      // A line's end ends a command: its words must not become another command's values.
      if (c == '\n' || c == ';' || c == '|' || c == '&') {
        if (!out.empty() && out.back() != ";") out.emplace_back(";");
      }
    } else {
      word += c;
      open = true;
    }
  }
  flush();
}

std::string script_text(std::string_view text) {
  constexpr std::size_t kShortest = 16;
  const auto digit = [](char c) -> int {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    if (c == '/') return 63;
    return -1;
  };
  if (text.size() < kShortest) return std::string(text);
  std::string out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '=') continue;
    const int value = digit(c);
    if (value < 0) return std::string(text);
    bits = (bits << 6U) | static_cast<unsigned>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>((bits >> static_cast<unsigned>(held)) & 0xFFU);
    }
  }
  const bool is_text = !base::invalid_utf8_at(out) && out.find('\0') == std::string::npos &&
                       (out.starts_with("#") || out.find(' ') != std::string::npos);
  return is_text ? out : std::string(text);
}

}  // namespace gpuadvise::check
