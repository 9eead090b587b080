#include <charconv>
#include <cmath>

#include "rules/cel/value.h"

namespace gpuadvise::cel {

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
  if (a.is(Kind::integer) && b.is(Kind::integer)) return a.integer <=> b.integer;
  if (a.is(Kind::real) && b.is(Kind::real)) return a.real <=> b.real;
  if (a.is(Kind::real)) return 0 <=> compare_numbers(b, a);
  // Exact: a double beyond the ints is on its side, one within splits into a whole part and a fraction.
  const double d = b.real;
  if (std::isnan(d)) return std::partial_ordering::unordered;
  if (d >= 0x1p63) return std::partial_ordering::less;
  if (d < -0x1p63) return std::partial_ordering::greater;
  const double whole = std::trunc(d);
  const auto n = static_cast<std::int64_t>(whole);
  if (a.integer != n) return a.integer <=> n;
  return 0.0 <=> (d - whole);
}

bool equal(const Value& a, const Value& b) {
  std::uint64_t steps = 1'000'000'000;
  return equal_within(a, b, steps);
}

bool equal_within(const Value& a, const Value& b, std::uint64_t& steps) {
  if (steps == 0) return false;
  --steps;
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return a.integer == b.integer;
    case Kind::string:
      return a.text == b.text;
    case Kind::list:
      if (a.items.size() != b.items.size()) return false;
      for (std::size_t i = 0; i < a.items.size(); ++i) {
        if (!equal_within(a.items[i], b.items[i], steps)) return false;
      }
      return true;
    case Kind::map:
      if (a.items.size() != b.items.size()) return false;
      for (std::size_t i = 0; i < a.items.size(); i += 2) {
        const Value* other = find_key(b, a.items[i], steps);
        if (other == nullptr || !equal_within(a.items[i + 1], *other, steps)) return false;
      }
      return true;
    default:
      return false;
  }
}

const Value* find_key(const Value& map, const Value& key, std::uint64_t& steps) {
  for (std::size_t i = 0; i < map.items.size(); i += 2) {
    if (equal_within(map.items[i], key, steps)) return &map.items[i + 1];
  }
  return nullptr;
}

std::string format_double(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[64];
  const auto scientific = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(scientific.ptr - buffer));
  int exponent = 0;
  const auto e = text.find('e');
  const char* first = text.data() + e + 1 + (text[e + 1] == '+' ? 1 : 0);
  std::from_chars(first, text.data() + text.size(), exponent);
  // The thresholds of Go's shortest 'g', which is what the reference implementation prints.
  if (exponent < -4 || exponent >= 6) return std::string(text);
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  return {buffer, fixed.ptr};
}

}  // namespace gpuadvise::cel
