#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>

#include "base/text.h"

namespace gpuadvise::base {

namespace {

char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct Range {
  char32_t first;
  char32_t last;
};

// Wide and full-width blocks of Unicode's EastAsianWidth.txt, coarse to whole blocks where every character is wide.
constexpr std::array kWide = std::to_array<Range>({{0x1100, 0x115F},
                                                   {0x2329, 0x232A},
                                                   {0x2E80, 0x303E},
                                                   {0x3041, 0x33FF},
                                                   {0x3400, 0x4DBF},
                                                   {0x4E00, 0x9FFF},
                                                   {0xA000, 0xA4CF},
                                                   {0xA960, 0xA97F},
                                                   {0xAC00, 0xD7A3},
                                                   {0xF900, 0xFAFF},
                                                   {0xFE10, 0xFE19},
                                                   {0xFE30, 0xFE6F},
                                                   {0xFF00, 0xFF60},
                                                   {0xFFE0, 0xFFE6},
                                                   {0x1F300, 0x1F64F},
                                                   {0x1F680, 0x1F6FF},
                                                   {0x1F900, 0x1F9FF},
                                                   {0x20000, 0x3FFFD}});
constexpr std::array kZero = std::to_array<Range>(
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}});

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](const Range& r) { return c >= r.first && c <= r.last; });
}

// Length of the sequence at `at` if valid, 0 otherwise; the code point goes to `c`.
std::size_t decode(std::string_view s, std::size_t at, char32_t& c) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char b = byte(at);
  std::size_t n = 0;
  char32_t least = 0;
  if (b < 0x80) {
    c = b;
    return 1;
  }
  if (b >= 0xC2 && b <= 0xDF) {
    n = 2, c = b & 0x1FU, least = 0x80;
  } else if (b >= 0xE0 && b <= 0xEF) {
    n = 3, c = b & 0x0FU, least = 0x800;
  } else if (b >= 0xF0 && b <= 0xF4) {
    n = 4, c = b & 0x07U, least = 0x10000;
  } else {
    return 0;
  }
  if (at + n > s.size()) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80) return 0;
    c = (c << 6U) | (byte(at + i) & 0x3FU);
  }
  if (c < least || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
  return n;
}

std::size_t columns_of(char32_t c) {
  if (c < 0x20 || within(kZero, c)) return 0;
  return within(kWide, c) ? 2 : 1;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower_ascii);
  return out;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool holds_ignoring_case(std::string_view text, std::string_view part) {
  const auto same = [](char x, char y) { return lower_ascii(x) == lower_ascii(y); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end() || part.empty();
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower_ascii(x) == lower_ascii(y); });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 128;  // names are short; a longer one is compared by its start
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::array<std::array<std::uint16_t, kLongest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = static_cast<std::uint16_t>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& above2 = rows[(i + 1) % 3];
    row[0] = static_cast<std::uint16_t>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower_ascii(a[i - 1]) == lower_ascii(b[j - 1]);
      int best = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower_ascii(a[i - 1]) == lower_ascii(b[j - 2]) &&
          lower_ascii(a[i - 2]) == lower_ascii(b[j - 1])) {
        best = std::min(best, above2[j - 2] + 1);
      }
      row[j] = static_cast<std::uint16_t>(best);
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::vector<std::string_view> nearest(std::string_view name, std::span<const std::string_view> candidates,
                                      std::size_t most, bool plausible) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
  for (const auto candidate : candidates) {
    const std::size_t d = edit_distance(name, candidate);
    if (!plausible || d <= limit) ranked.emplace_back(d, candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  std::vector<std::string_view> out;
  for (const auto& [d, candidate] : ranked) {
    if (out.size() == most) break;
    out.push_back(candidate);
  }
  return out;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const auto found = nearest(name, candidates, 1);
  return found.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", found.front());
}

std::optional<std::size_t> invalid_utf8_at(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    char32_t c = 0;
    const std::size_t n = decode(text, i, c);
    if (n == 0) return i;
    i += n;
  }
  return std::nullopt;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    char32_t c = 0;
    const std::size_t n = decode(text, i, c);
    columns += n == 0 ? 1 : columns_of(c);
    i += n == 0 ? 1 : n;
  }
  return columns;
}

std::string pad_right(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(text) + std::string(width < columns ? columns - width : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(width < columns ? columns - width : 0, ' ') + std::string(text);
}

namespace {

constexpr char32_t kOpeningBracket = 0xFF08;

// CJK punctuation that begins no line: it stays with the character before it.
bool closes(char32_t c) { return std::u32string_view(U"。，、；：）？！").find(c) != std::u32string_view::npos; }

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t width = 0;
  std::string word;
  std::size_t word_width = 0;
  bool opened = false;  // an opening bracket came just before
  const auto flush_word = [&] {
    if (width > 0 && width + word_width > columns) {
      while (!line.empty() && line.back() == ' ') line.pop_back();
      lines.push_back(line);
      line.clear();
      width = 0;
    }
    line += word;
    width += word_width;
    word.clear();
    word_width = 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    char32_t c = 0;
    std::size_t n = decode(text, i, c);
    if (n == 0) n = 1, c = '?';
    const std::size_t w = columns_of(c);
    if (c == ' ') {
      flush_word();
      opened = false;
      if (width > 0) line += ' ', ++width;
    } else {
      if (w == 2 && !closes(c) && !opened) flush_word();
      word += text.substr(i, n);
      word_width += w;
      opened = c == kOpeningBracket;
      char32_t next = 0;
      if (i + n < text.size()) decode(text, i + n, next);
      if (w == 2 && !closes(next) && !opened) flush_word();
    }
    i += n;
  }
  flush_word();
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    char32_t c = 0;
    const std::size_t n = decode(text, i, c);
    // C0, DEL, C1, bidirectional overrides and line separators can forge output.
    const bool control = n == 0 || c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
                         (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
    const std::size_t length = n == 0 ? 1 : n;
    if (control) {
      for (std::size_t k = 0; k < length; ++k) {
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i + k]));
      }
    } else {
      out += text.substr(i, length);
    }
    i += length;
  }
  return out;
}

std::optional<double> parse_count(std::string_view text) {
  text = trim(text);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || !std::isfinite(value) || value <= 0) return std::nullopt;
  std::string_view suffix(at, static_cast<std::size_t>(end - at));
  double scale = 1;
  if (suffix.size() == 1) {
    switch (lower_ascii(suffix[0])) {
      case 'k':
        scale = 1e3;
        break;
      case 'm':
        scale = 1e6;
        break;
      case 'b':
      case 'g':
        scale = 1e9;
        break;
      case 't':
        scale = 1e12;
        break;
      default:
        return std::nullopt;
    }
  } else if (!suffix.empty()) {
    return std::nullopt;
  }
  value *= scale;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string format_count(double count) {
  struct Unit {
    double scale;
    const char* name;
  };
  for (const Unit unit : {Unit{1e12, "T"}, Unit{1e9, "B"}, Unit{1e6, "M"}, Unit{1e3, "k"}}) {
    if (count >= unit.scale * 0.99995) return fmt::format("{:.4g}{}", count / unit.scale, unit.name);
  }
  return fmt::format("{:.4g}", count);
}

std::string group_thousands(double value, int decimals) {
  std::string plain = fmt::format("{:.{}f}", std::fabs(value), decimals);
  auto at = plain.find('.');
  if (at == std::string::npos) at = plain.size();
  for (; at > 3; at -= 3) plain.insert(at - 3, ",");
  const bool negative = value < 0 && plain.find_first_of("123456789") != std::string::npos;
  return negative ? "-" + plain : plain;
}

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  const int exponent = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  const double step = std::pow(10.0, exponent - digits);
  const double rounded = std::round(value / step) * step;
  // Rounding may add a digit: 9.996 is 10.0.
  const bool carried = std::fabs(rounded) >= std::pow(10.0, exponent) * (1 - 1e-12);
  return group_thousands(rounded, std::max(0, digits - exponent - (carried ? 1 : 0)));
}

}  // namespace gpuadvise::base
