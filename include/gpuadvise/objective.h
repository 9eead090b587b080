// How a ranking weighs its criteria. Rows of data/objectives.yaml.
#pragma once

#include <span>
#include <string_view>

namespace gpuadvise {

struct CriterionWeight {
  std::string_view criterion;  // cost, time, latency, memory, network, lifecycle, availability, software
  double weight;               // share of the score; a row's weights add up to 1
};

struct ObjectiveWeights {
  std::string_view id;  // balanced, cost, speed, latency
  std::span<const CriterionWeight> weights;
  double soon_enough;      // share of the task's patience: a job done in less is no better for it
  double enough_headroom;  // share of a card's memory left free from which more is no better
};

}  // namespace gpuadvise
