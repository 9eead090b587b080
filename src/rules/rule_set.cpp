#include <algorithm>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "gpuadvise/rules.h"

#include "base/text.h"
#include "rules/rule_compiler.h"
#include "rules/rule_fields.h"

namespace gpuadvise {

namespace {

using base::Loader;
using base::Node;
using base::printable;

// A change to a rule of an earlier file, or to a built-in one.
struct Override {
  std::string_view id;
  std::optional<Severity> severity;
  Facts set;  // parameter: value
  Text message;
  Text remedy;
  std::string_view disable;  // the reason
};

template <class V, Is<Override> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("severity", s.severity);
  v("set", s.set);
  v("message", s.message);
  v("remedy", s.remedy);
  v("disable", s.disable);
}

// What a user may state beside rules: where their advice comes from.
constexpr std::array<std::string_view, 2> kSections = {"rules", "overrides"};

ActiveRule activate(const Rule& rule, std::string_view origin) {
  ActiveRule out;
  out.rule = &rule;
  out.severity = *rule.spec.severity;
  for (const Parameter& p : rule.spec.parameters) out.parameters.push_back(p.value);
  out.message = rule.spec.message;
  out.remedy = rule.spec.remedy;
  out.origin = origin;
  return out;
}

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      const auto extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".yaml" || extension == ".yml"))
        found.push_back(entry.path().string());
    }
    std::sort(found.begin(), found.end());
    if (found.empty()) throw InputError(Place{path}, "no *.yaml file in this folder");
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace

struct RuleSet::Storage {
  base::Arena arena;
  std::deque<Rule> rules;
};

// Lays one file of the user's over the rules so far.
class RuleFileReader {
 public:
  RuleFileReader(std::vector<ActiveRule>& rules, base::Arena& arena, std::deque<Rule>& storage, std::string file)
      : rules_(rules), arena_(arena), storage_(storage), loader_(arena, std::move(file)) {
    origin_ = arena.copy(loader_.file());
  }

  void read(std::string_view bytes) {
    const Node root = base::parse_document(bytes, loader_.file());
    if (!root.is(Node::Kind::map)) loader_.fail_kind(root, "the file", "a map with rules, overrides");
    for (const auto& member : root.members) {
      if (std::find(kSections.begin(), kSections.end(), member.key) == kSections.end()) {
        throw InputError(Place{loader_.file(), member.line, member.column},
                         fmt::format("unknown section \"{}\"; a rule file has rules and overrides{}",
                                     printable(member.key), base::did_you_mean(member.key, kSections)));
      }
    }
    if (const Node* rules = root.find("rules")) read_rules(*rules);
    if (const Node* overrides = root.find("overrides")) read_overrides(*overrides);
  }

 private:
  struct Entry {
    const Node* node;
    std::string id;
    bool open = false;  // on the way up a chain of extends
    const Rule* made = nullptr;
  };

  ActiveRule* find(std::string_view id) {
    const auto at = std::lower_bound(rules_.begin(), rules_.end(), id,
                                     [](const ActiveRule& r, std::string_view x) { return r.id() < x; });
    return at != rules_.end() && at->id() == id ? &*at : nullptr;
  }

  std::vector<std::string_view> known_ids() const {
    std::vector<std::string_view> out;
    for (const auto& r : rules_) out.push_back(r.id());
    for (const auto& [id, entry] : entries_) out.push_back(id);
    return out;
  }

  void read_rules(const Node& section) {
    if (section.is(Node::Kind::null)) return;
    if (!section.is(Node::Kind::list)) loader_.fail_kind(section, "rules", "a list");
    for (const Node& item : section.items) {
      const Node* id = item.find("id");
      if (id == nullptr || id->text.empty()) loader_.fail(item, "rules: id is missing");
      const auto [at, fresh] = entries_.try_emplace(id->text, Entry{&item, id->text});
      if (!fresh) loader_.fail(*id, fmt::format("rule {} stands twice in this file", printable(id->text)));
      order_.push_back(&at->second);
    }
    for (Entry* entry : order_) make(*entry);
    for (Entry* entry : order_) {
      ActiveRule active = activate(*entry->made, origin_);
      if (ActiveRule* same = find(entry->id)) {
        *same = active;
      } else {
        rules_.insert(std::lower_bound(rules_.begin(), rules_.end(), active.id(),
                                       [](const ActiveRule& r, std::string_view x) { return r.id() < x; }),
                      active);
      }
    }
  }

  const Rule& make(Entry& entry) {
    if (entry.made != nullptr) return *entry.made;
    entry.open = true;
    chain_.push_back(entry.id);
    RuleSpec start;
    if (const Node* extends = entry.node->find("extends")) start = base_of(entry, *extends);
    storage_.push_back(make_rule(loader_, *entry.node, start, "rules"));
    entry.made = &storage_.back();
    entry.open = false;
    chain_.pop_back();
    return *entry.made;
  }

  RuleSpec base_of(const Entry& entry, const Node& extends) {
    const std::string& id = extends.text;
    const auto mine = entries_.find(id);
    if (mine != entries_.end() && id != entry.id) {
      if (mine->second.open) {
        std::string cycle;
        for (const auto& link : chain_) cycle += printable(link) + " -> ";
        loader_.fail(extends, fmt::format("cyclic override: {}{}", cycle, printable(id)));
      }
      return make(mine->second).spec;
    }
    // A rule that extends its own id takes over from an earlier file or from the built-in rules.
    const ActiveRule* earlier = find(id);
    if (earlier == nullptr) {
      if (id == entry.id) loader_.fail(extends, fmt::format("cyclic override: {0} -> {0}", printable(id)));
      loader_.fail(extends,
                   fmt::format("extends: there is no rule {}{}", printable(id), base::did_you_mean(id, known_ids())));
    }
    return earlier->rule->spec;
  }

  void read_overrides(const Node& section) {
    if (section.is(Node::Kind::null)) return;
    if (!section.is(Node::Kind::list)) loader_.fail_kind(section, "overrides", "a list");
    std::vector<std::string_view> seen;
    for (std::size_t i = 0; i < section.items.size(); ++i) {
      const Node& node = section.items[i];
      Override change;
      loader_.read(node, change, fmt::format("overrides[{}]", i));
      if (std::find(seen.begin(), seen.end(), change.id) != seen.end()) {
        loader_.fail(node, fmt::format("rule {} is overridden twice in this file", printable(change.id)));
      }
      seen.push_back(change.id);
      apply(node, change);
    }
  }

  void apply(const Node& node, const Override& change) {
    ActiveRule* rule = find(change.id);
    if (rule == nullptr) {
      loader_.fail(node, fmt::format("overrides: there is no rule {}{}", printable(change.id),
                                     base::did_you_mean(change.id, known_ids())));
    }
    if (node.find("disable") != nullptr && base::trim(change.disable).empty()) {
      loader_.fail(*node.find("disable"), "disable: say why, in a sentence");
    }
    if (change.severity) {
      if (rule->rule->spec.effect == Effect::reject && *change.severity != Severity::error) {
        loader_.fail(node, fmt::format("{} rejects: its severity is error; disable it instead", rule->id()));
      }
      rule->severity = *change.severity;
    }
    for (const Fact& fact : change.set.values) set(node, *rule, fact);
    override_text(node, "message", rule->message, change.message, rule->rule->spec);
    override_text(node, "remedy", rule->remedy, change.remedy, rule->rule->spec);
    if (!change.disable.empty()) rule->disabled = change.disable;
    rule->origin = origin_;
  }

  void set(const Node& node, ActiveRule& rule, const Fact& fact) {
    const auto parameters = rule.rule->spec.parameters;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      names.push_back(parameters[i].name);
      if (parameters[i].name != fact.field) continue;
      cel::Value value = fact.value;
      const auto kind = parameters[i].value.kind;
      if (kind == cel::Kind::real && value.is(cel::Kind::integer)) {
        value = cel::Value::of(static_cast<double>(value.integer));
      }
      const bool same_items = kind != cel::Kind::list || value.items.empty() || parameters[i].value.items.empty() ||
                              value.items[0].kind == parameters[i].value.items[0].kind;
      if (value.kind != kind || !same_items) {
        loader_.fail(*node.find("set"), fmt::format("{}: {} is of another type", rule.id(), fact.field));
      }
      rule.parameters[i] = value;
      return;
    }
    loader_.fail(*node.find("set"), fmt::format("{} has no parameter \"{}\"{}", rule.id(), printable(fact.field),
                                                base::did_you_mean(fact.field, names)));
  }

  // The new text must name only what the rule can fill in: compiled again with it, the rule checks that.
  void override_text(const Node& node, std::string_view key, Text& text, const Text& changed, const RuleSpec& spec) {
    if (changed.en.empty()) return;
    Node rule;
    rule.kind = Node::Kind::map;
    rule.line = node.line;
    rule.column = node.column;
    Node id;
    id.kind = Node::Kind::string;
    id.text = spec.id;
    rule.members.push_back({"id", node.line, node.column, id});
    rule.members.push_back({std::string(key), node.line, node.column, *node.find(key)});
    make_rule(loader_, rule, spec, "overrides");
    text = changed;
  }

  std::vector<ActiveRule>& rules_;
  base::Arena& arena_;
  std::deque<Rule>& storage_;
  Loader loader_;
  std::string_view origin_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<Entry*> order_;
  std::vector<std::string> chain_;
};

RuleSet::RuleSet(std::span<const Rule> rules) : storage_(std::make_unique<Storage>()) {
  rules_.reserve(rules.size());
  for (const Rule& rule : rules) rules_.push_back(activate(rule, {}));
  std::sort(rules_.begin(), rules_.end(), [](const ActiveRule& a, const ActiveRule& b) { return a.id() < b.id(); });
}
RuleSet::RuleSet(RuleSet&&) noexcept = default;
RuleSet& RuleSet::operator=(RuleSet&&) noexcept = default;
RuleSet::~RuleSet() = default;

RuleSet RuleSet::load(const std::vector<std::string>& paths, std::span<const Rule> base) {
  RuleSet out(base);
  for (const auto& file : files_of(paths)) out.lay_over(base::read_bytes(file), file);
  return out;
}

void RuleSet::lay_over(std::string_view bytes, const std::string& name) {
  RuleFileReader(rules_, storage_->arena, storage_->rules, name).read(bytes);
}

const ActiveRule* RuleSet::find(std::string_view id) const {
  const auto at = std::lower_bound(rules_.begin(), rules_.end(), id,
                                   [](const ActiveRule& r, std::string_view x) { return r.id() < x; });
  return at != rules_.end() && at->id() == id ? &*at : nullptr;
}

void RuleSet::set_severity(std::string_view id, std::optional<Severity> severity, std::string_view origin) {
  const auto at = std::find_if(rules_.begin(), rules_.end(), [&](const ActiveRule& r) { return r.id() == id; });
  if (at == rules_.end()) return;
  if (severity && at->rule->spec.effect == Effect::reject) return;
  at->origin = storage_->arena.copy(origin);
  if (severity) {
    at->severity = *severity;
  } else {
    at->disabled = storage_->arena.copy(fmt::format("severity: off in {}", origin));
  }
}

RuleList RuleSet::of(RuleScope scope) const {
  RuleList out;
  for (const ActiveRule& rule : rules_) {
    if (rule.rule->spec.scope == scope && rule.disabled.empty()) out.push_back(&rule);
  }
  return out;
}

}  // namespace gpuadvise
