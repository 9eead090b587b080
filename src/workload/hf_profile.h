// Profiles whose model is given by files: a Hugging Face config.json in place of an architecture, and weight files.
#pragma once

#include <string>
#include <vector>

#include "base/arena.h"
#include "workload/hf_config.h"
#include "workload/profile.h"
#include "workload/weights_files.h"

namespace gpuadvise {

// As read_profile of workload/profile.h, and model.architecture may be a config.json.
Profile read_profile(const base::Node& node, base::Arena& arena, const std::string& file, const Catalog& catalog,
                     std::vector<ConfigWarning>& warnings);

// The model of a config.json: its architecture and counts, and the precision its weights are stored in, where the
// profile leaves them open.
void apply_config(Profile& profile, const HfConfig& config, base::Arena& arena);

// The same from weight files: the count of elements, the storage format, and a GGUF file's architecture.
void apply_weights(Profile& profile, const WeightsFile& weights, base::Arena& arena);

}  // namespace gpuadvise
