#include <cmath>

#include "workload/architecture.h"
#include "workload/reconcile.h"

namespace gpuadvise {
namespace {

// Counts leave out biases and round: nearer than this is agreement, and no other reading is tried.
constexpr double kAgrees = 0.03;
// Another reading of the architecture is taken only where it is this near to the published count.
constexpr double kExplains = 0.05;

bool same_model(const Architecture& a, const Architecture& b) {
  return a.layers == b.layers && a.hidden == b.hidden && (a.heads == 0 || a.heads == b.heads) &&
         (a.experts == 0 || a.experts == b.experts);
}

}  // namespace

Architecture reconciled(const Architecture& given, double params, const Model* library) {
  Architecture a = given;
  if (library != nullptr && library->architecture && same_model(given, *library->architecture)) {
    const Architecture& known = *library->architecture;
    const Architecture before = a;
    a = known;
    const auto keep = [](int& to, int stated) {
      if (stated != 0) to = stated;
    };
    keep(a.intermediate, before.intermediate);
    keep(a.heads, before.heads);
    keep(a.kv_heads, before.kv_heads);
    keep(a.head_dim, before.head_dim);
    keep(a.vocab, before.vocab);
    keep(a.experts, before.experts);
    keep(a.experts_per_token, before.experts_per_token);
    keep(a.moe_intermediate, before.moe_intermediate);
    keep(a.shared_experts, before.shared_experts);
    keep(a.dense_layers, before.dense_layers);
    keep(a.sliding_window, before.sliding_window);
    keep(a.attention_layers, before.attention_layers);
    a.tie_embeddings = before.tie_embeddings || known.tie_embeddings;
    return a;
  }
  if (params <= 0 || a.layers <= 0 || a.hidden <= 0) return a;
  const auto off = [params](const Architecture& x) { return std::abs(count_parameters(x).total / params - 1); };
  if (off(a) <= kAgrees) return a;
  if (a.gated_mlp && a.experts == 0) {
    Architecture plain = a;
    plain.gated_mlp = false;
    if (off(plain) <= kExplains) return plain;
  }
  if (a.experts > 0 && a.dense_layers == 0) {
    Architecture dense = a;
    dense.dense_layers = a.layers;
    const double all = count_parameters(a).total;
    const double none = count_parameters(dense).total;
    if (all > params && none < params) {
      dense.dense_layers = static_cast<int>(std::lround(a.layers * (all - params) / (all - none)));
      if (off(dense) <= kExplains) return dense;
    }
  }
  return a;
}

}  // namespace gpuadvise
