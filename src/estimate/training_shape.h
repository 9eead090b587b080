// A transformer as the speed of its training sees it: the matrix products of its blocks, how many blocks are of which
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

// The products of one block; none has more than four.
struct Products {
  std::array<Product, 4> items{};
  std::size_t count = 0;

  void add(double k, double n, bool split_output) { items[count++] = {k, n, split_output}; }
  const Product* begin() const { return items.data(); }
  const Product* end() const { return items.data() + count; }
  double weights() const;
  double widths() const;  // input and output widths of all products together
};

// Blocks are counted apart: a usual layer is one mixer block (attention of the whole context or of a window, or a
// recurrent mixer) and one feed-forward block (dense or experts); hybrids have layers of one block.
struct TrainingShape {
  double layers = 0;
  double full_blocks = 0;
  double window_blocks = 0;
  double linear_blocks = 0;
  double dense_blocks = 0;
  double expert_blocks = 0;

  double hidden = 0;
  double heads = 0;
  double head_dim = 0;
  double score_width = 0;  // query-key width of a head plus its value width
  double kv_width = 0;     // keys and values of one token and block, elements
  double window = 0;       // tokens
  double vocab = 0;
  bool causal = true;
  bool encoder = false;  // no output head, or one over masked tokens only
  bool gated = true;

  Products attention;
  Products linear;
  double linear_width = 0;  // units of a recurrent mixer
  Products dense;
  double dense_width = 0;
  Products expert;  // one routed expert
  Products shared;  // all shared experts together
  double experts = 0;
  double chosen = 0;        // routed experts per token
  double expert_width = 0;  // feed-forward units of a token in an expert block, shared ones included
  double expert_input = 0;  // width of a token as it is sent to its experts

  double expert_weights() const { return expert_blocks * experts * expert.weights(); }
};

// The shape of an architecture, or of a plain decoder with as many active parameters where none is known.
TrainingShape training_shape(const Workload& workload);

// Attention scores that one token meets in a block, on average: half of the sequence where causal, about the window
// where there is one.
double score_length(const TrainingShape& shape, double sequence, bool window, bool causal);

// Forward FLOPs of the model for one token: matrices twice their active weights, scores, the head. Recompute is no
// part of it.
double forward_flops_per_token(const TrainingShape& shape, double sequence, bool count_causal);

}  // namespace gpuadvise
