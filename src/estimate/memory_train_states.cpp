#include <algorithm>
#include <cmath>

#include "estimate/expert_shards.h"
#include "estimate/memory_train.h"

namespace gpuadvise {

namespace {}  // namespace

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

namespace {

// How many ranks hold a copy of a parameter: ZeRO divides over them. Experts are copied over fewer.
struct Copies {
  double dense;
  double experts;
  explicit Copies(const Layout& l)
      : dense(std::max(1.0, static_cast<double>(l.data) * l.context)),
        experts(std::max(1.0, dense * l.tensor / expert_shards(l))) {}
};

// What one card keeps of `dense` and `experts` bytes that are divided from ZeRO stage `from` on.
double sharded(const TrainingSetup& s, int from, double dense, double experts) {
  if (s.layout.zero_stage < from) return dense + experts;
  const Copies copies(s.layout);
  return dense / copies.dense + experts / copies.experts;
}

double dense_parameters(const StageParameters& p) { return p.dense + p.embedding + p.head; }

// FSDP that keeps the parameters and fp32 gradients of a pipeline stage whole between micro-batches.
bool stays_whole(const TrainingSetup& s) {
  return s.layout.zero_stage >= 3 && s.plan.k.pipeline_unsharded && s.layout.pipeline > 1 && s.plan.trains_weights();
}

}  // namespace

double held_weights(const TrainingSetup& s, const StageParameters& p) {
  const TrainingMemoryPlan& plan = s.plan;
  if (plan.offload == Offload::optimizer_params) return 0;
  const double dense = dense_parameters(p);
  if (stays_whole(s)) return 2 * (dense + p.experts);
  const double body = p.dense * plan.weight_bytes + (p.embedding + p.head) * plan.embedding_bytes;
  const double held = sharded(s, 3, body, p.experts * plan.weight_bytes);
  // Under ZeRO-3 only gathered layers are cast.
  return plan.cast_weights && s.layout.zero_stage < 3 ? held + (dense + p.experts) * 2 : held;
}

double held_gradients(const TrainingSetup& s, const StageParameters& p) {
  const TrainingMemoryPlan& plan = s.plan;
  if (!plan.trains_weights() || (plan.offload != Offload::none && s.layout.zero_stage >= 2)) return 0;
  const double dense = dense_parameters(p) * plan.trained_share;
  const double experts = p.experts * plan.trained_share;
  if (stays_whole(s)) return 4 * (dense + experts);
  return sharded(s, 2, dense * plan.gradient_bytes, experts * plan.gradient_bytes);
}

double optimizer_states(const TrainingSetup& s, const StageParameters& p) {
  const TrainingMemoryPlan& plan = s.plan;
  if (!plan.trains_weights() || plan.offload != Offload::none) return 0;
  const double dense = dense_parameters(p) * plan.trained_share;
  const double experts = p.experts * plan.trained_share;
  const double each = plan.state_bytes + (plan.master ? 4 : 0) + (plan.master ? plan.k.sharded_gradient : 0);
  const double states = sharded(s, 1, dense * each, experts * each);
  return stays_whole(s) ? states + sharded(s, 1, dense * 4, experts * 4) : states;
}

double adapter_states(const TrainingSetup& s) {
  const TrainingMemoryPlan& plan = s.plan;
  if (plan.trains_weights()) return 0;
  const double states = plan.optimizer == nullptr ? 8 : plan.optimizer->states;
  const bool quantised = plan.optimizer != nullptr && plan.optimizer->states_16bit == plan.optimizer->states;
  const double weight = plan.k.adapter_weight;
  return adapter_parameters(s) * (2 * weight + (quantised ? states : states * weight / 4) +
                                  (s.layout.zero_stage > 0 ? plan.k.adapter_master : 0));
}

double communication_buckets(const TrainingSetup& s, const StageParameters& p) {
  const bool spread = s.layout.data * s.layout.context > 1 || s.layout.zero_stage > 0;
  if (!spread || !(s.plan.trains_weights() || s.plan.k.adapter_master > 0)) return 0;
  // Buckets are never larger than the gradients that pass through them.
  return std::min(s.plan.k.buckets_gib * kGib, 4 * (dense_parameters(p) + p.experts) * s.plan.trained_share);
}

double gathered_weights(const TrainingSetup& s, const StageParameters& p) {
  const TrainingConstants& k = s.plan.k;
  const double body = p.dense + p.experts;
  if (s.layout.zero_stage >= 3 && !stays_whole(s) && Copies(s.layout).dense > 1) {
    const double per_layer = p.layers > 0 ? body / p.layers : p.dense;
    const double gathered = k.live_parameters > 0 ? std::min(k.live_parameters, p.all())
                                                  : k.gathered_layers * per_layer + std::max(p.embedding, p.head);
    return gathered * std::min(2.0, s.plan.weight_bytes);
  }
  if (s.plan.offload == Offload::optimizer_params)
    return p.layers > 0 ? 2 * (body / p.layers) * s.plan.weight_bytes : 0;
  return 0;
}

double step_temporaries(const TrainingSetup& s, const StageParameters& p) {
  const TrainingMemoryPlan& plan = s.plan;
  if (!plan.trains_weights() || plan.master || plan.offload != Offload::none) return 0;
  const double updated = sharded(s, 1, dense_parameters(p) * plan.trained_share, p.experts * plan.trained_share);
  return updated * plan.k.step_temporaries * (plan.optimizer == nullptr ? 1 : plan.optimizer->step_temporaries);
}

}  // namespace gpuadvise
