// How a Hugging Face config.json is read: which keys name which width, and what a family leaves unsaid. Both are data
// (data/model_types.yaml), so that a new family is a row there.
#pragma once

#include <span>
#include <string_view>

#include "gpuadvise/model.h"

namespace gpuadvise {

// The spellings of one width or count, tried in order. Dots step into nested maps.
struct ConfigKey {
  std::string_view field;  // as Architecture has it, or one of the reader's own names (see src/workload/hf_config.h)
  std::span<const std::string_view> keys;
};

// What a model_type stands for where its files say nothing: the defaults of its configuration class.
struct ModelType {
  std::string_view id;                        // the model_type
  std::span<const std::string_view> aliases;  // further model_types read alike
  ModelKind kind;
  bool gated_mlp;
  bool tie_embeddings;
  bool attention_bias;
  bool learned_positions;    // a position table of max_position_embeddings rows
  int position_offset;       // rows that the table has beyond that
  bool intermediate_halved;  // the file gives the width of gate and up projection together
  int window_every;          // with a window and no list of layers, each such-th layer sees everything; 0: none does
  Architecture defaults;
  std::span<const std::string_view> sources;
  std::string_view note;
};

}  // namespace gpuadvise
