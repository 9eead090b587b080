// Errors are built in English where they arise, with the values already in them. This finds the message error/* whose
// English is the pattern of such a text, and says the same in Chinese, as gettext does.
//
// The English of a row is the format string of the code: {}, {0}, {:g} stand for values, {{ and }} for braces. In the
// Chinese {0}, {1}, ... are the values in the order of the English; {0:zh} is a value that is itself such a text, as in
// "field: what is wrong with it".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/text.h"

namespace gpuadvise::base {

// A text with holes: literals[0] hole literals[1] hole ... literals[n].
struct Pattern {
  struct Hole {
    std::size_t index = 0;    // of the value
    std::string_view format;  // behind the colon
  };

  explicit Pattern(std::string_view format);
  std::vector<std::string> literals;
  std::vector<Hole> holes;
};

// The values that make the pattern read `text`, by index and as short as they can be, earlier ones first. Indices begin
// at 0 and leave none out.
std::optional<std::vector<std::string_view>> match(const Pattern& pattern, std::string_view text);

// The rows error/* of all messages, which are sorted by id.
std::span<const Message> error_rows(std::span<const Message> messages);

// `english` in `lang`: as it is where that is English or no row knows the text. Of the rows that match, the one that
// spells out most of the text counts. Only the first line is translated; what follows quotes the input.
std::string translate(std::string_view english, std::span<const Message> messages, Lang lang);

}  // namespace gpuadvise::base
