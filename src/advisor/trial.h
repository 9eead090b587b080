// Tries one instance type on a workload: how many machines, in which layout, and what limits and rules say of it.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "gpuadvise/advise.h"
#include "gpuadvise/estimator.h"

#include "advisor/candidates.h"
#include "advisor/judge.h"
#include "advisor/layouts.h"
#include "advisor/score.h"
#include "estimate/cost.h"

namespace gpuadvise {

struct Failure {
  Note reason;
  double missing_gib = 0;  // for memory/fit: how much more one card would need
  bool no_layout = false;  // the model cannot be spread over the cards at all
};

struct Trial {
  std::optional<Recommendation> accepted;
  CriterionFactors factors;
  std::vector<Failure> failures;  // the first alone, unless every reason is asked for; empty: accepted
};

class Trials {
 public:
  Trials(const Workload& workload, const Knowledge& knowledge, const RuleSet& rules, const RecommendOptions& options);

  // The fewest machines that do the work within the limits; more of them where that pays.
  Trial run(const Entry& entry);

  // Everything that rules say of a recommendation; see Judge.
  void describe(Recommendation& recommendation, bool pick, const AnswerFacts& answer) {
    split_token_cost(w_, recommendation.machine, recommendation.layout, k_.calibration, recommendation.estimate);
    judge_.describe(recommendation, pick, answer);
  }

 private:
  struct Attempt {
    std::optional<Recommendation> accepted;
    CriterionFactors factors;
    std::vector<Failure> failures;
    bool fits = false;          // some layout does
    bool more_may_help = true;  // more machines might meet what failed
  };
  Attempt attempt(const Entry& entry, const Machine& machine, std::span<const std::string_view> said);
  void across_machines(const Entry& entry, const Machine& one, Trial& trial);
  void drop(std::vector<Failure>& failures);
  bool scales(const Entry& entry, const Machine& machine) const;
  bool enough(const Recommendation& best) const;
  std::optional<double> time_allowed() const;  // hours: the deadline, or the task's patience
  double pieces_at_once(const Recommendation& recommendation) const;
  int most_machines() const;
  int most_replicas() const;

  const LayoutSearch& search(const Machine& machine);
  Failure too_large(const Machine& machine, const Layout& layout, const MemoryEstimate& memory);
  Failure no_layout(const Machine& machine, const LayoutSearch& found);
  void compare_with_one(Recommendation& recommendation);
  bool carry_load(Recommendation& recommendation, Attempt& attempt);
  std::optional<int> machines_for_load(Recommendation& recommendation, Attempt& attempt);
  void set_cost(Recommendation& recommendation) const;

  using Key = std::tuple<const Accelerator*, double, int, double, int, double, double, bool, double>;

  const Workload& w_;
  Estimator estimator_;
  const Knowledge& k_;
  const RecommendOptions& options_;
  Judge judge_;
  std::map<Key, LayoutSearch> searched_;
};

}  // namespace gpuadvise
