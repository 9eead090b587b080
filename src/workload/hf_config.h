// A Hugging Face config.json as an architecture. Which keys are read for which width, and what a family leaves unsaid,
// stands in data/model_types.yaml; lists of layer kinds are read whatever the family. Nothing is assumed in silence:
// an unknown model_type and every default taken are warnings with their place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpuadvise/catalog.h"

#include "base/node.h"
#include "workload/quantization_config.h"

namespace gpuadvise {

struct HfConfig {
  std::string model_type;  // of the language model, where the file holds several
  bool known_type = false;
  std::string name;   // _name_or_path, where it says more than a folder; may be empty
  std::string dtype;  // bf16, fp16, fp32; empty: the file does not say
  ModelKind kind = ModelKind::llm;
  Architecture architecture;  // completed
  double params = 0;          // counted from the architecture
  double active_params = 0;
  std::optional<Quantization> quantization;
  std::vector<ConfigWarning> warnings;
};

// True for a map that looks like a config.json rather than an architecture in a profile's own words.
bool looks_like_hf_config(const base::Node& node);

// Throws InputError, with place, for missing widths, wrong kinds and numbers beyond sense. `name` is what messages
// call the input.
HfConfig read_hf_config(const base::Node& root, const std::string& name, const Catalog& catalog);

}  // namespace gpuadvise
