#include <array>

#include "accuracy.h"

namespace gpuadvise::accuracy {

extern const Study memory_training;
extern const Study memory_serving;

std::span<const Study* const> studies() {
  static const std::array all{&memory_training, &memory_serving};
  return all;
}

}  // namespace gpuadvise::accuracy
