// Activations of a transformer layer, kept for the backward pass.
#include <algorithm>

#include "estimate/memory_train.h"

namespace gpuadvise {

double attention_scores(const TrainingSetup& s) {
  if (s.plan.flash) return 0;
  // Scores, their softmax and a mask of one byte: Korthikanti et al. 2022, section 4.1 (5 a s / h of 34 + 5 a s / h).
  const double per_pair = 2 * s.plan.compute_bytes + 1;
  return per_pair * s.plan.shape.attention_share * s.plan.shape.heads * s.plan.sequence * s.tokens /
         std::max(1, s.layout.tensor);
}

namespace {

// `hidden` widths stay whole under tensor parallelism unless sequence parallelism divides them too.
double by_width(const TrainingSetup& s, double hidden, double query, double key_value, double mlp) {
  const ModelShape& m = s.plan.shape;
  const double tensor = std::max(1, s.layout.tensor);
  const double whole = s.layout.sequence_parallel ? tensor : 1;
  const double scale = s.plan.compute_bytes / 2 * s.plan.activation_share;
  const double routed = 4 * m.mlp_copies * m.hidden;  // a token's copy in and out of each of its experts
  return s.tokens * scale *
         (hidden * m.hidden / whole +
          ((query * m.query + key_value * m.key_value) * m.attention_share + mlp * m.mlp) / tensor + routed / whole);
}

}  // namespace

double layer_activations(const TrainingSetup& s) {
  const TrainingConstants& k = s.plan.k;
  const double tensor = std::max(1, s.layout.tensor);
  if (!s.plan.trains_weights()) {
    double out = by_width(s, k.frozen_hidden - (s.plan.shape.gated ? 0 : k.frozen_layernorm_saves), k.frozen_query,
                          k.frozen_key_value, s.plan.shape.gated ? k.frozen_mlp_gated : k.frozen_mlp_plain);
    out += s.tokens * k.adapter_input * s.plan.adapter_inputs / tensor;
    if (s.plan.method == Method::qlora) {
      out += s.tokens * k.quantised_input * (2 * s.plan.shape.hidden + s.plan.shape.query + s.plan.shape.mlp) / tensor;
    }
    return out;
  }
  return by_width(s, k.hidden - (s.plan.shape.gated ? 0 : k.layernorm_saves), k.query, k.key_value,
                  s.plan.shape.gated ? k.mlp_gated : k.mlp_plain);
}

double kept_activations(const TrainingSetup& s) {
  const double scale = s.plan.compute_bytes / 2;
  switch (s.layout.checkpointing) {
    case Checkpointing::none:
      return layer_activations(s) + attention_scores(s);
    case Checkpointing::selective:
      if (!s.plan.k.selective_operators) return layer_activations(s);
      return std::min(layer_activations(s), by_width(s, s.plan.k.selective_hidden, s.plan.k.selective_query,
                                                     s.plan.k.selective_key_value, s.plan.k.selective_mlp));
    case Checkpointing::full:
      break;
  }
  const double whole = s.layout.sequence_parallel ? std::max(1, s.layout.tensor) : 1;
  return s.tokens * s.plan.k.checkpoint * scale * s.plan.shape.hidden / whole;
}

double logits_memory(const TrainingSetup& s) {
  const double whole = s.layout.zero_stage > 0 ? s.plan.k.zero_logits : s.plan.k.logits;
  const double bytes = s.plan.fused == FusedLoss::none ? whole * s.plan.logits_share : s.plan.k.fused_logits;
  return s.tokens * s.plan.head_share * bytes * s.plan.shape.vocab / std::max(1, s.layout.tensor);
}

double allocator_slack(const TrainingSetup& s, double layers, bool last) {
  double out = s.plan.k.slack_scores * attention_scores(s);
  if (last && s.plan.fused == FusedLoss::none) {
    out += s.tokens * s.plan.head_share * s.plan.k.slack_logits * s.plan.shape.vocab / std::max(1, s.layout.tensor);
  }
  if (s.layout.checkpointing == Checkpointing::full)
    out += s.tokens * s.plan.k.slack_checkpoint * s.plan.shape.hidden * layers;
  return out;
}

double microbatches_in_flight(const TrainingSetup& s, bool first) {
  const double p = std::max(1, s.layout.pipeline);
  if (p <= 1 || s.plan.k.naive_pipeline) return 1;
  const double v = std::max(1, s.layout.virtual_pipeline);
  // One forward, one backward: the first stage holds p micro-batches, the last one; interleaved with v chunks the first
  // holds p (1 + (p - 1) / (p v)), the last ((v - 1) p + 1) / v (Narayanan et al. 2021, section 2.2; Korthikanti et al.
  // 2022, section 4.2.3; warm-up counts of Megatron's schedules).
  double flight =
      first ? (v > 1 ? p * (1 + (p - 1) / (p * v)) : p + s.plan.k.extra_buffers) : (v > 1 ? ((v - 1) * p + 1) / v : 1);
  if (s.microbatches > 0) flight = std::min(flight, s.microbatches);
  return flight;
}

}  // namespace gpuadvise
