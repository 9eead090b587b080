// Text as people and terminals see it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::base {

std::string lower(std::string_view text);  // ASCII only
std::string_view trim(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);
bool holds_ignoring_case(std::string_view text, std::string_view part);
std::vector<std::string_view> split(std::string_view text, char separator);

// Optimal string alignment distance, ASCII case ignored: a swapped pair of letters is one edit.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidates nearest to `name`, nearest first, at most `most`. With `plausible`, only those near enough to be a
// slip of the finger.
std::vector<std::string_view> nearest(std::string_view name, std::span<const std::string_view> candidates,
                                      std::size_t most, bool plausible = true);
// "; did you mean \"x\"?" or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

// Offset of the first byte that is not valid UTF-8.
std::optional<std::size_t> invalid_utf8_at(std::string_view text);

// Columns that a terminal uses, East Asian width and zero-width marks considered.
std::size_t display_width(std::string_view text);
std::string pad_right(std::string_view text, std::size_t columns);
std::string pad_left(std::string_view text, std::size_t columns);
// Breaks at spaces, and between CJK characters, so that no line is wider than `columns`.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

// A string from a stranger, safe on a terminal and in a log: control characters become \xNN, newlines too.
std::string printable(std::string_view text);

// "13B", "7.62e9", "350M", "1.5T", "4k": a count that is finite and above zero.
std::optional<double> parse_count(std::string_view text);
std::string format_count(double count);  // 13B, 7.62B, 350M

// 1,234,567 with `decimals` places.
std::string group_thousands(double value, int decimals = 0);
// Three significant digits, thousands grouped: 1,230; 45.6; 0.789.
std::string significant(double value, int digits = 3);

}  // namespace gpuadvise::base
