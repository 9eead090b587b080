#include <cstddef>

#include "estimate/name_match.h"

namespace gpuadvise {

namespace {

// The next letter or digit at or after `at`, lower case; 0 at the end. Bytes above ASCII count as letters.
char next(std::string_view text, std::size_t& at) {
  while (at < text.size()) {
    const char c = text[at++];
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80) return c;
  }
  return 0;
}

// How far `part` is found from `at` on: true when all of it is.
bool matches(std::string_view name, std::size_t at, std::string_view part, std::size_t* end) {
  std::size_t in_part = 0;
  for (;;) {
    const char wanted = next(part, in_part);
    if (wanted == 0) break;
    if (next(name, at) != wanted) return false;
  }
  *end = at;
  return true;
}

bool has_letter(std::string_view text) {
  std::size_t at = 0;
  return next(text, at) != 0;
}

}  // namespace

bool name_begins(std::string_view name, std::string_view beginning) {
  std::size_t end = 0;
  return has_letter(beginning) && matches(name, 0, beginning, &end);
}

bool name_holds(std::string_view name, std::string_view part) {
  if (!has_letter(part)) return true;
  std::size_t end = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (matches(name, at, part, &end)) return true;
  }
  return false;
}

bool same_name(std::string_view a, std::string_view b) {
  std::size_t end = 0;
  if (!matches(a, 0, b, &end)) return false;
  return next(a, end) == 0;
}

}  // namespace gpuadvise
