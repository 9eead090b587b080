#include <algorithm>
#include <cmath>

#include "estimate/kv_cache.h"
#include "workload/architecture.h"

namespace gpuadvise {

double KvCache::bytes(double sequences, double tokens, double page_tokens) const {
  const double page = std::max(1.0, page_tokens);
  const double whole = std::ceil(tokens / page) * page;
  const double seen = window > 0 ? std::min(whole, std::ceil(window / page) * page) : whole;
  return sequences * (whole * per_token + seen * per_window + fixed);
}

KvCache kv_cache(const Architecture& raw, double element_bytes, int tensor, int pipeline) {
  const Architecture a = completed(raw);
  const LayerCounts n = layer_counts(a);
  const double stages = std::max(1, pipeline);
  const double tp = std::max(1, tensor);
  const bool latent = a.mla.kv_lora_rank > 0;
  const auto divided = [&](int kv_heads) {
    return latent || kv_heads <= 0 ? 1.0 : std::min(tp, static_cast<double>(kv_heads));
  };
  KvCache c;
  const double attention = std::max(1, n.full + n.window);
  const double shared = 1 - a.kv_shared_layers / attention;
  const double index = latent ? a.mla.index_dim : 0;
  c.per_token = n.full * shared * (kv_elements_per_layer(a) / divided(a.kv_heads) + index) * element_bytes / stages;
  c.per_window =
      n.window * shared * window_kv_elements_per_layer(a) / divided(a.window_kv_heads) * element_bytes / stages;
  c.window = a.sliding_window;
  c.fixed = n.linear * static_cast<double>(a.linear_state) * 2 / tp / stages;
  return c;
}

}  // namespace gpuadvise
