// How two bounds on the same work join.
#pragma once

#include <algorithm>
#include <cmath>

namespace gpuadvise {

// (a^p + b^p)^(1/p) of two numbers that are not negative: the sum at p = 1, towards the larger as p grows, and never
// below it.
inline double norm(double a, double b, double power) {
  const double large = std::max(a, b);
  const double small = std::min(a, b);
  if (small <= 0) return large;
  if (power == 2) return std::sqrt(a * a + b * b);
  if (power == 1) return a + b;
  return large * std::pow(1 + std::pow(small / large, power), 1 / power);
}

}  // namespace gpuadvise
