// The itemised score: criteria in their own units, normalised the same way every time, weighted by objective.
#pragma once

#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// What rules did to the criteria of one candidate; 1 means untouched.
struct CriterionFactors {
  double cost = 1;
  double time = 1;
  double latency = 1;
  double memory = 1;
  double network = 1;
  double lifecycle = 1;
  double availability = 1;
};

// Fills criteria and score of every candidate, and sorts: best score first, then cheaper, then by name.
void score(std::vector<Recommendation>& candidates, const std::vector<CriterionFactors>& factors,
           const Workload& workload, const ObjectiveWeights& weights);

// Exposed communication as a share of a step, 0 to 1.
double communication_share(const SpeedEstimate& speed);

}  // namespace gpuadvise
