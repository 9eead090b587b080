// One acceptance scenario: a request, and what a person who knows the facts accepts as its answer. README.md in this
// folder describes the files.
#pragma once

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "gpuadvise/advise.h"

#include "base/arena.h"
#include "base/node.h"
#include "catalog/lookup.h"
#include "workload/profile.h"
#include "workload/profile_fields.h"

namespace gpuadvise::test {

// Both ends belong to it.
struct Range {
  double from = 0;
  double to = 0;
  bool holds(double value) const { return value >= from && value <= to; }
};

// A set of candidates: those that fit every key given.
struct Kind {
  std::vector<std::string> vendors;
  std::vector<std::string> families;
  std::vector<std::string> cards;  // ids of data/accelerators
  std::vector<std::string> types;
  std::optional<Range> accelerators;  // of all machines together
  std::optional<Range> nodes;
  std::optional<bool> slice;
  std::string rule;  // of an exclusion: what must have rejected it

  std::string str() const;
};

struct Scenario {
  std::string title;
  Profile profile;
  Objective objective = Objective::balanced;
  std::vector<Kind> accept;
  std::vector<Kind> must_not;        // not the pick
  std::vector<Kind> excluded;        // nowhere in the ranking
  std::vector<std::string> mention;  // rule ids or words; "a | b" takes either
  bool no_answer = false;
  std::string known_gap;
};

inline std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

inline std::string Kind::str() const {
  std::string out;
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", key, value);
  };
  const auto range = [](const std::optional<Range>& r) { return r ? fmt::format("{:g}..{:g}", r->from, r->to) : ""; };
  add("vendors", joined(vendors));
  add("families", joined(families));
  add("cards", joined(cards));
  add("types", joined(types));
  add("accelerators", range(accelerators));
  add("nodes", range(nodes));
  if (slice) add("slice", *slice ? "true" : "false");
  return out;
}

// Strict: unknown keys and names that the catalog does not have are InputErrors with their place.
class ScenarioReader {
 public:
  ScenarioReader(std::string path, const Catalog& catalog, base::Arena& arena)
      : path_(std::move(path)), catalog_(catalog), arena_(arena) {}

  Scenario read() {
    const base::Node root = base::parse_yaml(base::read_bytes(path_), path_);
    Scenario s;
    bool why = false;
    bool sources = false;
    for (const auto& m : root.members) {
      const base::Node& value = m.value;
      if (m.key == "title") {
        s.title = text(value);
      } else if (m.key == "profile") {
        s.profile = read_profile(value, arena_, path_);
      } else if (m.key == "optimize") {
        s.objective = objective(value);
      } else if (m.key == "accept") {
        s.accept = kinds(value, false);
      } else if (m.key == "must_not") {
        s.must_not = kinds(value, false);
      } else if (m.key == "excluded") {
        s.excluded = kinds(value, true);
      } else if (m.key == "mention") {
        s.mention = texts(value);
      } else if (m.key == "no_answer") {
        s.no_answer = text(value) == "true";
      } else if (m.key == "known_gap") {
        s.known_gap = text(value);
      } else if (m.key == "why") {
        why = !text(value).empty();
      } else if (m.key == "sources") {
        sources = !texts(value).empty();
      } else {
        fail(value, fmt::format("unknown key \"{}\"", m.key));
      }
    }
    if (s.title.empty() || !s.profile.task) fail(root, "title and profile.task are needed");
    if (!why || !sources) fail(root, "why and sources are needed: the file says where its verdict is from");
    if (s.accept.empty() != s.no_answer) fail(root, "either accept or no_answer is needed");
    return s;
  }

 private:
  [[noreturn]] void fail(const base::Node& at, const std::string& message) const {
    throw InputError(Place{path_, at.line, at.column}, message);
  }

  std::string text(const base::Node& node) const {
    if (node.text.empty()) fail(node, "a text is expected");
    return node.text;
  }

  std::vector<std::string> texts(const base::Node& node) const {
    if (!node.is(base::Node::Kind::list) || node.items.empty()) fail(node, "a list with something in it is expected");
    std::vector<std::string> out;
    for (const auto& item : node.items) out.push_back(text(item));
    return out;
  }

  Objective objective(const base::Node& node) const {
    const auto words = names(Objective{});
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == node.text) return static_cast<Objective>(i);
    }
    fail(node, "not an objective");
  }

  // "2..8"
  Range range(const base::Node& node) const {
    const auto dots = node.text.find("..");
    if (dots == std::string::npos) fail(node, "a range such as 2..8 is expected");
    const auto number = [&](std::string_view part) {
      double value = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
      if (error != std::errc{} || end != part.data() + part.size()) fail(node, "a range such as 2..8 is expected");
      return value;
    };
    const Range out{number(std::string_view(node.text).substr(0, dots)),
                    number(std::string_view(node.text).substr(dots + 2))};
    if (out.from > out.to) fail(node, "the range is empty");
    return out;
  }

  // Names must be those of the catalog, letter by letter, so that a slip does not make a scenario pass.
  template <class Rows, class Name>
  std::vector<std::string> known(const base::Node& node, const Rows& rows, Name name) const {
    auto out = texts(node);
    for (const auto& word : out) {
      const bool found = std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return name(row) == word; });
      if (!found) fail(node, fmt::format("the catalog has no \"{}\"", word));
    }
    return out;
  }

  std::vector<Kind> kinds(const base::Node& node, bool with_rule) const {
    if (!node.is(base::Node::Kind::list) || node.items.empty()) fail(node, "a list with something in it is expected");
    std::vector<Kind> out;
    for (const auto& item : node.items) out.push_back(kind(item, with_rule));
    return out;
  }

  Kind kind(const base::Node& node, bool with_rule) const {
    if (node.members.empty()) fail(node, "a map is expected");
    Kind k;
    for (const auto& m : node.members) {
      if (m.key == "vendors") {
        k.vendors = known(m.value, catalog_.vendors, [](const Vendor& v) { return v.id; });
      } else if (m.key == "families") {
        k.families = known(m.value, catalog_.families, [](const Family& f) { return f.name; });
      } else if (m.key == "cards") {
        k.cards = known(m.value, catalog_.accelerators, [](const Accelerator& a) { return a.id; });
      } else if (m.key == "types") {
        k.types = texts(m.value);
        for (const auto& name : k.types) {
          if (find_type(catalog_, name) == nullptr) fail(m.value, fmt::format("the catalog has no \"{}\"", name));
        }
      } else if (m.key == "accelerators") {
        k.accelerators = range(m.value);
      } else if (m.key == "nodes") {
        k.nodes = range(m.value);
      } else if (m.key == "slice") {
        k.slice = text(m.value) == "true";
      } else if (m.key == "rule" && with_rule) {
        k.rule = text(m.value);
      } else {
        fail(m.value, fmt::format("unknown key \"{}\"", m.key));
      }
    }
    if (k.str().empty()) fail(node, "names nothing");
    return k;
  }

  std::string path_;
  const Catalog& catalog_;
  base::Arena& arena_;
};

}  // namespace gpuadvise::test
