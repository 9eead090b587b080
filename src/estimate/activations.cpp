// Activations of a transformer layer, kept for the backward pass.
#include <algorithm>

#include "estimate/memory_train.h"

namespace gpuadvise {

double attention_scores(const TrainingSetup& s) {
  if (s.flash) return 0;
  // Scores, their softmax and a mask of one byte: Korthikanti et al. 2022, section 4.1 (5 a s / h of 34 + 5 a s / h).
  const double per_pair = 2 * s.compute_bytes + 1;
  return per_pair * s.shape.attention_share * s.shape.heads * s.sequence * s.tokens / std::max(1, s.layout.tensor);
}

namespace {

// `hidden` widths stay whole under tensor parallelism unless sequence parallelism divides them too.
double by_width(const TrainingSetup& s, double hidden, double query, double key_value, double mlp) {
  const ModelShape& m = s.shape;
  const double tensor = std::max(1, s.layout.tensor);
  const double whole = s.layout.sequence_parallel ? tensor : 1;
  const double scale = s.compute_bytes / 2 * s.activation_share;
  const double routed = 4 * m.mlp_copies * m.hidden;  // a token's copy in and out of each of its experts
  return s.tokens * scale *
         (hidden * m.hidden / whole +
          ((query * m.query + key_value * m.key_value) * m.attention_share + mlp * m.mlp) / tensor + routed / whole);
}

double adapter_inputs(const TrainingSetup& s) {
  const ModelShape& m = s.shape;
  if (!s.targets || s.targets->empty()) return 2 * m.hidden + m.query + m.mlp;
  bool attention = false;
  bool output = false;
  bool mlp = false;
  bool down = false;
  for (const auto t : *s.targets) {
    const bool all = t == "all-linear" || t == "all";
    attention = attention || all || t == "attention" || t == "q_proj" || t == "k_proj" || t == "v_proj" ||
                t == "c_attn" || t == "query_key_value" || t == "qkv_proj" || t == "W_pack";
    output = output || all || t == "attention" || t == "o_proj" || t == "dense";
    mlp = mlp || all || t == "mlp" || t == "gate_proj" || t == "up_proj" || t == "gate_up_proj" || t == "fc1";
    down = down || all || t == "mlp" || t == "down_proj" || t == "fc2";
  }
  return (attention ? m.hidden : 0) + (output ? m.query : 0) + (mlp ? m.hidden : 0) + (down ? m.mlp : 0);
}

}  // namespace

double layer_activations(const TrainingSetup& s) {
  const TrainingConstants& k = s.k;
  const double tensor = std::max(1, s.layout.tensor);
  if (s.method == Method::lora || s.method == Method::qlora) {
    double out = by_width(s, k.frozen_hidden - (s.shape.gated ? 0 : k.frozen_layernorm_saves), k.frozen_query,
                          k.frozen_key_value, s.shape.gated ? k.frozen_mlp_gated : k.frozen_mlp_plain);
    out += s.tokens * k.adapter_input * adapter_inputs(s) / tensor;
    if (s.method == Method::qlora) {
      out += s.tokens * k.quantised_input * (2 * s.shape.hidden + s.shape.query + s.shape.mlp) / tensor;
    }
    return out;
  }
  return by_width(s, k.hidden - (s.shape.gated ? 0 : k.layernorm_saves), k.query, k.key_value,
                  s.shape.gated ? k.mlp_gated : k.mlp_plain);
}

double kept_activations(const TrainingSetup& s) {
  const double scale = s.compute_bytes / 2;
  switch (s.checkpointing) {
    case Checkpointing::none:
      return layer_activations(s) + attention_scores(s);
    case Checkpointing::selective:
      if (!s.k.selective_operators) return layer_activations(s);
      return std::min(layer_activations(s), by_width(s, s.k.selective_hidden, s.k.selective_query,
                                                     s.k.selective_key_value, s.k.selective_mlp));
    case Checkpointing::full:
      break;
  }
  const double whole = s.layout.sequence_parallel ? std::max(1, s.layout.tensor) : 1;
  return s.tokens * s.k.checkpoint * scale * s.shape.hidden / whole;
}

double logits_memory(const TrainingSetup& s) {
  const double whole = s.layout.zero_stage > 0 ? s.k.zero_logits : s.k.logits;
  const double bytes = s.fused == FusedLoss::none ? whole * s.logits_share : s.k.fused_logits;
  return s.tokens * bytes * s.shape.vocab / std::max(1, s.layout.tensor);
}

double allocator_slack(const TrainingSetup& s, double layers, bool last) {
  double out = s.k.slack_scores * attention_scores(s);
  if (last && s.fused == FusedLoss::none) {
    out += s.tokens * s.k.slack_logits * s.shape.vocab / std::max(1, s.layout.tensor);
  }
  if (s.checkpointing == Checkpointing::full) out += s.tokens * s.k.slack_checkpoint * s.shape.hidden * layers;
  return out;
}

double microbatches_in_flight(const TrainingSetup& s, bool first) {
  const double p = std::max(1, s.layout.pipeline);
  if (p <= 1 || s.k.naive_pipeline) return 1;
  const double v = std::max(1, s.layout.virtual_pipeline);
  // One forward, one backward: the first stage holds p micro-batches, the last one; interleaved with v chunks the first
  // holds p (1 + (p - 1) / (p v)), the last ((v - 1) p + 1) / v (Narayanan et al. 2021, section 2.2; Korthikanti et al.
  // 2022, section 4.2.3; warm-up counts of Megatron's schedules).
  double flight =
      first ? (v > 1 ? p * (1 + (p - 1) / (p * v)) : p + s.k.extra_buffers) : (v > 1 ? ((v - 1) * p + 1) / v : 1);
  if (s.microbatches > 0) flight = std::min(flight, s.microbatches);
  return flight;
}

}  // namespace gpuadvise
