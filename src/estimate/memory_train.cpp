#include <algorithm>

#include "estimate/memory_train.h"

namespace gpuadvise {

namespace {

MemoryEstimate stage_memory(const TrainingSetup& s, bool first, bool last) {
  const StageParameters p = stage_parameters(s, first, last);
  const double flight = microbatches_in_flight(s, first);

  MemoryEstimate m;
  m.weights = held_weights(s, p);
  m.gradients = held_gradients(s, p);
  m.optimizer = optimizer_states(s, p);
  m.adapters = adapter_states(s);
  m.communication = communication_buckets(s, p) + gathered_weights(s, p);
  m.runtime = s.plan.k.base_gib * kGib;

  double kept = kept_activations(s) * p.layers * flight;
  if (s.layout.pipeline > 1) {
    kept += s.plan.k.boundary * 2 * s.tokens * s.plan.shape.hidden * flight /
            (s.layout.sequence_parallel ? s.layout.tensor : 1);
  }
  // Recomputing one layer and the logits are not alive at once: the logits go before the first layer's recompute.
  const double recompute = s.layout.checkpointing == Checkpointing::none   ? 0
                           : s.layout.checkpointing == Checkpointing::full ? layer_activations(s) + attention_scores(s)
                                                                           : attention_scores(s);
  const double head = last ? logits_memory(s) : 0;
  m.activations = kept;
  if (head >= recompute) {
    m.logits = head;
  } else {
    m.activations += recompute;
  }
  // The three moments that can be the peak: the loss, before gradients exist; the end of the backward pass; the step.
  const double dynamic = m.activations + m.logits;
  const double early = s.plan.k.static_gradients || s.accumulates ? 0 : m.gradients;
  const double loss = dynamic - early;
  const double backward = recompute;
  const double step = step_temporaries(s, p);
  const double peak = std::max({loss, backward, step});
  if (peak > loss) {
    // Activations are gone or small at that moment.
    if (step >= backward) {
      m.activations = 0;
      m.logits = 0;
      m.optimizer += step;
    } else {
      m.activations = recompute;
      m.logits = 0;
    }
  } else {
    m.gradients -= early;
  }
  m.fragmentation = allocator_slack(s, p.layers, last);
  m.allocated =
      m.weights + m.gradients + m.optimizer + m.adapters + m.communication + m.runtime + m.activations + m.logits;
  return m;
}

}  // namespace

MemoryEstimate training_memory(const TrainingMemoryPlan& plan, const Machine& machine, const Layout& layout) {
  const TrainingSetup s = training_setup(plan, layout);
  const bool one = layout.pipeline <= 1;
  MemoryEstimate m = stage_memory(s, true, one);
  if (!one) {
    const MemoryEstimate last = stage_memory(s, false, true);
    if (last.allocated + last.fragmentation > m.allocated + m.fragmentation) m = last;
  }
  m.known = true;
  // The allocator gives its slack back before it fails: it never makes a run too big for its card.
  const double most =
      machine.memory_gib > 0 ? machine.memory_gib * kGib * plan.reserve_share : m.allocated + m.fragmentation;
  m.reserved = std::max(m.allocated, std::min(m.allocated + m.fragmentation, most)) * plan.k.reserved_factor;
  m.fragmentation = 0;
  m.meter = plan.k.meter;
  return m;
}

}  // namespace gpuadvise
