// The small language of the texts in data/emit, after Mustache:
//
//   {{name}}        a value, escaped for a quoted string of the format
//   {{&name}}       a value as it is: numbers and words of the product alone
//   {{>name}}       a text of several lines, each indented as the tag is
//   {{t:id}}        a message in the user's language, on one line: for comments
//   {{q:id}}        the same, escaped for a quoted string
//   {{#name}}...{{/name}}  only where the value is not empty;  {{^name}}...{{/name}}  only where it is
//
// A line of nothing but tags of sections leaves no line. An unknown name is a mistake of the product and
// throws std::logic_error.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/message.h"

namespace gpuadvise::emit_detail {

using Values = std::map<std::string, std::string, std::less<>>;

// What a format does to text on its way in.
struct Escapes {
  std::string (*quoted)(std::string_view);  // within a quoted string
  std::string (*block)(std::string_view);   // a line of a block of text
};

std::string render(std::string_view text, const Values& values, const Escapes& escapes, const base::Texts& texts);

// For texts that are no file of a format: as they are.
std::string plain(std::string_view text);

}  // namespace gpuadvise::emit_detail
