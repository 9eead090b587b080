// What the memory terms need to know of a transformer: widths and parameters by part, scaled so that the parts add up
// to the published parameter count.
#pragma once

#include "gpuadvise/workload.h"

namespace gpuadvise {

struct ModelShape {
  bool known = false;  // false: no architecture; only `params` is set
  double params = 0;   // total
  double layers = 0;
  double hidden = 0;
  double query = 0;            // heads x head_dim
  double key_value = 0;        // kv_heads x head_dim
  double attention_share = 1;  // attentions per layer: below 1 some have none, above 1 some attend twice
  double heads = 0;
  double head_dim = 0;
  double vocab = 0;
  double mlp = 0;         // feed-forward width that a token visits, mean over the layers
  double mlp_copies = 0;  // hidden-sized copies of a token that expert routing makes, mean over the layers
  bool gated = true;
  double embedding = 0;  // parameters of the token table, positions included
  double head = 0;       // parameters of the output projection; 0 when tied
  double body = 0;       // layers' parameters outside routed experts
  double experts = 0;    // routed experts' parameters
  double mlp_dense = 0;  // widest dense feed-forward
};

ModelShape model_shape(const Workload& workload);

}  // namespace gpuadvise
