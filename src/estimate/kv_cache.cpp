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

CachedLayers cached_layers(const Architecture& raw) {
  const Architecture a = completed(raw);
  const LayerCounts n = layer_counts(a);
  const double attention = std::max(1, n.full + n.window);
  const double shared = 1 - a.kv_shared_layers / attention;
  CachedLayers c;
  c.latent = a.mla.kv_lora_rank > 0;
  c.full = n.full * shared;
  c.elements = kv_elements_per_layer(a);
  c.index = c.latent ? a.mla.index_dim : 0;
  c.window = n.window * shared;
  c.window_elements = window_kv_elements_per_layer(a);
  c.window_tokens = a.sliding_window;
  c.linear = n.linear;
  c.state = a.linear_state;
  c.kv_heads = a.kv_heads;
  c.window_kv_heads = a.window_kv_heads;
  return c;
}

KvCache kv_cache(const CachedLayers& l, double element_bytes, int tensor, int pipeline) {
  const double stages = std::max(1, pipeline);
  const double tp = std::max(1, tensor);
  const auto divided = [&](int kv_heads) {
    return l.latent || kv_heads <= 0 ? 1.0 : std::min(tp, static_cast<double>(kv_heads));
  };
  constexpr double kStateBytes = 2;  // of an element of a recurrent state
  KvCache c;
  c.per_token = l.full * (l.elements / divided(l.kv_heads) + l.index) * element_bytes / stages;
  c.per_window = l.window * l.window_elements / divided(l.window_kv_heads) * element_bytes / stages;
  c.window = l.window_tokens;
  c.fixed = l.linear * l.state * kStateBytes / tp / stages;
  return c;
}

KvCache kv_cache(const Architecture& architecture, double element_bytes, int tensor, int pipeline) {
  return kv_cache(cached_layers(architecture), element_bytes, tensor, pipeline);
}

}  // namespace gpuadvise
