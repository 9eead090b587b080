// The rules that the product brings, compiled once for a whole test program, and whether one of them is among what was
// said.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "gpuadvise/advise.h"
#include "gpuadvise/knowledge.h"
#include "gpuadvise/rules.h"

namespace gpuadvise::test {

inline const RuleSet& rules() {
  static const RuleSet set(builtin_knowledge().rules);
  return set;
}

inline bool says(const std::vector<Note>& notes, std::string_view rule) {
  return std::any_of(notes.begin(), notes.end(), [&](const Note& n) { return n.rule == rule; });
}

}  // namespace gpuadvise::test
