#include "advisor/confidence.h"

namespace gpuadvise {

EstimateConfidence confidence_of(const Workload& workload, const Estimate& estimate) {
  if (!estimate.memory.known && !estimate.speed.known) return EstimateConfidence::unknown;
  if (workload.architecture_inferred) return EstimateConfidence::extrapolated;
  return EstimateConfidence::interpolated;
}

}  // namespace gpuadvise
