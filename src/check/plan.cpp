#include "check/plan.h"

namespace gpuadvise::check {

std::string_view value_of(const Pairs& pairs, std::string_view key) {
  for (const auto& [k, v] : pairs) {
    if (k == key) return v;
  }
  return {};
}

}  // namespace gpuadvise::check
