// Constants that were fitted on published measurements, each with its unit, source and class. They live in
// data/calibration; the formulas that use them are in docs/method.
#pragma once

#include "gpuadvise/calibration/apps.h"
#include "gpuadvise/calibration/memory.h"
#include "gpuadvise/calibration/serving.h"
#include "gpuadvise/calibration/training.h"

namespace gpuadvise {

struct Calibration {
  MemoryCalibration memory;      // training and serving memory
  TrainingCalibration training;  // speed of LLM training
  ServingCalibration serving;    // speed of LLM serving
  AppsCalibration apps;          // classic AI, diffusion, speech, rendering, streaming, transcoding, HPC
};

}  // namespace gpuadvise
