#include <array>

#include "accuracy.h"

namespace gpuadvise::accuracy {

extern const Study memory_training;
extern const Study memory_serving;
extern const Study training_speed;

std::span<const Study* const> studies() {
  static const std::array all{&memory_training, &memory_serving, &training_speed};
  return all;
}

}  // namespace gpuadvise::accuracy
