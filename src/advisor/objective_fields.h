// How data/objectives.yaml is written: see base/fields.h.
#pragma once

#include <concepts>

#include "gpuadvise/objective.h"

#include "base/fields.h"

namespace gpuadvise {

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, CriterionWeight>
void fields(V& v, S& s) {
  v("criterion", s.criterion, base::Need::required);
  v("weight", s.weight, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ObjectiveWeights>
void fields(V& v, S& s) {
  v("id", s.id, base::Need::required);
  v("weights", s.weights, base::Need::required);
  v("soon_enough", s.soon_enough, base::Need::required);
  v("enough_headroom", s.enough_headroom, base::Need::required);
}

}  // namespace gpuadvise
