// Bytes that weights take in the formats that engines and checkpoints use.
#pragma once

#include "gpuadvise/calibration/memory.h"
#include "gpuadvise/profile.h"

#include "estimate/model_shape.h"

namespace gpuadvise {

double precision_bytes(const MemoryCalibration& c, Precision precision);  // per parameter, block overhead included
// All weights of a transformer in `format`; embedding and head as the format keeps them. Unknown format: 2 bytes.
double weight_bytes(const MemoryCalibration& c, std::string_view format, const ModelShape& shape);

}  // namespace gpuadvise
