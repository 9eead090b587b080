#include <charconv>
#include <cmath>

#include "base/text.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

void walk(const Node& node, std::string_view path, std::vector<const Node*>& out) {
  if (node.is(Node::Kind::list)) {
    for (const auto& item : node.items) walk(item, path, out);
    return;
  }
  if (path.empty()) {
    out.push_back(&node);
    return;
  }
  if (!node.is(Node::Kind::map)) return;
  const auto dot = path.find('.');
  std::string_view key = path.substr(0, dot);
  if (key.ends_with("[]")) key.remove_suffix(2);
  const Node* value = node.find(key);
  if (value != nullptr) walk(*value, dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1), out);
}

}  // namespace

std::vector<const Node*> select(const Node& root, std::string_view path) {
  std::vector<const Node*> out;
  walk(root, path, out);
  return out;
}

const Node* first(const Node& root, std::string_view path) {
  const auto found = select(root, path);
  return found.empty() ? nullptr : found.front();
}

std::string text_of(const Node* node) {
  if (node == nullptr || node->is(Node::Kind::null) || node->is(Node::Kind::list) || node->is(Node::Kind::map)) {
    return {};
  }
  return std::string(base::trim(node->text));
}

std::optional<double> number_of(const Node* node) {
  if (node == nullptr || (!node->is_number() && !node->is(Node::Kind::string))) return std::nullopt;
  const std::string_view text = base::trim(node->text);
  double value = 0;
  const auto [at, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || at != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool truthy(const Node* node) {
  if (node == nullptr) return false;
  switch (node->kind) {
    case Node::Kind::null:
      return false;
    case Node::Kind::boolean:
      return node->text[0] == 't' || node->text[0] == 'T';
    case Node::Kind::list:
      return !node->items.empty();
    case Node::Kind::map:
      return !node->members.empty();
    default:
      break;
  }
  if (const auto number = number_of(node)) return *number > 0;
  const std::string text = base::lower(base::trim(node->text));
  return !text.empty() && text != "false" && text != "no" && text != "none";
}

std::optional<double> gib_of(std::string_view text, double bare) {
  text = base::trim(text);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
  const std::string unit = base::lower(base::trim(std::string_view(at, static_cast<std::size_t>(end - at))));
  double scale = bare;
  if (unit == "gi" || unit == "gib" || unit == "g" || unit == "gb") {
    scale = 1;
  } else if (unit == "mi" || unit == "mib" || unit == "m" || unit == "mb") {
    scale = 1.0 / 1024;
  } else if (unit == "ti" || unit == "tib" || unit == "t" || unit == "tb") {
    scale = 1024;
  } else if (unit == "ki" || unit == "k") {
    scale = 1.0 / (1024.0 * 1024.0);
  } else if (!unit.empty() && unit != "+") {
    return std::nullopt;
  }
  return value * scale;
}

}  // namespace gpuadvise::check
