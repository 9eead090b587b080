#include <algorithm>
#include <cmath>

#include "estimate/memory_train.h"

namespace gpuadvise {

namespace {

// Experts of one stage are divided by expert parallelism, and by tensor parallelism where the ranks suffice for both.
double expert_shards(const Layout& l) {
  const double world = static_cast<double>(l.tensor) * l.data * l.context;
  const double both = static_cast<double>(l.expert) * l.tensor;
  return both <= world ? both : std::max(1, l.expert);
}

}  // namespace

StageParameters stage_parameters(const TrainingSetup& s, bool first, bool last) {
  const Layout& l = s.layout;
  StageParameters p;
  const double stages = std::max(1, l.pipeline);
  const double tensor = std::max(1, l.tensor);
  // The fullest stage has whole layers; device maps split by bytes.
  p.layers = s.plan.k.naive_pipeline ? s.plan.shape.layers / stages : std::ceil(s.plan.shape.layers / stages);
  const double share = s.plan.shape.layers > 0 ? p.layers / s.plan.shape.layers : 1 / stages;
  if (!s.plan.shape.known) {
    p.dense = s.plan.shape.params / stages / tensor;
    return p;
  }
  p.dense = s.plan.shape.body * share / tensor;
  p.experts = s.plan.shape.experts * share / expert_shards(l);
  if (first) p.embedding = s.plan.shape.embedding / tensor;
  // A tied head has a copy of the table on the last stage.
  if (last && stages > 1 && s.plan.shape.head <= 0) p.head = s.plan.shape.embedding / tensor;
  if (last) p.head += s.plan.shape.head / tensor;
  return p;
}

double adapter_parameters(const TrainingSetup& s) {
  return s.plan.rank * s.plan.adapter_widths * s.plan.shape.layers / std::max(1, s.layout.pipeline) /
         std::max(1, s.layout.tensor);
}

TrainingStates training_states(const TrainingSetup& s, const StageParameters& p) {
  const Layout& l = s.layout;
  const TrainingConstants& k = s.plan.k;
  TrainingStates out;
  const double ranks = std::max(1.0, static_cast<double>(l.data) * l.context);
  // Expert parameters are replicated over fewer ranks than the others.
  const double expert_ranks = std::max(1.0, ranks * l.tensor / expert_shards(l));
  const int zero = l.zero_stage;
  const auto share = [&](int from, double dense, double experts) {
    return zero >= from ? dense / ranks + experts / expert_ranks : dense + experts;
  };
  const double dense = p.dense + p.embedding + p.head;
  const double body_bytes = p.dense * s.plan.weight_bytes + (p.embedding + p.head) * s.plan.embedding_bytes;
  const double expert_bytes = p.experts * s.plan.weight_bytes;
  const bool full = s.plan.trains_weights();
  const bool unsharded = zero >= 3 && k.pipeline_unsharded && l.pipeline > 1 && full;

  out.weights = share(3, body_bytes, expert_bytes);
  // Under ZeRO-3 only gathered layers are cast.
  if (s.plan.cast_weights && zero < 3) out.weights += (dense + p.experts) * 2;
  if (unsharded) out.weights = 2 * (dense + p.experts);

  double trainable = 0;  // on this card, after sharding as the optimizer sees it
  if (full) {
    const double d = dense * s.plan.trained_share;
    const double e = p.experts * s.plan.trained_share;
    out.gradients = unsharded ? 4 * (d + e) : share(2, d * s.plan.gradient_bytes, e * s.plan.gradient_bytes);
    const double each = s.plan.state_bytes + (s.plan.master ? 4 : 0) + (s.plan.master ? k.sharded_gradient : 0);
    out.optimizer = share(1, d * each, e * each);
    if (unsharded) out.optimizer += share(1, d * 4, e * 4);
    trainable = share(1, d, e);
    if (s.plan.offload != Offload::none) {
      out.optimizer = 0;
      out.gradients = zero >= 2 ? 0 : out.gradients;
      trainable = 0;
    }
  } else {
    const double states = s.plan.optimizer == nullptr ? 8 : s.plan.optimizer->states;
    const bool quantised_states =
        s.plan.optimizer != nullptr && s.plan.optimizer->states_16bit == s.plan.optimizer->states;
    out.adapters =
        adapter_parameters(s) * (2 * k.adapter_weight + (quantised_states ? states : states * k.adapter_weight / 4) +
                                 (zero > 0 ? k.adapter_master : 0));
  }
  if (s.plan.offload == Offload::optimizer_params) out.weights = 0;

  const bool spread = l.data * l.context > 1 || zero > 0;
  if (spread && (full || k.adapter_master > 0)) {
    // Buckets are never larger than the gradients that pass through them.
    out.communication += std::min(k.buckets_gib * kGib, 4 * (dense + p.experts) * s.plan.trained_share);
  }
  if (zero >= 3 && !unsharded && ranks > 1) {
    const double per_layer = p.layers > 0 ? (p.dense + p.experts) / p.layers : p.dense;
    const double gathered = k.live_parameters > 0 ? std::min(k.live_parameters, p.all())
                                                  : k.gathered_layers * per_layer + std::max(p.embedding, p.head);
    out.communication += gathered * std::min(2.0, s.plan.weight_bytes);
  } else if (s.plan.offload == Offload::optimizer_params) {
    const double per_layer = p.layers > 0 ? (p.dense + p.experts) / p.layers : 0;
    out.communication += 2 * per_layer * s.plan.weight_bytes;
  }
  const double update = s.plan.optimizer == nullptr ? 1 : s.plan.optimizer->step_temporaries;
  if (full && !s.plan.master) out.step_temporaries = trainable * k.step_temporaries * update;
  return out;
}

}  // namespace gpuadvise
