// Memory of models that are no language models: diffusion, vision, speech, recommenders. Known by parameters and parts.
#pragma once

#include "gpuadvise/estimate.h"

namespace gpuadvise {

MemoryEstimate media_training_memory(const Workload& workload, const Layout& layout,
                                     const MemoryCalibration& calibration);
MemoryEstimate media_inference_memory(const Workload& workload, const Layout& layout,
                                      const MemoryCalibration& calibration);

}  // namespace gpuadvise
