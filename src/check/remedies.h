// What to do about a finding: the rule's own words, a concrete type in place of the planned one, and changes to the
// workload that would make it fit.
#pragma once

#include <string>
#include <string_view>

#include "base/message.h"
#include "check/replacements.h"
#include "check/rule_levels.h"
#include "check/sizing.h"
#include "check/type_facts.h"

namespace gpuadvise::check {

// What a finding is about.
struct About {
  const Subject* subject;
  std::string_view type;  // as written; empty: the machine
  Place place;
  std::string detail;                 // tells findings of one rule and resource apart
  const CardMention* card = nullptr;  // the card that a claim speaks of
};

class Remedies {
 public:
  // All of them must outlive it.
  Remedies(Replacements& replacements, TypeIndex& types, Sizer& sizer, const std::vector<Group>& groups,
           const base::Texts& texts)
      : replacements_(replacements), types_(types), sizer_(sizer), groups_(groups), texts_(texts) {}

  // `context` is the one that the rule fired on; fields of replacements are set for the text and cleared again.
  std::string text(const ActiveRule& rule, RuleContext& context, const About& about);

 private:
  std::string fixes(const ActiveRule& rule, const About& about, const TypeMatch& match);
  void set_cheaper(RuleContext& context, const About& about, const TypeMatch& match, std::string& cheaper);

  Replacements& replacements_;
  TypeIndex& types_;
  Sizer& sizer_;
  const std::vector<Group>& groups_;
  const base::Texts& texts_;
  RuleEvaluation evaluation_;
};

}  // namespace gpuadvise::check
