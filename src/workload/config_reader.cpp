#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "workload/config_reader.h"

namespace gpuadvise {

using base::Node;
using base::printable;

const Node* ConfigReader::at(std::string_view key) const {
  const Node* node = &map_;
  while (node != nullptr) {
    const auto dot = key.find('.');
    if (!node->is(Node::Kind::map)) return nullptr;
    node = node->find(key.substr(0, dot));
    if (dot == std::string_view::npos) break;
    key.remove_prefix(dot + 1);
  }
  return node == nullptr || node->is(Node::Kind::null) ? nullptr : node;
}

const Node* ConfigReader::field(std::string_view field) const {
  for (const auto& row : catalog_.config_keys) {
    if (row.field != field) continue;
    for (const auto key : row.keys) {
      if (const Node* node = at(key)) return node;
    }
  }
  return nullptr;
}

std::string ConfigReader::spellings(std::string_view field) const {
  std::string out;
  for (const auto& row : catalog_.config_keys) {
    if (row.field != field) continue;
    for (const auto key : row.keys) out += (out.empty() ? "" : ", ") + std::string(key);
  }
  return out;
}

void ConfigReader::fail(const Node& at, std::string_view text) const {
  throw InputError(Place{name_, at.line, at.column}, text);
}

void ConfigReader::warn(const Node& at, std::string text) const {
  warnings_.push_back({Place{name_, at.line, at.column}, std::move(text)});
}

int ConfigReader::whole(const Node& node, std::string_view key, int most) const {
  double value = 0;
  bool good = node.is_number();
  if (good) {
    const auto [end, status] = std::from_chars(node.text.data(), node.text.data() + node.text.size(), value);
    good = status == std::errc{} && std::isfinite(value) && value == std::floor(value) && value >= 0 && value <= most;
  }
  if (!good) {
    fail(node,
         fmt::format("{}: expected a whole number from 0 to {}, found {}{}", key, most, base::kind_name(node.kind),
                     node.text.empty() ? "" : fmt::format(" \"{}\"", printable(node.text.substr(0, 60)))));
  }
  return static_cast<int>(value);
}

std::optional<int> ConfigReader::integer(std::string_view field, int most) const {
  const Node* node = this->field(field);
  if (node == nullptr) return std::nullopt;
  if (!node->is(Node::Kind::list)) return whole(*node, field, most);
  if (node->items.empty()) return std::nullopt;
  double sum = 0;
  bool equal = true;
  const int first = whole(node->items.front(), field, most);
  for (const auto& item : node->items) {
    const int value = whole(item, field, most);
    equal = equal && value == first;
    sum += value;
  }
  if (equal) return first;
  const double mean = sum / static_cast<double>(node->items.size());
  warn(*node, fmt::format("{} differs by layer; the mean, {:.0f}, is taken for all", field, mean));
  return static_cast<int>(std::lround(mean));
}

std::optional<int> ConfigReader::integer_key(std::string_view key, int most) const {
  const Node* node = at(key);
  if (node == nullptr) return std::nullopt;
  return whole(*node, key, most);
}

std::optional<bool> ConfigReader::boolean(std::string_view field) const {
  const Node* node = this->field(field);
  if (node == nullptr) return std::nullopt;
  if (!node->is(Node::Kind::boolean)) {
    fail(*node, fmt::format("{}: expected true or false, found {}", field, base::kind_name(node->kind)));
  }
  return node->text[0] == 't' || node->text[0] == 'T';
}

std::optional<bool> ConfigReader::boolean_key(std::string_view key) const {
  const Node* node = at(key);
  if (node == nullptr || !node->is(Node::Kind::boolean)) return std::nullopt;
  return node->text[0] == 't' || node->text[0] == 'T';
}

std::optional<std::string> ConfigReader::text(std::string_view key) const {
  const Node* node = at(key);
  if (node == nullptr || node->is(Node::Kind::list) || node->is(Node::Kind::map)) return std::nullopt;
  return node->text;
}

std::vector<std::string> ConfigReader::words(std::string_view key) const {
  std::vector<std::string> out;
  const Node* node = at(key);
  if (node == nullptr || !node->is(Node::Kind::list)) return out;
  for (const auto& item : node->items) out.push_back(item.text);
  return out;
}

}  // namespace gpuadvise
