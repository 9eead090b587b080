// From a measurement's profile to what estimates take.
#pragma once

#include "gpuadvise/estimate.h"
#include "gpuadvise/workload.h"

#include "accuracy.h"

namespace gpuadvise::accuracy {

struct Setup {
  Workload workload;
  Machine machine;
  Layout layout;
};

// What the row states, nothing filled in.
Setup setup_of(const Row& row, const Context& context);
// By the way that `gpuadvise estimate` goes. Throws InputError where the product refuses the profile.
Setup product_setup(const Row& row, const Context& context);

}  // namespace gpuadvise::accuracy
