// The itemised score: criteria in their own units, normalised the same way every time, weighted by objective.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// What rules did to the criteria of one candidate; 1 means untouched.
class CriterionFactors {
 public:
  CriterionFactors() { factors_.fill(1); }
  double& of(Criterion criterion) { return factors_[static_cast<std::size_t>(criterion)]; }
  double of(Criterion criterion) const { return factors_[static_cast<std::size_t>(criterion)]; }

 private:
  std::array<double, static_cast<std::size_t>(Criterion::count)> factors_;
};

// The weights that a ranking uses: the objective's, or the user's own. Throws InputError on an unknown criterion.
std::vector<CriterionWeight> weights_of(const ObjectiveWeights& objective, std::span<const CriterionWeight> own);

// Fills criteria and score of every candidate, and sorts: best score first, then cheaper, then by name.
void score(std::vector<Recommendation>& candidates, const std::vector<CriterionFactors>& factors,
           const Workload& workload, const ObjectiveWeights& objective, std::span<const CriterionWeight> weights);

// candidates[i] becomes what candidates[order[i]] was. They are large, so each is moved once and in place.
void put_in_order(std::vector<Recommendation>& candidates, std::vector<std::size_t>& order);

// Exposed communication as a share of a step, 0 to 1.
double communication_share(const SpeedEstimate& speed);

}  // namespace gpuadvise
