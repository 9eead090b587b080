// How the candidates of a ranking stand to one another: what is best at what, and what cannot be told apart.
#pragma once

#include <span>
#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// Of scored candidates, best first: finds the ties, and orders each. A tie is whatever the error of the speeds does not
// tell from the best of it. Within it the better score goes first, unless a candidate on another card is cheaper, not
// slower by more than the error, and no worse in anything that is not estimated (memory, network, lifecycle,
// availability, software, what rules take off): then the cheapest such one does. Types with one card stay in the order
// of the score, for their estimates err together.
void order_ties(std::vector<Recommendation>& candidates);

// Of scored candidates, best first: marks the front of cost against speed, the ties with the pick, and the roles.
// `balanced` are the weights of the balanced objective.
void mark_standing(std::vector<Recommendation>& candidates, const Workload& workload,
                   std::span<const CriterionWeight> balanced);

}  // namespace gpuadvise
