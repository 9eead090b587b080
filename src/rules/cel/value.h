// What operators need of values.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "gpuadvise/cel.h"

namespace gpuadvise::cel {

// Mathematical order of an int or double against an int or double.
std::partial_ordering compare_numbers(const Value& a, const Value& b);

// equal() that takes from a budget of comparisons and says false once it is spent: values may share parts, so that a
// small one can unfold without end.
bool equal_within(const Value& a, const Value& b, std::uint64_t& steps);
const Value* find_key(const Value& map, const Value& key, std::uint64_t& steps);

// The shortest text that reads back as the same double.
std::string format_double(double value);

}  // namespace gpuadvise::cel
