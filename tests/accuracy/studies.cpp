#include <array>

#include "accuracy.h"

namespace gpuadvise::accuracy {

extern const Study memory_training;
extern const Study memory_serving;
extern const Study training_speed;
extern const Study serving_throughput;
extern const Study serving_ttft;
extern const Study serving_tpot;
extern const Study classic_ai;
extern const Study classic_training;
extern const Study hpc;
extern const Study rendering;

std::span<const Study* const> studies() {
  static const std::array all{&memory_training,    &memory_serving,   &training_speed,
                              &serving_throughput, &serving_ttft,     &serving_tpot,
                              &classic_ai,         &classic_training, &hpc,
                              &rendering};
  return all;
}

}  // namespace gpuadvise::accuracy
