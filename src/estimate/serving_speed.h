// Speed of serving a language model: see estimate_speed() in gpuadvise/estimate.h.
#pragma once

#include "gpuadvise/estimate.h"

#include "estimate/serving_batch.h"

namespace gpuadvise {

SpeedEstimate estimate_serving_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                     const Calibration& calibration);

// The stream of requests that a workload describes. The verification pass of speculative decoding computes one draft
// token beyond those accepted.
ServingRequest serving_request(const InferenceSpec& inference);

}  // namespace gpuadvise
