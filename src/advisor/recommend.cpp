#include "gpuadvise/advise.h"

#include "advisor/answer_facts.h"
#include "advisor/candidates.h"
#include "advisor/nearest_miss.h"
#include "advisor/score.h"
#include "advisor/standing.h"
#include "advisor/trial.h"
#include "advisor/words.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

const ObjectiveWeights& objective_of(const Knowledge& knowledge, Objective objective) {
  const auto name = names(Objective{})[static_cast<std::size_t>(objective)];
  for (const auto& row : knowledge.objectives) {
    if (row.id == name) return row;
  }
  return knowledge.objectives.front();
}

}  // namespace

Advice recommend(const Profile& profile, const Knowledge& knowledge, const RuleSet& rules,
                 const RecommendOptions& options) {
  check_words(profile, knowledge.calibration);
  Advice advice;
  advice.asked = profile;
  advice.workload = resolve(profile, knowledge.catalog);
  const ObjectiveWeights& objective = objective_of(knowledge, options.objective);
  advice.weights = weights_of(objective, options.weights);
  Selection selection = select(advice.workload, knowledge.catalog, options);
  advice.resolved_names = std::move(selection.resolved_names);
  advice.cuts = std::move(selection.cuts);
  advice.searched = selection.entries.size();
  advice.rejected.reserve(selection.entries.size());
  advice.recommendations.reserve(selection.entries.size());
  std::vector<CriterionFactors> factors;
  Trials trials(advice.workload, knowledge, rules, options);
  for (const auto& entry : selection.entries) {
    Trial trial = trials.run(entry);
    for (auto& f : trial.failures) {
      advice.rejected.push_back({entry.family, entry.type, std::move(f.reason), f.missing_gib});
    }
    if (!trial.accepted) continue;
    factors.push_back(trial.factors);
    advice.recommendations.push_back(std::move(*trial.accepted));
  }
  score(advice.recommendations, factors, advice.workload, objective, advice.weights);
  order_ties(advice.recommendations);
  mark_standing(advice.recommendations, advice.workload, objective_of(knowledge, Objective::balanced).weights);
  const AnswerFacts answer(advice, find_quantised_fit(advice, knowledge, rules, options));
  for (std::size_t i = 0; i < advice.recommendations.size() && i < options.top; ++i) {
    trials.describe(advice.recommendations[i], i == 0, answer);
  }
  advice.nearest_miss = find_nearest_miss(advice, knowledge, rules, options);
  return advice;
}

}  // namespace gpuadvise
