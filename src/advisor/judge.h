// Applies the rules to candidates: what they reject, what they do to the criteria, and what they say.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "gpuadvise/advise.h"
#include "gpuadvise/rule_facts.h"
#include "gpuadvise/rules.h"

#include "advisor/candidates.h"
#include "advisor/score.h"

namespace gpuadvise {

class Judge {
 public:
  Judge(const Workload& workload, const Catalog& catalog, const RuleSet& rules, const RecommendOptions& options);

  // Before any estimate: the rejections that follow from the workload and the type alone, the first or all of them. The
  // type stays the current one for candidate().
  std::vector<Note> type(const Entry& entry, bool all);

  // A layout of the current type with its estimate: a rejection, or the factors on its criteria.
  std::optional<Note> candidate(const Recommendation& recommendation, CriterionFactors& factors);

  // Whether a rejection by this rule is to be put into words: texts cost more than verdicts.
  bool wanted(std::string_view rule) { return !options_.brief || worded_.insert(rule).second; }

  // Fills the warnings: everything that rules say of it. Texts are costly, so only what is shown is described.
  // Of the pick, also what the rules say of the answer as a whole.
  void describe(Recommendation& recommendation, bool pick);

 private:
  void set_family(const Entry& entry);
  void set_type(const Entry& entry);
  void set_candidate(const Recommendation& recommendation);
  void set_prices(const Recommendation& recommendation);
  Note note(const ActiveRule& rule, RuleContext& context);
  Note rejection(const ActiveRule& rule);

  const Catalog& catalog_;
  const RecommendOptions& options_;
  RuleEvaluation evaluation_;
  RuleLists lists_;
  RuleLists type_lists_;
  RuleContext facts_;   // the workload's, then the current type's and candidate's
  RuleList rules_;      // that may fire for this workload
  RuleList rejecting_;  // those of them that reject
  RuleList weighing_;   // those of them that reject or weigh on a criterion
  RuleList answer_;     // of the scope of the whole recommendation
  std::set<std::string_view> worded_;
  // What a card and then a family decide is found once for all their types, which stand family by family.
  const Family* family_ = nullptr;
  const Accelerator* accelerator_ = nullptr;
  bool named_ = false;
  struct CardRules {
    RuleList rejecting;
    RuleList weighing;
  };
  std::map<const Accelerator*, CardRules> card_rules_;
  const CardRules* card_ = nullptr;
  RuleList family_rejecting_;
};

}  // namespace gpuadvise
