#include <algorithm>

#include "check/readers/attributes.h"
#include "check/readers/resource.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

// Whether a "true at the leaves" tree says true along the path, or anywhere below its end.
bool marked(const Node* tree, std::string_view path) {
  if (tree == nullptr) return false;
  if (tree->is(Node::Kind::boolean)) return truthy(tree);
  if (tree->is(Node::Kind::list)) {
    return std::any_of(tree->items.begin(), tree->items.end(), [&](const Node& item) { return marked(&item, path); });
  }
  if (!tree->is(Node::Kind::map)) return false;
  if (path.empty()) {
    return std::any_of(tree->members.begin(), tree->members.end(),
                       [](const Node::Member& member) { return marked(&member.value, {}); });
  }
  const auto dot = path.find('.');
  std::string_view key = path.substr(0, dot);
  if (key.ends_with("[]")) key.remove_suffix(2);
  const Node* value = tree->find(key);
  return value != nullptr && marked(value, dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1));
}

// A mark stands on the whole value, not on a part of it.
bool marked_whole(const Node* tree, std::string_view path) {
  const Node* mark = tree == nullptr || tree->is(Node::Kind::boolean) ? tree : first(*tree, path);
  return mark != nullptr && mark->is(Node::Kind::boolean) && truthy(mark);
}

}  // namespace

std::vector<const Node*> Attributes::all(Paths paths) const {
  std::vector<const Node*> out;
  for (const auto path : paths) {
    if (marked(sensitive_, path)) continue;
    const auto found = select(values_, path);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

std::vector<std::string> Attributes::texts(Paths paths) const {
  std::vector<std::string> out;
  for (const Node* node : all(paths)) {
    std::string text = text_of(node);
    if (!text.empty() && std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

std::string Attributes::text(Paths paths) const {
  for (const Node* node : all(paths)) {
    if (std::string text = text_of(node); !text.empty()) return text;
  }
  return {};
}

std::optional<double> Attributes::number(Paths paths) const {
  for (const Node* node : all(paths)) {
    if (const auto value = number_of(node)) return value;
  }
  return std::nullopt;
}

bool Attributes::any(Paths paths) const {
  const auto found = all(paths);
  return std::any_of(found.begin(), found.end(), truthy);
}

Pairs Attributes::labels(Paths paths) const {
  Pairs out;
  for (const auto path : paths) {
    if (marked_whole(sensitive_, path)) continue;
    const Node* marks = sensitive_ == nullptr ? nullptr : first(*sensitive_, path);
    for (const Node* node : select(values_, path)) {
      if (!marked(sensitive_, path)) {
        add_labels(node, out);
      } else if (node->is(Node::Kind::map) && marks != nullptr && marks->is(Node::Kind::map)) {
        // One secret tag does not hide the others.
        for (const auto& member : node->members) {
          if (!marked(marks->find(member.key), {})) out.emplace_back(member.key, text_of(&member.value));
        }
      }
    }
  }
  return out;
}

bool Attributes::is_unknown(Paths paths) const {
  return std::any_of(paths.begin(), paths.end(), [&](auto path) { return marked(unknown_, path); });
}

bool Attributes::is_sensitive(Paths paths) const {
  return std::any_of(paths.begin(), paths.end(), [&](auto path) { return marked(sensitive_, path); });
}

bool Attributes::shown(std::string_view path) const { return !marked(sensitive_, path); }

Attributes Attributes::entry(std::string_view list, std::size_t index, const Node& values) const {
  static const Node kMarked = [] {
    Node node;
    node.kind = Node::Kind::boolean;
    node.text = "true";
    return node;
  }();
  // Entries keep their order in the trees of marks. A mark on the list, or on what holds it, is one on all entries.
  const auto same = [&](const Node* tree) -> const Node* {
    if (tree == nullptr || tree->is(Node::Kind::boolean)) return tree;
    const auto found = select(*tree, list);
    const bool entries =
        std::all_of(found.begin(), found.end(), [](const Node* one) { return one->is(Node::Kind::map); });
    if (entries && index < found.size()) return found[index];
    return marked(tree, list) ? &kMarked : nullptr;
  };
  return Attributes(values, same(unknown_), same(sensitive_));
}

}  // namespace gpuadvise::check
