// Constants that were fitted on published measurements, each with its unit, source and class. They live in
// data/calibration; the formulas that use them are in docs/method.
#pragma once

namespace gpuadvise {

struct Calibration {};

}  // namespace gpuadvise
