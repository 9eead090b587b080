#include <algorithm>
#include <cmath>

#include "estimate/training_shape.h"
#include "workload/architecture.h"

namespace gpuadvise {

namespace {

void add_feed_forward(Products& to, double hidden, double width, bool gated) {
  to.add(hidden, gated ? 2 * width : width, true);
  to.add(width, hidden, false);
}

// Files and measurements often leave out whether the feed-forward part has two matrices or three; the published count
// tells.
bool is_gated(const Architecture& a, double params, double attention_weights) {
  if (!a.gated_mlp || params <= 0 || a.experts > 0) return a.gated_mlp;
  const double hidden = a.hidden;
  const double layers = a.layers + a.encoder_layers;
  const double embedding = static_cast<double>(a.vocab) * hidden * (a.tie_embeddings ? 1 : 2);
  const double plain = layers * (attention_weights + 2.0 * hidden * a.intermediate) + embedding;
  const double gated = plain + layers * hidden * static_cast<double>(a.intermediate);
  return std::abs(params - gated) <= std::abs(params - plain);
}

// A decoder of common proportions: 12 h^2 weights a layer, h = 128 times the layers.
TrainingShape from_count(double params) {
  constexpr double kWidthPerLayer = 128;
  TrainingShape s;
  s.layers = std::max(4.0, std::round(std::cbrt(params / (12 * kWidthPerLayer * kWidthPerLayer))));
  s.full_blocks = s.dense_blocks = s.layers;
  s.hidden = std::sqrt(params / (12 * s.layers));
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

void add_latent_attention(TrainingShape& s, const Mla& mla) {
  const double qk = mla.qk_nope_dim + mla.qk_rope_dim;
  const double latent = mla.kv_lora_rank + mla.qk_rope_dim;
  if (mla.q_lora_rank > 0) {
    s.attention.add(s.hidden, mla.q_lora_rank + latent, true);
    s.attention.add(mla.q_lora_rank, s.heads * qk, true);
  } else {
    s.attention.add(s.hidden, s.heads * qk + latent, true);
  }
  s.attention.add(mla.kv_lora_rank, s.heads * (mla.qk_nope_dim + mla.v_dim), true);
  s.attention.add(s.heads * mla.v_dim, s.hidden, false);
  s.head_dim = qk;
  s.score_width = qk + mla.v_dim;
  s.kv_width = latent;
}

void add_experts(TrainingShape& s, const Architecture& a) {
  const double width = a.moe_intermediate > 0 ? a.moe_intermediate : a.intermediate;
  s.experts = a.experts;
  s.chosen = std::max(a.experts_per_token, 1);
  s.expert_input = a.moe_latent > 0 ? a.moe_latent : s.hidden;
  add_feed_forward(s.expert, s.expert_input, width, s.gated);
  const double shared = a.shared_intermediate > 0 ? a.shared_intermediate : a.shared_experts * width;
  if (shared > 0) add_feed_forward(s.shared, s.hidden, shared, s.gated);
  s.expert_width = s.chosen * width + shared;
}

}  // namespace

double Products::weights() const {
  double sum = 0;
  for (const Product& p : *this) sum += p.k * p.n;
  return sum;
}

double Products::widths() const {
  double sum = 0;
  for (const Product& p : *this) sum += p.k + p.n;
  return sum;
}

TrainingShape training_shape(const Workload& workload) {
  const Architecture& a = workload.architecture;
  if (!workload.has_architecture || a.layers <= 0 || a.hidden <= 0) {
    return from_count(workload.active_params > 0 ? workload.active_params : workload.params);
  }
  TrainingShape s;
  const LayerCounts counts = layer_counts(a);
  s.layers = a.layers + a.encoder_layers;
  // A decoder beside an encoder attends twice in each layer: to itself and to the encoder's output.
  const int cross = a.encoder_layers > 0 ? a.layers : 0;
  s.full_blocks = counts.full + counts.unknown + a.encoder_layers + cross;
  s.window_blocks = counts.window;
  s.linear_blocks = counts.linear;
  s.dense_blocks = counts.dense_mlp + a.encoder_layers;
  s.expert_blocks = counts.moe;
  s.hidden = a.hidden;
  s.heads = std::max(a.heads, 1);
  s.head_dim = a.head_dim > 0 ? a.head_dim : s.hidden / s.heads;
  s.vocab = a.vocab;
  s.window = a.sliding_window;
  s.encoder = workload.model != nullptr && workload.model->kind == ModelKind::encoder;
  s.causal = !s.encoder;

  if (a.mla.kv_lora_rank > 0) {
    add_latent_attention(s, a.mla);
  } else {
    const double kv_heads = a.kv_heads > 0 ? a.kv_heads : s.heads;
    s.attention.add(s.hidden, (s.heads * (a.attention_gate ? 2 : 1) + 2 * kv_heads) * s.head_dim, true);
    s.attention.add(s.heads * s.head_dim, s.hidden, false);
    s.score_width = 2 * s.head_dim;
    s.kv_width = 2 * kv_heads * s.head_dim;
  }
  s.gated = is_gated(a, workload.params, s.attention.weights());
  s.dense_width = a.intermediate;
  if (a.intermediate > 0) add_feed_forward(s.dense, s.hidden, a.intermediate, s.gated);
  if (a.experts > 0) add_experts(s, a);
  if (counts.linear > 0) {
    const double keys = static_cast<double>(a.linear.key_heads) * a.linear.key_dim;
    const double values = static_cast<double>(a.linear.value_heads) * std::max(a.linear.value_dim, 1);
    s.linear.add(s.hidden, 2 * keys + 2 * values, true);
    s.linear.add(values, s.hidden, false);
    s.linear_width = 2 * keys + 2 * values;
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
  const bool causal = count_causal && s.causal;
  const double scores = s.full_blocks * score_length(s, sequence, false, causal) +
                        s.window_blocks * score_length(s, sequence, true, causal);
  const double matrices = (s.full_blocks + s.window_blocks) * s.attention.weights() +
                          s.linear_blocks * s.linear.weights() + s.dense_blocks * s.dense.weights() +
                          s.expert_blocks * (s.chosen * s.expert.weights() + s.shared.weights() + s.hidden * s.experts);
  const double head = s.encoder ? 0 : s.hidden * s.vocab;
  return 2 * (matrices + head) + 2 * scores * s.heads * s.score_width;
}

}  // namespace gpuadvise
