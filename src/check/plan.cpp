#include <algorithm>

#include "check/plan.h"

namespace gpuadvise::check {

void ask_for_card(PlannedMachine& machine, std::string_view card, const Place& place) {
  const bool seen =
      std::any_of(machine.cards.begin(), machine.cards.end(), [&](const auto& c) { return c.text == card; });
  if (!card.empty() && !seen) machine.cards.push_back({std::string(card), place});
}

std::string_view value_of(const Pairs& pairs, std::string_view key) {
  for (const auto& [k, v] : pairs) {
    if (k == key) return v;
  }
  return {};
}

}  // namespace gpuadvise::check
