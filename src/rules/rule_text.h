// Messages and their placeholders: {field}, {field:format}, {params.name}, {vars.name}; {{ and }} stand for braces.
// Formats: 0, 1, 2 (decimals), sig (three significant digits), percent (of a fraction), count (13B), version (1204 as
// 12.4).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gpuadvise/cel.h"

namespace gpuadvise {

struct Placeholder {
  std::string_view name;
  std::string_view format;  // empty: by type
  std::size_t offset;       // in the text
};

// Calls `literal` and `placeholder` in order; returns what is wrong with the text, empty: nothing.
std::string walk_text(std::string_view text, const std::function<void(std::string_view)>& literal,
                      const std::function<void(const Placeholder&)>& placeholder);

// What is wrong with the format for a value of that type; empty: nothing.
std::string check_format(std::string_view format, cel::TypeKind type);

std::string format_value(const cel::Value& value, std::string_view format, bool chinese);

}  // namespace gpuadvise
