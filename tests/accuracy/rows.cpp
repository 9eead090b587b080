#include <charconv>
#include <cstdint>
#include <fmt/format.h>

#include "accuracy.h"
#include "base/load.h"
#include "workload/profile_fields.h"

namespace gpuadvise::accuracy {

namespace {

std::string text_of(const base::Node& row, std::string_view key) {
  const base::Node* value = row.find(key);
  return value == nullptr ? std::string() : value->text;
}

}  // namespace

std::optional<double> Row::number(std::string_view key) const {
  const base::Node* value = measured.find(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  double out = 0;
  const auto [at, status] = std::from_chars(value->text.data(), value->text.data() + value->text.size(), out);
  if (status != std::errc{}) return std::nullopt;
  return out;
}

std::string_view Row::word(std::string_view key) const {
  const base::Node* value = measured.find(key);
  return value == nullptr || value->is(base::Node::Kind::null) ? std::string_view() : std::string_view(value->text);
}

bool in_holdout(std::string_view id) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash % 3 == 0;
}

std::vector<Row> read_rows(const std::string& path, base::Arena& arena) {
  const std::string bytes = base::read_bytes(path);
  std::vector<Row> rows;
  int line = 0;
  for (const auto text : base::split(bytes, '\n')) {
    ++line;
    if (base::trim(text).empty()) continue;
    const std::string name = fmt::format("{}:{}", path, line);
    const base::Node node = base::parse_json(text, name);
    Row row;
    row.id = text_of(node, "id");
    row.source = text_of(node, "source");
    row.note = text_of(node, "note");
    row.quality = text_of(node, "quality");
    row.holdout = in_holdout(row.id);
    if (const auto* measured = node.find("measured")) row.measured = *measured;
    if (const auto* profile = node.find("profile")) {
      base::Loader loader(arena, name);
      loader.read(*profile, row.profile, "");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Remarks read_remarks(const std::string& path) {
  Remarks remarks;
  const base::Node root = base::parse_yaml(base::read_bytes(path), path);
  const base::Node* list = root.find("remarks");
  if (list == nullptr) return remarks;
  for (const auto& item : list->items) {
    Remark remark;
    if (const auto* flag = item.find("set_aside")) remark.set_aside = flag->text == "true";
    remark.reason = text_of(item, "reason");
    if (const auto* ids = item.find("ids")) {
      for (const auto& id : ids->items) remarks[id.text] = remark;
    }
  }
  return remarks;
}

}  // namespace gpuadvise::accuracy
