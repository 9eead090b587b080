#include <cmath>

#include "base/text.h"
#include "catalog/lookup.h"
#include "check/carriers.h"

namespace gpuadvise::check {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// "1/4*T4" -> 0.25; 1 where the text names no part of a card.
double fraction_of(std::string_view text) {
  const auto star = text.find('*');
  const std::string_view part = base::trim(text.substr(0, star));
  const bool fraction =
      star != std::string_view::npos && part.size() == 3 && digit(part[0]) && part[1] == '/' && digit(part[2]);
  return fraction && part[2] != '0' ? static_cast<double>(part[0] - '0') / (part[2] - '0') : 1;
}

// How far a machine is from what is asked for; below zero: it will not do.
double distance(const Family& family, const InstanceType& type, double cards, double fraction,
                std::string_view vendor) {
  if (!type.accelerators || !type.suspect.empty() || !family.platform.empty()) return -1;
  const double has = *type.accelerators;
  if (fraction < 1 ? !type.slice || std::fabs(has - fraction) > 0.01 : type.slice || has < cards) return -1;
  constexpr double kOtherVendor = 1000;
  constexpr double kNotSearched = 100;
  return has - cards + (family.vendor == vendor ? 0 : kOtherVendor) + (family.default_search ? 0 : kNotSearched) + 1;
}

}  // namespace

const Carrier& Carriers::find(std::string_view text, double cards, std::string_view vendor) {
  std::string key(text);
  key += '\n' + std::to_string(cards) + '\n';
  key += vendor;
  const auto found = known_.find(key);
  return found != known_.end() ? found->second
                               : known_.emplace(std::move(key), look_up(text, cards, vendor)).first->second;
}

Carrier Carriers::look_up(std::string_view text, double cards, std::string_view vendor) const {
  Carrier best;
  const auto mentions = names_.find(text, true);
  if (mentions.empty()) return best;
  const CardMention& mention = mentions.front();
  best.card = names_.accelerator(mention);
  const double fraction = fraction_of(text);
  double nearest = -1;
  for (const auto& family : catalog_.families) {
    for (const auto& type : family.types) {
      const double far = distance(family, type, mention.count.value_or(cards), fraction, vendor);
      if (far < 0 || (nearest >= 0 && far >= nearest)) continue;
      const Accelerator* card = accelerator_of(catalog_, type);
      if (card == nullptr || !CardNames::is(*card, mention)) continue;
      nearest = far;
      best = {&family, &type, card};
    }
  }
  return best;
}

}  // namespace gpuadvise::check
