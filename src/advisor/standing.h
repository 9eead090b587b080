// How the candidates of a ranking stand to one another: what is best at what, and what cannot be told apart.
#pragma once

#include <span>
#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// Of scored candidates, best first: marks the front of cost against speed, the ties with the pick, and the roles.
// `balanced` are the weights of the balanced objective.
void mark_standing(std::vector<Recommendation>& candidates, std::span<const CriterionWeight> balanced);

}  // namespace gpuadvise
