// Another type in the place of the one that is planned: the nearest that no rule speaks against, and the cheapest that
// does the job.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "check/claims.h"
#include "check/rule_levels.h"
#include "check/type_facts.h"

namespace gpuadvise::check {

struct Option {
  const Family* family;
  const InstanceType* type;
  double order;  // distance from the planned type
};

class Replacements {
 public:
  // All of them must outlive it.
  Replacements(const Catalog& catalog, const Vocabulary& vocabulary, const RulesByLevel& rules, const FactFiller& facts,
               const Sizer& sizer, const std::vector<Group>& groups)
      : catalog_(catalog), vocabulary_(vocabulary), rules_(rules), facts_(facts), sizer_(sizer), groups_(groups) {}

  // What a replacement is for.
  struct Demand {
    std::string_view rule;              // that spoke against the planned type
    const CardMention* card = nullptr;  // the card that the file speaks of; null: any
    bool priced = false;                // the rule looks at the cost: a type of unknown price is no answer to it
  };
  // The nearest type of the same vendor that passes `check` in the place of `planned`; empty: none.
  std::string nearest(const Subject& subject, std::string_view planned, const TypeMatch& match, const Demand& demand);
  // The cheapest by list price, or where prices are missing the smallest, that does the job; nullptr: none.
  const Option* cheapest(const Subject& subject, const TypeMatch& match);

 private:
  const std::vector<Option>& options(const TypeMatch& match, std::string_view vendor);
  RuleContext without_type(const Subject& subject, RuleLists& lists) const;
  // `strict`: nothing warns of it either.
  bool passes(const Subject& subject, const RuleContext& planned, const Option& option, bool strict,
              const Demand& demand);
  bool disks_pass(const Subject& subject, const Option& option, const RuleContext& context);

  const Catalog& catalog_;
  const Vocabulary& vocabulary_;
  const RulesByLevel& rules_;
  const FactFiller& facts_;
  const Sizer& sizer_;
  const std::vector<Group>& groups_;
  RuleEvaluation evaluation_;
  std::unordered_map<std::string, std::vector<Option>> options_;
  std::unordered_map<std::string, std::string> nearest_;
  std::unordered_map<std::string, const Option*> cheapest_;
};

}  // namespace gpuadvise::check
