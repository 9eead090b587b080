// Applies the rules to candidates: what they reject, what they do to the criteria, and what they say.
#pragma once

#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "gpuadvise/advise.h"
#include "gpuadvise/rule_facts.h"
#include "gpuadvise/rules.h"

#include "advisor/answer_facts.h"
#include "advisor/candidates.h"
#include "advisor/score.h"

namespace gpuadvise {

class Judge {
 public:
  Judge(const Workload& workload, const Catalog& catalog, const RuleSet& rules, const RecommendOptions& options);

  // Before any estimate: the rejections that follow from the workload and the type alone, the first or all of them. The
  // type stays the current one for candidate().
  std::vector<Note> type(const Entry& entry, bool all);
  // The same of a card that no type is known to carry: all rejections that follow from the workload and the card alone.
  std::vector<Note> card(const Accelerator& accelerator);

  // What the search for a layout came to on the current type, to be filled in before rejection().
  RuleContext& outcome();
  // A type that cannot be estimated or does not carry the work: in the words of the first of `rules` that fires on the
  // outcome. What cannot run is turned away whatever rules are switched off, in the words of the last of them.
  Note rejection(std::initializer_list<std::string_view> rules);

  // Takes back a rejection that is not shown after all, so that another by its rule is put into words.
  void withdraw(const Note& note) {
    if (!note.text.empty()) worded_.erase(note.rule);
  }

  // A layout of the current type with its estimate: the rejections, the first or all of them less those in `known`, or
  // the factors on its criteria.
  std::vector<Note> candidate(const Recommendation& recommendation, CriterionFactors& factors, bool all,
                              std::span<const std::string_view> known);

  // Fills the warnings: everything that rules say of it. Texts are costly, so only what is shown is described.
  // Of the pick, also what the rules say of the answer as a whole, and why it is the pick.
  void describe(Recommendation& recommendation, bool pick, const AnswerFacts& answer);

 private:
  void set_family(const Entry& entry);
  void set_regions(const Family& family);
  void set_type(const Entry& entry);
  void set_candidate(const Recommendation& recommendation);
  Note note(const ActiveRule& rule, RuleContext& context);
  std::vector<Note> rejections(const RuleList& rules, bool all);
  Note rejection(const ActiveRule& rule);  // in words, or without them where a rule's first are enough

  const Catalog& catalog_;
  const RuleSet& all_;
  const RecommendOptions& options_;
  std::span<const std::string_view> regions_;  // asked for; empty: any
  RuleEvaluation evaluation_;
  RuleLists lists_;
  RuleLists type_lists_;
  RuleContext facts_;   // the workload's, then the current type's and candidate's
  RuleList rules_;      // that may fire for this workload
  RuleList rejecting_;  // those of them that reject
  RuleList weighing_;   // those of them that reject or weigh on a criterion
  RuleList answer_;     // of the scope of the whole recommendation
  RuleList reasons_;    // those of that scope that say why the pick is the pick, in the order of their files
  std::set<std::string_view> worded_;  // with options.brief: the rules that have been put into words
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
