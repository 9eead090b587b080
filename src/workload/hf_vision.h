// The vision or audio tower of a config.json: its shape, and its parameters counted from it.
#pragma once

#include "workload/config_reader.h"

namespace gpuadvise {

// Reads `vision_config` (any spelling) of `root` into a.vision and a.vision_params. `hidden` is the language model's.
// Returns false when there is none.
bool read_vision(const ConfigReader& root, int hidden, Architecture& a);

}  // namespace gpuadvise
