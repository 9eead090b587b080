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

// `bytes` per element. Heads are divided over tensor-parallel cards as far as they go, then copied; the latent of MLA
// is on every card; layers are divided over pipeline stages.
KvCache kv_cache(const Architecture& architecture, double element_bytes, int tensor, int pipeline);

}  // namespace gpuadvise
