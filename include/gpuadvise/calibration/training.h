#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace gpuadvise {

struct TrainingCalibration {
  std::string_view date;  // when it was fitted; empty: not loaded
};

}  // namespace gpuadvise
