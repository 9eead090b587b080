// The quantization_config of a Hugging Face config.json: how the weights are stored, and which of them are not.
#pragma once

#include <string>
#include <vector>

#include "base/node.h"
#include "workload/architecture.h"

namespace gpuadvise {

// A remark on an input that could be read in more than one way: what was assumed, and where it stood.
struct ConfigWarning {
  Place place;
  std::string text;
};

// Share of each kind of weight that stays in 16 bits, 0 to 1.
struct KeptParts {
  double embedding = 1;
  double head = 1;
  double attention = 0;  // and linear mixers
  double dense_mlp = 0;
  double routed_experts = 0;
  double shared_experts = 0;
  double router = 1;
  double vision = 0;
};

struct Quantization {
  std::string method;      // as the file says: gptq, awq, fp8, compressed-tensors, bitsandbytes, mxfp4, modelopt, ...
  std::string weights;     // the same in a profile's words: gptq-int4, awq-int4, nf4, int8, fp8, w8a8, nvfp4, mxfp4
  double bits = 16;        // per weight, scales not counted
  int group_size = 0;      // weights that share one scale; 0: a whole row or tensor
  double scale_bytes = 2;  // of one group's scale (and zero point)
  bool double_quantised = false;     // bitsandbytes: the scales are quantised too
  std::vector<std::string> ignored;  // names and patterns as the file lists them
  KeptParts kept;

  double bytes_per_weight() const;  // of a quantised weight, its share of the scales included
};

// `name` is what messages call the input. Throws InputError for values of the wrong kind or beyond sense.
Quantization read_quantization(const base::Node& config, int layers, const std::string& name,
                               std::vector<ConfigWarning>& warnings);

// Bytes that the weights take, parts that stay in 16 bits included.
double weight_bytes(const ParameterCount& count, const Quantization& quantization);

}  // namespace gpuadvise
