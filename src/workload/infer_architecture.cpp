#include <algorithm>
#include <cmath>
#include <vector>

#include "workload/architecture.h"

namespace gpuadvise {

Architecture architecture_of(const TypicalShape& s) {
  Architecture a;
  a.layers = s.layers;
  a.hidden = s.hidden;
  a.intermediate = s.intermediate;
  a.heads = s.heads;
  a.kv_heads = s.kv_heads;
  a.head_dim = s.head_dim;
  a.vocab = s.vocab;
  a.tie_embeddings = s.tie_embeddings;
  return a;
}

namespace {

// Both shapes by their logarithms, at `params` between (or beyond) theirs.
double between(double params, double params_a, double params_b, double a, double b) {
  if (params_a == params_b) return a * std::pow(params / params_a, 1.0 / 3);
  const double t = std::log(params / params_a) / std::log(params_b / params_a);
  return a * std::pow(b / a, t);
}

Architecture infer_dense(double params, std::span<const TypicalShape> shapes) {
  std::vector<double> sizes;
  for (const auto& s : shapes) sizes.push_back(count_parameters(architecture_of(s)).total);
  std::size_t hi = 1;
  while (hi + 1 < shapes.size() && sizes[hi] < params) ++hi;
  if (shapes.size() == 1) hi = 0;
  const std::size_t lo = hi == 0 ? 0 : hi - 1;
  const bool nearer_lo = std::abs(std::log(params / sizes[lo])) <= std::abs(std::log(params / sizes[hi]));
  const TypicalShape& near = shapes[nearer_lo ? lo : hi];
  const double near_size = sizes[nearer_lo ? lo : hi];

  Architecture a = architecture_of(near);
  if (std::abs(params / near_size - 1) < 0.005) return a;

  // Hidden width in steps that keep whole groups of heads, so that tensor parallelism still divides it.
  const double hidden = between(params, sizes[lo], sizes[hi], shapes[lo].hidden, shapes[hi].hidden);
  const int step = a.head_dim * (hidden >= 2.5 * a.head_dim * a.kv_heads ? a.kv_heads : 1);
  a.hidden = std::max(1, static_cast<int>(std::lround(hidden / step))) * step;
  a.heads = a.hidden / a.head_dim;
  while (a.heads % a.kv_heads != 0) --a.kv_heads;
  a.vocab = static_cast<int>(std::max(1.0, std::min<double>(a.vocab, params / (4.0 * a.hidden))));

  // Depth from the usual width of the feed-forward block, then that width from what the depth leaves.
  const double ratio =
      between(params, sizes[lo], sizes[hi], static_cast<double>(shapes[lo].intermediate) / shapes[lo].hidden,
              static_cast<double>(shapes[hi].intermediate) / shapes[hi].hidden);
  const double fixed = a.vocab * static_cast<double>(a.hidden) * (a.tie_embeddings ? 1 : 2) + a.hidden;
  const double body = std::max(params - fixed, 0.0);
  const double h = a.hidden;
  const double attention = attention_layer_parameters(a) + 2 * h;
  // Deep models have layers in fours, which pipeline stages divide.
  const double depth = body / (attention + 3 * h * ratio * h);
  const int stages = depth >= 16 ? 4 : 1;
  a.layers = std::max(1, static_cast<int>(std::lround(depth / stages))) * stages;
  const double width = (body / a.layers - attention) / (3 * h);
  a.intermediate = std::max(1, static_cast<int>(width >= 512 ? 8 * std::lround(width / 8) : std::lround(width)));
  return a;
}

}  // namespace

Architecture infer_architecture(double params, double active_params, std::span<const TypicalShape> shapes) {
  if (!(active_params > 0) || active_params >= params) return infer_dense(params, shapes);

  // A mixture of experts whose active part has the dense shape: the feed-forward block is cut into the experts that a
  // token visits, and there are as many more as the rest of the parameters fill.
  constexpr int kVisited = 8;  // what the Qwen3, DeepSeek-V3, GLM-4.5 and MiniMax-M2 families visit
  Architecture a = infer_dense(active_params, shapes);
  const double routed_active = 3.0 * a.hidden * a.intermediate * a.layers;
  const double per_expert = routed_active / kVisited;
  const double more = params - active_params;
  a.experts_per_token = kVisited;
  a.moe_intermediate = std::max(1, a.intermediate / kVisited);
  a.experts = kVisited + std::max(1, static_cast<int>(std::lround(more / per_expert)));
  // The count of experts is whole; their width takes up the rest.
  a.intermediate = a.moe_intermediate;
  const double now = count_parameters(a).total;
  const double routed = count_parameters(a).routed_experts;
  const double wanted = std::max(1.0, a.moe_intermediate * (routed + params - now) / routed);
  a.moe_intermediate = static_cast<int>(std::lround(wanted));
  a.intermediate = a.moe_intermediate;
  return a;
}

}  // namespace gpuadvise
