#include <algorithm>
#include <cmath>
#include <concepts>
#include <fmt/format.h>

#include "workload/architecture.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

// Published counts are given to three or four digits; a verified row must be this near.
constexpr double kVerifiedTolerance = 0.01;

double attention_parameters(const Architecture& a, double kv_heads, double head_dim) {
  const double h = a.hidden;
  const double heads = a.heads;
  if (a.mla.kv_lora_rank > 0) {
    const double qk = a.mla.qk_nope_dim + a.mla.qk_rope_dim;
    const double query = a.mla.q_lora_rank > 0 ? a.mla.q_lora_rank * (h + heads * qk) : h * heads * qk;
    const double down = h * (a.mla.kv_lora_rank + a.mla.qk_rope_dim);
    const double up = a.mla.kv_lora_rank * heads * (a.mla.qk_nope_dim + a.mla.v_dim);
    const double out = heads * a.mla.v_dim * h;
    const double index_from = a.mla.q_lora_rank > 0 ? a.mla.q_lora_rank : h;
    const double index = index_from * a.mla.index_heads * a.mla.index_dim + h * (a.mla.index_dim + a.mla.index_heads);
    return query + down + up + out + index;
  }
  const double value_dim = a.value_head_dim > 0 ? a.value_head_dim : head_dim;
  const double q = heads * head_dim;
  const double kv = kv_heads * (head_dim + value_dim);
  return h * (q * (a.attention_gate ? 2 : 1) + kv) + heads * value_dim * h + (a.attention_bias ? q + kv : 0);
}

// Key and value projections, which a layer that reuses another's cache does not have.
double kv_projection(const Architecture& a) {
  return a.mla.kv_lora_rank > 0 ? 0.0 : a.hidden * kv_elements_per_layer(a);
}

double mixer_parameters(const Architecture& a) {
  const LinearMixer& m = a.linear;
  const double h = a.hidden;
  const double inner = static_cast<double>(m.value_heads) * std::max(m.value_dim, 1);
  const double keys = static_cast<double>(m.key_heads) * m.key_dim;
  if (m.dt_rank > 0) {
    return h * 2 * inner + inner * (m.conv_kernel + 1) + inner * (m.dt_rank + 2.0 * m.key_dim) +
           inner * (m.dt_rank + 1) + inner * (m.key_dim + 1) + inner * h;
  }
  const double channels = m.conv_kernel > 0 ? inner + 2 * keys : 0;
  return h * (2 * inner + 2 * keys + 2.0 * m.value_heads) + channels * m.conv_kernel + inner * h + inner +
         3.0 * m.value_heads;
}

// Widths from strangers may multiply beyond an int.
int whole(double value) { return static_cast<int>(std::min(value, 2147483647.0)); }

double mlp_parameters(const Architecture& a, double input, double width) {
  return (a.gated_mlp ? 3 : 2) * input * width;
}

}  // namespace

LayerCounts layer_counts(const Architecture& a) {
  LayerCounts n;
  n.linear = std::min(a.linear.layers, a.layers);
  int left = a.layers - n.linear;
  if (a.sliding_window > 0) {
    n.window = a.window_layers > 0      ? std::min(a.window_layers, left)
               : a.attention_layers > 0 ? std::max(0, left - a.attention_layers)
                                        : left;
  }
  left -= n.window;
  n.full = a.attention_layers > 0 ? std::min(a.attention_layers, left) : left;
  left -= n.full;
  if (a.mlp_layers == 0 || a.mlp_layers >= a.layers) n.unknown = left;
  n.moe = a.experts > 0 ? std::max(0, a.layers - a.dense_layers) : 0;
  const int feed_forward = a.mlp_layers > 0 ? std::min(a.mlp_layers, a.layers) : a.layers;
  n.moe = std::min(n.moe, feed_forward);
  n.dense_mlp = feed_forward - n.moe;
  return n;
}

Architecture completed(Architecture a) {
  if (a.kv_heads == 0) a.kv_heads = a.heads;
  if (a.head_dim == 0 && a.heads > 0) {
    a.head_dim = a.mla.kv_lora_rank > 0 ? a.mla.qk_nope_dim + a.mla.qk_rope_dim : a.hidden / a.heads;
  }
  if (a.window_kv_heads == 0) a.window_kv_heads = a.kv_heads;
  if (a.window_head_dim == 0) a.window_head_dim = a.head_dim;
  if (a.experts > 0 && a.moe_intermediate == 0) a.moe_intermediate = a.intermediate;
  if (a.experts > 0 && a.shared_intermediate == 0) {
    a.shared_intermediate = whole(static_cast<double>(a.shared_experts) * a.moe_intermediate);
  }
  if (a.experts > 0 && a.moe_latent == 0) a.moe_latent = a.hidden;
  if (a.linear_state == 0 && a.linear.layers > 0) {
    const LinearMixer& m = a.linear;
    const double inner = static_cast<double>(m.value_heads) * std::max(m.value_dim, 1);
    const double channels = inner + (m.dt_rank > 0 ? 0.0 : 2.0 * m.key_heads * m.key_dim);
    a.linear_state = whole(inner * m.key_dim + channels * std::max(m.conv_kernel - 1, 0));
  }
  const LayerCounts n = layer_counts(a);
  a.window_layers = n.window;
  a.attention_layers = n.full;
  a.mlp_layers = n.dense_mlp + n.moe;
  return a;
}

double attention_layer_parameters(const Architecture& raw) {
  const Architecture a = completed(raw);
  return attention_parameters(a, a.kv_heads, a.head_dim);
}

double expert_parameters(const Architecture& raw) {
  const Architecture a = completed(raw);
  return mlp_parameters(a, a.moe_latent, a.moe_intermediate);
}

double kv_elements_per_layer(const Architecture& raw) {
  const Architecture a = completed(raw);
  if (a.mla.kv_lora_rank > 0) return a.mla.kv_lora_rank + a.mla.qk_rope_dim;
  return static_cast<double>(a.kv_heads) * (a.head_dim + (a.value_head_dim > 0 ? a.value_head_dim : a.head_dim));
}

double window_kv_elements_per_layer(const Architecture& raw) {
  const Architecture a = completed(raw);
  if (a.mla.kv_lora_rank > 0) return a.mla.kv_lora_rank + a.mla.qk_rope_dim;
  return static_cast<double>(a.window_kv_heads) *
         (a.window_head_dim + (a.value_head_dim > 0 ? a.value_head_dim : a.window_head_dim));
}

double kv_elements_per_token(const Architecture& raw) {
  const Architecture a = completed(raw);
  const LayerCounts n = layer_counts(a);
  // Sharing layers are spread over both kinds of attention layer as the layers are.
  const int attention = n.full + n.window;
  const double shared = attention > 0 ? a.kv_shared_layers * static_cast<double>(n.full) / attention : 0;
  return (n.full - shared) * kv_elements_per_layer(a);
}

ParameterCount count_parameters(const Architecture& raw) {
  const Architecture a = completed(raw);
  const LayerCounts n = layer_counts(a);
  const double h = a.hidden;
  ParameterCount c;
  c.embedding = static_cast<double>(a.vocab) * h;
  c.positions = static_cast<double>(a.max_positions) * h;
  c.head = a.tie_embeddings ? 0 : c.embedding;

  const double full = attention_parameters(a, a.kv_heads, a.head_dim);
  const double window = attention_parameters(a, a.window_kv_heads, a.window_head_dim);
  c.attention = (n.full + n.unknown) * full + n.window * window - a.kv_shared_layers * kv_projection(a);
  c.linear = n.linear * mixer_parameters(a);
  c.dense_mlp = n.dense_mlp * mlp_parameters(a, h, a.intermediate);
  c.norms = (n.full + n.window + n.linear + n.unknown + n.dense_mlp + n.moe + 1) * h;
  if (a.encoder_layers > 0) {
    // The decoder attends to the encoder in every layer; keys and values there have the same widths.
    c.attention += n.full * full + a.encoder_layers * full;
    c.dense_mlp += a.encoder_layers * mlp_parameters(a, h, a.intermediate);
    c.norms += (n.full + 2.0 * a.encoder_layers + 1) * h;
  }

  const double expert = mlp_parameters(a, a.moe_latent, a.moe_intermediate);
  if (n.moe > 0) {
    c.routed_experts = expert * n.moe * a.experts;
    c.shared_experts = n.moe * mlp_parameters(a, h, a.shared_intermediate);
    c.router = n.moe * h * a.experts;
    if (a.moe_latent != a.hidden) c.router += n.moe * 2.0 * h * a.moe_latent;
  }
  c.vision = a.vision_params;
  c.other = a.other_params;
  if (a.mtp_layers > 0) {
    const double feed_forward = n.moe > 0
                                    ? a.experts * expert + mlp_parameters(a, h, a.shared_intermediate) + h * a.experts
                                    : mlp_parameters(a, h, a.intermediate);
    c.mtp = a.mtp_layers * (2 * h * h + full + feed_forward + 5 * h);
  }
  c.total = c.embedding + c.positions + c.head + c.attention + c.linear + c.dense_mlp + c.routed_experts +
            c.shared_experts + c.router + c.norms + c.vision + c.other;
  const double idle = expert * n.moe * std::max(0, a.experts - a.experts_per_token);
  c.active = c.total - idle - (a.vision.layers > 0 ? a.vision_params : 0);
  return c;
}

namespace {

// Finds the first field below zero or beyond any model.
struct RangeVisitor {
  std::string path;
  std::string wrong;

  template <class T>
  void operator()(std::string_view key, const T& value, base::Need = base::Need::optional, std::string_view = {}) {
    const std::string name = path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
    if constexpr (std::same_as<T, Mla> || std::same_as<T, LinearMixer> || std::same_as<T, VisionTower>) {
      RangeVisitor inner{name, {}};
      fields(inner, value);
      if (wrong.empty()) wrong = inner.wrong;
    } else if constexpr (!std::same_as<T, bool>) {
      const double most = std::same_as<T, double> ? 1e15 : 1e8;
      if (wrong.empty() && !(static_cast<double>(value) >= 0 && static_cast<double>(value) <= most)) {
        wrong = fmt::format("{} is {}; from 0 to {:g} is possible", name, value, most);
      }
    }
  }
};

}  // namespace

std::string out_of_range(const Architecture& a) {
  RangeVisitor visitor;
  fields(visitor, a);
  if (visitor.wrong.empty() && (a.layers > 4096 || a.layers < 1 || a.hidden < 1)) {
    return fmt::format("{} layers of width {}; 1 to 4096 layers of width 1 and more are possible", a.layers, a.hidden);
  }
  return visitor.wrong;
}

std::vector<std::string> check_model(const Model& model) {
  std::vector<std::string> wrong;
  const auto say = [&](std::string text) { wrong.push_back(fmt::format("model {}: {}", model.id, std::move(text))); };
  if (!(model.params > 0)) say("params must be above zero");
  if (model.active_params > model.params) say("active_params is above params");
  double components = 0;
  for (const auto& part : model.components) {
    if (!(part.params > 0)) say(fmt::format("component {} needs a parameter count above zero", part.name));
    components += part.params;
  }
  if (!model.components.empty() && std::abs(components - model.params) > kVerifiedTolerance * model.params) {
    say(fmt::format("components add up to {:.4g}, params says {:.4g}", components, model.params));
  }
  if (!model.architecture) {
    if (model.verified && model.components.empty()) say("verified needs an architecture or components to verify by");
    return wrong;
  }
  const Architecture& a = *model.architecture;
  if (auto text = out_of_range(a); !text.empty()) {
    say(std::move(text));
    return wrong;
  }
  if (a.kv_heads > 0 && a.heads > 0 && a.heads % a.kv_heads != 0) say("heads is not a multiple of kv_heads");
  if (a.attention_layers > a.layers || a.window_layers > a.layers || a.linear.layers > a.layers ||
      a.dense_layers > a.layers || a.mlp_layers > a.layers || a.kv_shared_layers > a.layers) {
    say("more layers of one kind than layers");
  }
  if (a.experts > 0 && (a.experts_per_token <= 0 || a.experts_per_token > a.experts)) {
    say("experts_per_token must lie between 1 and experts");
  }
  if (a.experts == 0 && (a.experts_per_token > 0 || a.moe_intermediate > 0)) say("expert widths without experts");
  if (model.verified && model.components.empty()) {
    const ParameterCount count = count_parameters(a);
    const double off = count.total / model.params - 1;
    if (!(std::abs(off) <= kVerifiedTolerance)) {
      say(fmt::format("verified, but the architecture counts to {:.5g}, {:+.2f} % off the published {:.5g}",
                      count.total, 100 * off, model.params));
    }
  }
  return wrong;
}

}  // namespace gpuadvise
