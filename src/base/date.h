// ISO dates as far as they are given: 2026, 2026-11, 2026-11-30.
#pragma once

#include <optional>
#include <string_view>

namespace gpuadvise::base {

bool is_iso_date(std::string_view text);

// Whole months from one date to another, by the calendar month and never below 0. Of a date that is only a year the
// last month counts, so that nothing is called older than it must be. Nothing where a date is not given.
std::optional<int> months_between(std::string_view from, std::string_view to);

}  // namespace gpuadvise::base
