#include "estimate/training_shape.h"

#include <algorithm>
#include <cmath>

namespace gpuadvise {

namespace {

void add_feed_forward(Products& to, double hidden, double width, bool gated) {
  to.add(hidden, gated ? 2 * width : width, true);
  to.add(width, hidden, false);
}

// A count near the published one tells whether the feed-forward part has two matrices or three: files and measurements
// often leave it out.
bool is_gated(const Architecture& a, double params, double attention_weights) {
  if (!a.gated_mlp || params <= 0 || a.experts > 0) return a.gated_mlp;
  const double hidden = a.hidden;
  const double embedding = static_cast<double>(a.vocab) * hidden * (a.tie_embeddings ? 1 : 2);
  const double plain = a.layers * (attention_weights + 2.0 * hidden * a.intermediate) + embedding;
  const double gated = plain + a.layers * hidden * static_cast<double>(a.intermediate);
  return std::abs(params - gated) <= std::abs(params - plain);
}

// A decoder of common proportions: layers of 12 h^2 weights, h = 128 times the layers.
TrainingShape from_count(double params) {
  TrainingShape s;
  const double layers = std::max(4.0, std::round(std::cbrt(params / (12.0 * 128.0 * 128.0))));
  s.layers = layers;
  s.hidden = std::sqrt(params / (12.0 * layers));
  s.head_dim = 128;
  s.heads = std::max(1.0, std::round(s.hidden / s.head_dim));
  s.kv_width = 2 * s.hidden;
  s.score_width = 2 * s.head_dim;
  s.attention.add(s.hidden, 3 * s.hidden, true);
  s.attention.add(s.hidden, s.hidden, false);
  s.dense_width = 8.0 / 3.0 * s.hidden;
  add_feed_forward(s.dense, s.hidden, s.dense_width, true);
  return s;
}

}  // namespace

TrainingShape training_shape(const Workload& workload) {
  const Architecture& a = workload.architecture;
  if (!workload.has_architecture || a.layers <= 0 || a.hidden <= 0) {
    return from_count(workload.active_params > 0 ? workload.active_params : workload.params);
  }
  TrainingShape s;
  s.layers = a.layers + a.encoder_layers;
  s.hidden = a.hidden;
  s.heads = std::max(a.heads, 1);
  s.head_dim = a.head_dim > 0 ? a.head_dim : s.hidden / s.heads;
  const double kv_heads = a.kv_heads > 0 ? a.kv_heads : s.heads;
  s.vocab = a.vocab;
  const ModelKind kind = workload.model != nullptr ? workload.model->kind : ModelKind::llm;
  s.causal = kind != ModelKind::encoder;
  s.predicts_every_token = kind != ModelKind::encoder;

  if (a.mla.kv_lora_rank > 0) {
    const double qk = a.mla.qk_nope_dim + a.mla.qk_rope_dim;
    if (a.mla.q_lora_rank > 0) {
      s.attention.add(s.hidden, a.mla.q_lora_rank + a.mla.kv_lora_rank + a.mla.qk_rope_dim, true);
      s.attention.add(a.mla.q_lora_rank, s.heads * qk, true);
    } else {
      s.attention.add(s.hidden, s.heads * qk + a.mla.kv_lora_rank + a.mla.qk_rope_dim, true);
    }
    s.attention.add(a.mla.kv_lora_rank, s.heads * (a.mla.qk_nope_dim + a.mla.v_dim), true);
    s.attention.add(s.heads * a.mla.v_dim, s.hidden, false);
    s.score_width = qk + a.mla.v_dim;
    s.head_dim = qk;
    s.kv_width = a.mla.kv_lora_rank + a.mla.qk_rope_dim;
  } else {
    s.attention.add(s.hidden, (s.heads * (a.attention_gate ? 2 : 1) + 2 * kv_heads) * s.head_dim, true);
    s.attention.add(s.heads * s.head_dim, s.hidden, false);
    s.score_width = 2 * s.head_dim;
    s.kv_width = 2 * kv_heads * s.head_dim;
  }

  s.gated = is_gated(a, workload.params, s.attention.weights());
  s.dense_width = a.intermediate;
  if (a.intermediate > 0) add_feed_forward(s.dense, s.hidden, a.intermediate, s.gated);
  if (a.experts > 0) {
    const double width = a.moe_intermediate > 0 ? a.moe_intermediate : a.intermediate;
    s.experts = a.experts;
    s.chosen = std::max(a.experts_per_token, 1);
    const double latent = a.moe_latent > 0 ? a.moe_latent : s.hidden;
    add_feed_forward(s.expert, latent, width, s.gated);
    const double shared = a.shared_intermediate > 0 ? a.shared_intermediate : a.shared_experts * width;
    if (shared > 0) add_feed_forward(s.shared, s.hidden, shared, s.gated);
    s.expert_width = s.chosen * width + shared;
    const double with_feed_forward = a.mlp_layers > 0 ? a.mlp_layers : s.layers;
    s.moe_layers = std::max(0.0, with_feed_forward - a.dense_layers);
  }
  if (a.linear.layers > 0) {
    s.linear_layers = a.linear.layers;
    const double keys = static_cast<double>(a.linear.key_heads) * a.linear.key_dim;
    const double values = static_cast<double>(a.linear.value_heads) * std::max(a.linear.value_dim, 1);
    s.linear.add(s.hidden, 2 * keys + 2 * values, true);
    s.linear.add(values, s.hidden, false);
  }
  s.window = a.sliding_window;
  if (s.window > 0) {
    s.window_layers = a.window_layers > 0      ? a.window_layers
                      : a.attention_layers > 0 ? std::max(0.0, s.attention_layers() - a.attention_layers)
                                               : s.attention_layers();
  }
  return s;
}

double score_length(const TrainingShape& shape, double sequence, bool window, bool causal) {
  if (window && shape.window > 0 && shape.window < sequence) {
    return shape.window - shape.window * shape.window / (2 * sequence);
  }
  return causal ? sequence / 2 : sequence;
}

double forward_flops_per_token(const TrainingShape& s, double sequence, bool count_causal) {
  const double full_layers = s.attention_layers() - s.window_layers;
  const double scores = full_layers * score_length(s, sequence, false, count_causal && s.causal) +
                        s.window_layers * score_length(s, sequence, true, count_causal && s.causal);
  const double matrices = s.attention_layers() * s.attention.weights() + s.linear_layers * s.linear.weights() +
                          (s.layers - s.moe_layers) * s.dense.weights() +
                          s.moe_layers * (s.chosen * s.expert.weights() + s.shared.weights() + s.hidden * s.experts);
  const double head = s.predicts_every_token ? s.hidden * s.vocab : 0;
  return 2 * (matrices + head) + 2 * scores * s.heads * s.score_width;
}

}  // namespace gpuadvise
