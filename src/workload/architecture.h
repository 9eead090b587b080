// What follows from an architecture alone: layer kinds, parameter counts, cache sizes, and the typical shape of a model
// that is known by its parameter count only. Counts are of weights, biases of no more than a few per mille left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpuadvise/model.h"

namespace gpuadvise {

// How many layers are of which kind. A layer has at most one mixer (full, window or linear attention) and at most one
// feed-forward part (dense or experts); most have one of each.
struct LayerCounts {
  int full = 0;     // attention over the whole context
  int window = 0;   // attention bounded by sliding_window
  int linear = 0;   // recurrent state instead of a KV cache
  int unknown = 0;  // said to keep no full KV cache, but not of which kind; counted like attention
  int dense_mlp = 0;
  int moe = 0;
};
LayerCounts layer_counts(const Architecture& a);

// Fills the zeros that stand for a rule: kv_heads, head_dim, window and shared-expert widths, linear_state, layer
// counts. Idempotent.
Architecture completed(Architecture a);

// Parameters by part. total leaves out mtp, which the maker's files hold but the published total does not.
struct ParameterCount {
  double embedding = 0;  // token table
  double positions = 0;
  double head = 0;       // output projection; 0 when tied to the embedding
  double attention = 0;  // softmax attention of all layers, cross attention included
  double linear = 0;     // linear-attention and Mamba mixers
  double dense_mlp = 0;
  double routed_experts = 0;
  double shared_experts = 0;
  double router = 0;
  double norms = 0;
  double vision = 0;
  double other = 0;
  double mtp = 0;
  double total = 0;
  double active = 0;  // total less the routed experts that a token does not visit and the vision tower
};
ParameterCount count_parameters(const Architecture& a);

// One full-attention layer's projections (query, key, value, output, their biases), and one expert's matrices.
double attention_layer_parameters(const Architecture& a);
double expert_parameters(const Architecture& a);
// Elements that one full-attention layer caches for one token: keys and values, or the latent of MLA.
double kv_elements_per_layer(const Architecture& a);
double window_kv_elements_per_layer(const Architecture& a);
// Elements that all full-attention layers together cache for one token; layers that share a cache count once.
double kv_elements_per_token(const Architecture& a);

// The first field that is below zero or beyond any model, and what is possible; empty: none is.
std::string out_of_range(const Architecture& a);

// What is wrong with a row of the model library: impossible shapes, and with verified a count from the architecture
// that is over 1 % off the published one. Empty: nothing.
std::vector<std::string> check_model(const Model& model);

Architecture architecture_of(const TypicalShape& shape);

// The shape a dense model of `params` parameters usually has, between the shapes given (smallest first, at least one).
// With fewer active parameters a mixture of experts whose active part has that shape. Its count equals `params` within
// 0.5 %. The caller marks it as inferred.
Architecture infer_architecture(double params, double active_params, std::span<const TypicalShape> shapes);

}  // namespace gpuadvise
