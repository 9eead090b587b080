#include <algorithm>
#include <charconv>

#include "base/translate.h"

namespace gpuadvise::base {

namespace {

constexpr int kMostNested = 8;

// A format such as :g stands for a number, and matches no other text.
bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789+-.einfa") == std::string_view::npos;
}

struct Row {
  const Message* message;
  Pattern english;
  Pattern chinese;
  std::size_t spelled = 0;  // bytes of the English that are no value
};

bool nested(const Pattern::Hole& hole) { return hole.format == "zh"; }

std::vector<Row> rows_of(std::span<const Message> messages) {
  std::vector<Row> rows;
  for (const auto& message : messages) {
    Row row{&message, Pattern(message.en), Pattern(message.zh)};
    for (const auto& literal : row.english.literals) row.spelled += literal.size();
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.spelled > b.spelled; });
  return rows;
}

// What opens a text is a name, not a clause of its own, unless the row translates it.
bool plausible(const Row& row, const std::vector<std::string_view>& values) {
  if (row.english.holes.empty() || !row.english.literals.front().empty()) return true;
  const auto& holes = row.chinese.holes;
  const bool clause = std::any_of(holes.begin(), holes.end(), [](const auto& h) { return h.index == 0 && nested(h); });
  return clause || values.front().find(": ") == std::string_view::npos;
}

std::string in_chinese(std::string_view english, const std::vector<Row>& rows, int depth) {
  if (depth > kMostNested) return std::string(english);
  for (const Row& row : rows) {
    const auto values = match(row.english, english);
    if (!values || !plausible(row, *values)) continue;
    std::string out = row.chinese.literals.front();
    for (std::size_t i = 0; i < row.chinese.holes.size(); ++i) {
      const auto& hole = row.chinese.holes[i];
      const auto value = (*values)[hole.index];
      out += nested(hole) && !value.empty() ? in_chinese(value, rows, depth + 1) : std::string(value);
      out += row.chinese.literals[i + 1];
    }
    return out;
  }
  return std::string(english);
}

}  // namespace

Pattern::Pattern(std::string_view format) {
  literals.emplace_back();
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if ((c == '{' || c == '}') && format.substr(i + 1, 1) == format.substr(i, 1)) {
      literals.back() += c;
      ++i;
    } else if (const auto close = format.find('}', i); c == '{' && close != std::string_view::npos) {
      const auto inside = format.substr(i + 1, close - i - 1);
      const auto number = inside.substr(0, inside.find(':'));
      Hole hole{holes.size(), inside.substr(std::min(number.size() + 1, inside.size()))};
      std::from_chars(number.data(), number.data() + number.size(), hole.index);
      holes.push_back(hole);
      literals.emplace_back();
      i = close;
    } else {
      literals.back() += c;
    }
  }
}

std::optional<std::vector<std::string_view>> match(const Pattern& pattern, std::string_view text) {
  if (!text.starts_with(pattern.literals.front())) return std::nullopt;
  std::size_t at = pattern.literals.front().size();
  std::vector<std::string_view> values;
  for (std::size_t i = 0; i < pattern.holes.size(); ++i) {
    const auto& hole = pattern.holes[i];
    const std::string& next = pattern.literals[i + 1];
    std::size_t end = text.find(next, at);
    if (hole.index < values.size()) {  // the same value again
      end = at + values[hole.index].size();
    } else if (i + 1 == pattern.holes.size()) {
      end = text.size() - std::min(next.size(), text.size());
    }
    if (end == std::string_view::npos || end < at || !text.substr(std::min(end, text.size())).starts_with(next)) {
      return std::nullopt;
    }
    const auto value = text.substr(at, end - at);
    if (!hole.format.empty() && !is_number(value)) return std::nullopt;
    if (hole.index >= values.size()) {
      values.push_back(value);
    } else if (values[hole.index] != value) {
      return std::nullopt;
    }
    at = end + next.size();
  }
  if (at != text.size()) return std::nullopt;
  return values;
}

std::span<const Message> error_rows(std::span<const Message> messages) {
  constexpr std::string_view kArea = "error/";
  const auto first = std::lower_bound(messages.begin(), messages.end(), kArea,
                                      [](const Message& m, std::string_view wanted) { return m.id < wanted; });
  const auto last = std::find_if_not(first, messages.end(), [&](const Message& m) { return m.id.starts_with(kArea); });
  return {first, last};
}

std::string translate(std::string_view english, std::span<const Message> messages, Lang lang) {
  if (lang == Lang::en) return std::string(english);
  const auto known = error_rows(messages);
  const bool plain = english.find_first_of("{}") == std::string_view::npos;
  const auto same = std::find_if(known.begin(), known.end(), [&](const Message& m) { return m.en == english; });
  if (plain && same != known.end()) return std::string(same->zh);
  const auto line = std::min(english.find('\n'), english.size());
  return in_chinese(english.substr(0, line), rows_of(known), 0) + std::string(english.substr(line));
}

}  // namespace gpuadvise::base
