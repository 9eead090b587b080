// Which layers of a config.json are of which kind. Families say it in a dozen ways: lists of words, lists of numbers,
// pattern strings, periods and offsets. All are read whatever the family.
#pragma once

#include "gpuadvise/model_config.h"

#include "workload/config_reader.h"

namespace gpuadvise {

// Fills layers (where only a list gives it), attention_layers, window_layers, sliding_window, mlp_layers,
// linear.layers and dense_layers of `a`, whose widths have been read.
void read_layer_kinds(const ConfigReader& reader, const ModelType* type, Architecture& a);

}  // namespace gpuadvise
