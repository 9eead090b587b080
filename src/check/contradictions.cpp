#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "check/contradictions.h"

namespace gpuadvise::check {

namespace {

bool differ(double a, double b) { return std::fabs(a - b) > 0.01; }

// A label whose key speaks of the card itself: short names of cards count in any case there.
bool is_card_label(std::string_view key) {
  return key.find("gpu") != std::string_view::npos || key.find("accelerator") != std::string_view::npos ||
         key.find("card") != std::string_view::npos || key.find("npu") != std::string_view::npos;
}

bool is_other_label(std::string_view key) {
  return key.find("gpuadvise") != std::string_view::npos || key.find("instance-type") != std::string_view::npos;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 80;
  if (text.size() <= kMost) return std::string(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace

std::string_view from_word(Claim::From from) {
  switch (from) {
    case Claim::From::selector:
      return "selector";
    case Claim::From::label:
      return "label";
    case Claim::From::comment:
      return "comment";
    case Claim::From::name:
      return "name";
  }
  return "label";
}

std::vector<CardStatement> card_statements(const PlannedMachine& machine, const CardNames& names) {
  std::vector<CardStatement> out;
  const auto add = [&](std::string_view text, Claim::From from, const Place& place, bool about_card) {
    auto mentions = names.find(text, about_card);
    if (!mentions.empty()) out.push_back({shortened(text), from, place, std::move(mentions)});
  };
  for (const auto& claim : machine.claims)
    add(claim.text, claim.from, claim.place, claim.from == Claim::From::selector);
  for (const auto& label : machine.labels) {
    const std::string key = base::lower(label.first);
    const bool seen = std::any_of(machine.claims.begin(), machine.claims.end(),
                                  [&](const Claim& claim) { return claim.text == label.second; });
    if (!is_other_label(key) && !seen) add(label.second, Claim::From::label, Place{}, is_card_label(key));
  }
  return out;
}

std::vector<Contradiction> contradictions(const std::vector<CardStatement>& statements, const Accelerator* card,
                                          const InstanceType& type, double nodes) {
  std::vector<Contradiction> out;
  if (card == nullptr) return out;
  const double cards = type.accelerators.value_or(0);
  const double all = cards * std::max(1.0, nodes);
  for (const auto& statement : statements) {
    // A selector lists alternatives; one that the machine carries is enough.
    const bool chosen = statement.from == Claim::From::selector &&
                        std::any_of(statement.mentions.begin(), statement.mentions.end(),
                                    [&](const CardMention& mention) { return CardNames::is(*card, mention); });
    if (chosen && statement.mentions.size() > 1) continue;
    for (const auto& mention : statement.mentions) {
      const bool wrong = !CardNames::is(*card, mention);
      const bool miscounted =
          mention.count && cards > 0 && differ(*mention.count, cards) && differ(*mention.count, all);
      if (!wrong && !miscounted) continue;
      out.push_back({&statement, &mention, wrong, miscounted});
      break;
    }
  }
  return out;
}

}  // namespace gpuadvise::check
