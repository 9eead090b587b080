// A transformer as the speed of its training sees it: the matrix products of one layer, how many layers are of which
// kind, and what the model's own FLOPs are.
#pragma once

#include <array>

#include "gpuadvise/workload.h"

namespace gpuadvise {

// One matrix product per token: an input of width k becomes an output of width n.
struct Product {
  double k = 0;
  double n = 0;
  bool split_output = true;  // tensor parallelism divides n (column), otherwise k (row)
};

// The products of one part of a layer; no part has more than six.
struct Products {
  std::array<Product, 6> items{};
  int count = 0;
  void add(double k, double n, bool split_output) {
    items[static_cast<std::size_t>(count)] = {k, n, split_output};
    ++count;
  }
  double weights() const {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      const Product& p = items[static_cast<std::size_t>(i)];
      sum += p.k * p.n;
    }
    return sum;
  }
};

struct TrainingShape {
  double layers = 0;
  double moe_layers = 0;
  double linear_layers = 0;  // recurrent mixers in place of attention
  double window_layers = 0;  // attention bounded by `window` tokens
  double hidden = 0;
  double heads = 0;
  double kv_width = 0;     // keys and values of one token, elements, both together
  double score_width = 0;  // query-key width of a head plus its value width
  double head_dim = 0;
  double window = 0;
  double vocab = 0;
  bool causal = true;
  bool predicts_every_token = true;  // false: an encoder, with no head or a masked one
  bool gated = true;
  Products attention;  // projections
  Products linear;     // of a recurrent mixer
  Products dense;      // feed-forward of a layer without experts
  Products expert;     // one routed expert
  Products shared;     // all shared experts together
  double experts = 0;
  double chosen = 0;
  double dense_width = 0;   // feed-forward units of a token, for elementwise work
  double expert_width = 0;  // the same of a layer with experts: chosen and shared together

  double layer_weights_dense() const { return attention.weights() + dense.weights(); }
  double expert_weights() const { return moe_layers * experts * expert.weights(); }
  double attention_layers() const { return layers - linear_layers; }
};

// The shape of an architecture, or of a plain decoder with `params` where only the count is known.
TrainingShape training_shape(const Workload& workload);

// Attention scores that one token meets in a layer, on average: half of the sequence where causal, the window where
// there is one.
double score_length(const TrainingShape& shape, double sequence, bool window, bool causal);

// Forward model FLOPs of one token: matrices twice their active weights, scores, the head. Recompute is no part of it.
double forward_flops_per_token(const TrainingShape& shape, double sequence, bool count_causal);

}  // namespace gpuadvise
