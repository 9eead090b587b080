// Bytes of keys and values (or their latent, or a recurrent state) that serving keeps for requests.
#pragma once

#include "gpuadvise/model.h"

namespace gpuadvise {

struct KvCache {
  double per_token = 0;   // bytes per token on one card: layers that see the whole context
  double per_window = 0;  // bytes per token on one card of layers bounded by the window
  double window = 0;      // tokens
  double fixed = 0;       // bytes per sequence whatever its length: recurrent states
  // Bytes of `sequences` sequences of `tokens` each, rounded up to pages.
  double bytes(double sequences, double tokens, double page_tokens) const;
};

// What the cache of a model needs to know of it, whatever the layout.
struct CachedLayers {
  double full = 0;      // layers that see the whole context and have a cache of their own
  double elements = 0;  // that one of them keeps per token
  double index = 0;     // elements per token of a sparse-attention indexer
  double window = 0;    // layers bounded by the window
  double window_elements = 0;
  double window_tokens = 0;
  double linear = 0;  // layers with a recurrent state
  double state = 0;   // its elements
  int kv_heads = 0;
  int window_kv_heads = 0;
  bool latent = false;  // one latent for all heads (MLA)
};
CachedLayers cached_layers(const Architecture& architecture);

// `element_bytes` per element. Heads are divided over tensor-parallel cards as far as they go, then copied; the latent
// of MLA is on every card; layers are divided over pipeline stages.
KvCache kv_cache(const CachedLayers& layers, double element_bytes, int tensor, int pipeline);
KvCache kv_cache(const Architecture& architecture, double element_bytes, int tensor, int pipeline);

}  // namespace gpuadvise
