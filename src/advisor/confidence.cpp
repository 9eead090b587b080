#include "advisor/confidence.h"

namespace gpuadvise {

EstimateConfidence confidence_of(const Workload& workload, const Estimate& estimate) {
  if (!estimate.memory.known && !estimate.speed.known) return EstimateConfidence::unknown;
  const bool far = estimate.speed.nearness == EstimateConfidence::extrapolated;
  if (workload.architecture_inferred || far) return EstimateConfidence::extrapolated;
  return EstimateConfidence::interpolated;
}

}  // namespace gpuadvise
