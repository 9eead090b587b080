// Where a file speaks of a card that the planned type does not carry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/claims.h"
#include "check/plan.h"

namespace gpuadvise::check {

// A text of the file that speaks of cards.
struct CardStatement {
  std::string text;  // as written, shortened
  Claim::From from = Claim::From::label;
  Place place;  // without a line: of the machine
  std::vector<CardMention> mentions;
};
std::vector<CardStatement> card_statements(const PlannedMachine& machine, const CardNames& names);

struct Contradiction {
  const CardStatement* statement = nullptr;
  const CardMention* mention = nullptr;
  bool wrong_card = false;  // another card, or another memory size of it
  bool miscounted = false;  // neither the cards of one machine nor of all
};

// At most one for each statement. `nodes`: machines of the group. The statements must outlive the answer.
std::vector<Contradiction> contradictions(const std::vector<CardStatement>& statements, const Accelerator* card,
                                          const InstanceType& type, double nodes);

std::string_view from_word(Claim::From from);

}  // namespace gpuadvise::check
