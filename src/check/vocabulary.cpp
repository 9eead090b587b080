#include "base/text.h"
#include "check/vocabulary.h"

namespace gpuadvise::check {

Vocabulary::Vocabulary(const PlanFormats& formats) {
  for (const auto& word : formats.words) words_[word.about].push_back(&word);
}

std::span<const PlanWord* const> Vocabulary::about(std::string_view what) const {
  const auto found = words_.find(what);
  return found == words_.end() ? std::span<const PlanWord* const>() : std::span<const PlanWord* const>(found->second);
}

std::string_view Vocabulary::meaning(std::string_view what, std::string_view word) const {
  if (word.empty()) return {};
  for (const PlanWord* entry : about(what)) {
    if (base::equal_ignoring_case(entry->word, word)) return entry->means;
  }
  return {};
}

std::string_view Vocabulary::meaning_within(std::string_view what, std::string_view text) const {
  for (const PlanWord* entry : about(what)) {
    if (text.find(entry->word) != std::string_view::npos) return entry->means;
  }
  return {};
}

}  // namespace gpuadvise::check
