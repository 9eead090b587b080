#include <algorithm>
#include <array>

#include "base/text.h"
#include "check/readers/resource.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

constexpr std::array kRoles =
    std::to_array<std::string_view>({"machine", "pool", "template", "group", "pod", "service", "storage", "placement",
                                     "address", "balancer", "ignored"});

// Whether the same path of a "true at the leaves" tree says true anywhere along it.
bool marked(const Node* tree, std::string_view path) {
  if (tree == nullptr) return false;
  if (tree->is(Node::Kind::boolean)) return truthy(tree);
  if (tree->is(Node::Kind::list)) {
    return std::any_of(tree->items.begin(), tree->items.end(), [&](const Node& item) { return marked(&item, path); });
  }
  if (!tree->is(Node::Kind::map) || path.empty()) return false;
  const auto dot = path.find('.');
  std::string_view key = path.substr(0, dot);
  if (key.ends_with("[]")) key.remove_suffix(2);
  const Node* value = tree->find(key);
  return value != nullptr && marked(value, dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1));
}

// Reads attributes of one entry, never through what is marked sensitive.
class Attributes {
 public:
  Attributes(const Node& values, const Node* unknown, const Node* sensitive)
      : values_(values), unknown_(unknown), sensitive_(sensitive) {}

  std::vector<const Node*> all(Paths paths) const {
    std::vector<const Node*> out;
    for (const auto path : paths) {
      if (marked(sensitive_, path)) continue;
      const auto found = select(values_, path);
      out.insert(out.end(), found.begin(), found.end());
    }
    return out;
  }
  std::vector<std::string> texts(Paths paths) const {
    std::vector<std::string> out;
    for (const Node* node : all(paths)) {
      std::string text = text_of(node);
      if (!text.empty() && std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
    }
    return out;
  }
  std::string text(Paths paths) const {
    for (const Node* node : all(paths)) {
      if (std::string text = text_of(node); !text.empty()) return text;
    }
    return {};
  }
  std::optional<double> number(Paths paths) const {
    for (const Node* node : all(paths)) {
      if (const auto value = number_of(node)) return value;
    }
    return std::nullopt;
  }
  bool any(Paths paths) const {
    const auto found = all(paths);
    return std::any_of(found.begin(), found.end(), truthy);
  }
  bool is_unknown(Paths paths) const {
    return std::any_of(paths.begin(), paths.end(), [&](auto path) { return marked(unknown_, path); });
  }
  bool is_sensitive(Paths paths) const {
    return std::any_of(paths.begin(), paths.end(), [&](auto path) { return marked(sensitive_, path); });
  }
  const Node& values() const { return values_; }
  bool shown(std::string_view path) const { return !marked(sensitive_, path); }

 private:
  const Node& values_;
  const Node* unknown_;
  const Node* sensitive_;
};

bool entry_counts(const Node& entry, std::string_view only_when) {
  if (only_when.empty()) return true;
  const auto equals = only_when.find('=');
  return text_of(entry.find(only_when.substr(0, equals))) == only_when.substr(equals + 1);
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
  for (const auto path : row.labels) {
    if (attributes.shown(path)) {
      for (const Node* node : select(attributes.values(), path)) add_labels(node, machine.labels);
    }
  }
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
  if (row.each.empty()) {
    out.push_back(read_entry(row, table, source, Attributes(values, source.unknown, source.sensitive)));
    return out;
  }
  if (marked(source.sensitive, row.each)) return out;
  const auto entries = select(values, row.each);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ResourceSource part = source;
    if (!row.part.empty()) {
      part.address += "." + std::string(row.part) + (entries.size() > 1 ? "[" + std::to_string(i) + "]" : "");
    }
    // Entries of a list keep their order in the tree of unknowns; a walk to the list itself is enough to find them.
    const auto same_entry = [&](const Node* tree) -> const Node* {
      if (tree == nullptr) return nullptr;
      const auto found = select(*tree, row.each);
      return i < found.size() ? found[i] : nullptr;
    };
    out.push_back(read_entry(row, table, part,
                             Attributes(*entries[i], same_entry(source.unknown), same_entry(source.sensitive))));
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
