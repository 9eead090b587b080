// How near an estimate is to what was measured.
#pragma once

#include "gpuadvise/estimate.h"

namespace gpuadvise {

EstimateConfidence confidence_of(const Workload& workload, const Estimate& estimate);

}  // namespace gpuadvise
