// What rules may ask of a candidate among all that fit: what is cheaper, what is faster, what quantised weights would
// save, and which card is just too small.
#pragma once

#include <optional>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// A cheaper type that holds the model once its weights are quantised.
struct QuantisedFit {
  std::string_view weights;
  const InstanceType* type = nullptr;
  double per_hour = 0;
};

class AnswerFacts {
 public:
  // Of a ranked answer. `quantised` is looked for by the caller, for it searches layouts again.
  AnswerFacts(const Advice& advice, std::optional<QuantisedFit> quantised);

  // cost.cheapest_fit_ratio, cost.cheaper_fit
  void set_candidate(RuleContext& context, const Recommendation& recommendation) const;
  // answer.*, cost.quantised_*, estimate.quantised_weights, for the first recommendation.
  void set_pick(RuleContext& context) const;

 private:
  void set_smaller_card(RuleContext& context) const;
  void set_fastest(RuleContext& context, double price) const;  // price: of the pick
  void set_other_size(RuleContext& context) const;

  const Advice& advice_;
  std::optional<QuantisedFit> quantised_;
  const Recommendation* cheapest_ = nullptr;
  double least_ = 0;  // what it costs
};

// Among the types that were too small and cost less per hour than the pick, the cheapest that holds the model with its
// weights in fewer bits, by the same rules. Empty: the work is not serving, or none does.
std::optional<QuantisedFit> find_quantised_fit(const Advice& advice, const Knowledge& knowledge, const RuleSet& rules,
                                               const RecommendOptions& options);

}  // namespace gpuadvise
