// The words of data/plan_formats by what they are about: how formats, images and launchers spell what we mean.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpuadvise/plan_format.h"

namespace gpuadvise::check {

class Vocabulary {
 public:
  explicit Vocabulary(const PlanFormats& formats);

  // All words about something, in the order of the table.
  std::span<const PlanWord* const> about(std::string_view what) const;
  // What this word means, whatever its case; empty: not known.
  std::string_view meaning(std::string_view what, std::string_view word) const;
  // What the first word of the table that stands somewhere in the text means. `text` is lower case.
  std::string_view meaning_within(std::string_view what, std::string_view text) const;

 private:
  std::unordered_map<std::string_view, std::vector<const PlanWord*>> words_;
};

}  // namespace gpuadvise::check
