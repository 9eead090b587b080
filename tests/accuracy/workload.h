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

Setup setup_of(const Row& row, const Context& context);

}  // namespace gpuadvise::accuracy
