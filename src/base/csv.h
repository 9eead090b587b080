// Comma-separated values as RFC 4180 has them: quotes, doubled quotes, LF or CRLF, an optional byte order mark.
#pragma once

#include <string>
#include <string_view>

#include "base/node.h"

namespace gpuadvise::base {

// A list of maps, one a line after the first, whose cells name the keys. An empty cell is null; a line without any
// text is skipped. Cells are read as plain words (numbers stay numbers) and remember where they stood. Throws
// InputError for quotes that do not pair, a line with more or fewer cells than the first, a name that stands twice.
Node parse_csv(std::string_view text, const std::string& name, const Limits& limits = {});

}  // namespace gpuadvise::base
