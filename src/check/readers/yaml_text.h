// YAML documents of a file one by one, so that one broken document does not hide the others; and the comments that the
// parser drops.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/node.h"
#include "check/plan.h"
#include "check/readers/reader.h"

namespace gpuadvise::check {

// Parses every document; lines count from the start of the file. A document that cannot be parsed becomes a problem.
std::vector<base::Node> parse_documents(const Input& input, Plan& plan);

// Comments of a YAML text by line.
class Comments {
 public:
  explicit Comments(std::string_view text);
  // The comment at the end of this line, and those on the comment lines straight above it.
  std::vector<std::pair<int, std::string>> near(int line) const;

 private:
  std::vector<std::string_view> lines_;
};

}  // namespace gpuadvise::check
