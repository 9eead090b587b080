#include <algorithm>

#include "estimate/model_shape.h"
#include "workload/architecture.h"

namespace gpuadvise {

ModelShape model_shape(const Workload& workload) {
  ModelShape s;
  s.params = workload.params;
  if (!workload.has_architecture || workload.architecture.layers <= 0 || workload.architecture.hidden <= 0) return s;
  const Architecture a = completed(workload.architecture);
  const LayerCounts n = layer_counts(a);
  const ParameterCount c = count_parameters(a);
  s.known = true;
  s.layers = a.layers + a.encoder_layers;
  // A decoder beside an encoder attends twice in each layer: to itself and to the encoder's output.
  const double attentions = n.full + n.window + (a.encoder_layers > 0 ? a.encoder_layers + a.layers : 0);
  if (s.layers > 0) s.attention_share = attentions / s.layers;
  s.hidden = a.hidden;
  s.heads = a.heads;
  s.vocab = a.vocab;
  s.gated = a.gated_mlp;
  if (a.mla.kv_lora_rank > 0) {
    // Training expands the latent: keys have the rope part beside them, values their own width.
    s.head_dim = a.mla.qk_nope_dim + a.mla.qk_rope_dim;
    s.query = s.heads * s.head_dim;
    s.key_value = s.heads * (s.head_dim + a.mla.v_dim) / 2;
  } else {
    s.head_dim = a.head_dim;
    s.query = s.heads * s.head_dim;
    s.key_value = static_cast<double>(a.kv_heads) * s.head_dim;
  }
  const double moe_width = static_cast<double>(a.experts_per_token) * a.moe_intermediate + a.shared_intermediate;
  const double blocks = std::max(1, a.layers);
  s.mlp_dense = n.dense_mlp > 0 ? a.intermediate : 0;
  s.mlp = (n.dense_mlp * static_cast<double>(a.intermediate) + n.moe * moe_width) / blocks;
  s.mlp_copies = n.moe * static_cast<double>(a.experts_per_token) / blocks;
  s.embedding = c.embedding + c.positions;
  s.head = c.head;
  s.experts = c.routed_experts;
  s.body = c.total - c.embedding - c.positions - c.head - c.routed_experts;
  if (s.params <= 0) s.params = c.total;
  // A published total differs from the counted one by biases, rounding, or parts that no field describes.
  const double counted = s.body + s.experts;
  const double published = s.params - s.embedding - s.head;
  if (counted > 0 && published > 0.5 * counted) {
    s.body *= published / counted;
    s.experts *= published / counted;
  }
  return s;
}

}  // namespace gpuadvise
