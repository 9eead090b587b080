// The exact size of a model's weights from the files that hold them: a safetensors index, a .safetensors file or a GGUF
// file. Only headers are read. Files come from strangers: sizes are bounded before anything is allocated.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "gpuadvise/model.h"

#include "workload/quantization_config.h"

namespace gpuadvise {

struct TensorTotals {
  std::string type;  // BF16, F8_E4M3, Q4_K, ...
  double tensors = 0;
  double elements = 0;
  double bytes = 0;
};

struct WeightsFile {
  std::string format;                        // "safetensors index", "safetensors" or "GGUF 3"
  double bytes = 0;                          // of all tensors, headers and padding left out
  double elements = 0;                       // 0: the file does not say (an index)
  int files = 1;                             // that an index names
  std::vector<TensorTotals> types;           // most bytes first; empty for an index
  std::string weights;                       // in a profile's words (bf16, fp8, gguf-q4_k_m); empty: mixed or not said
  std::string name;                          // GGUF general.name
  std::optional<Architecture> architecture;  // GGUF metadata, completed
  std::vector<ConfigWarning> warnings;
};

// By what the file holds, not by its name. Throws InputError.
WeightsFile read_weights_file(const std::string& path);

WeightsFile read_safetensors_index(std::string_view text, const std::string& name);
// The stream stands at the start of the file.
WeightsFile read_safetensors_header(std::istream& in, const std::string& name);
WeightsFile read_gguf_header(std::istream& in, const std::string& name);

}  // namespace gpuadvise
