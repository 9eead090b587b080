#include <algorithm>
#include <charconv>

#include "base/date.h"

namespace gpuadvise::base {

namespace {

int number(std::string_view text, std::size_t at, std::size_t length) {
  int value = 0;
  std::from_chars(text.data() + at, text.data() + at + length, value);
  return value;
}

// Months since year 0, of the last month that the date can mean.
std::optional<int> month_of(std::string_view date) {
  if (!is_iso_date(date)) return std::nullopt;
  constexpr int kMonths = 12;
  return number(date, 0, 4) * kMonths + (date.size() >= 7 ? number(date, 5, 2) : kMonths);
}

}  // namespace

bool is_iso_date(std::string_view text) {
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  }
  const bool month = text.size() < 7 || (number(text, 5, 2) >= 1 && number(text, 5, 2) <= 12);
  const bool day = text.size() < 10 || (number(text, 8, 2) >= 1 && number(text, 8, 2) <= 31);
  return month && day;
}

std::optional<int> months_between(std::string_view from, std::string_view to) {
  const auto first = month_of(from);
  const auto last = month_of(to);
  if (!first || !last) return std::nullopt;
  return std::max(0, *last - *first);
}

}  // namespace gpuadvise::base
