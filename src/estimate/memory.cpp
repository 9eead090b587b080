// estimate_memory: the formulas that the kind of task picks, then bytes into GiB and the need into a verdict.
#include <algorithm>

#include "estimate/memory_plan.h"

namespace gpuadvise {

namespace {

void to_gib(MemoryEstimate& m) {
  for (double* item :
       {&m.weights, &m.gradients, &m.optimizer, &m.activations, &m.logits, &m.kv_cache, &m.adapters, &m.communication,
        &m.runtime, &m.scene, &m.fragmentation, &m.allocated, &m.reserved, &m.device, &m.required, &m.limit_gib}) {
    *item /= kGib;
  }
}

// What the meters show, in bytes: the context is beside what the framework holds.
void set_meters(MemoryEstimate& m, double context, double capacity_gib) {
  m.device = m.meter == MemoryMeter::device ? m.reserved : m.reserved + context;
  if (m.required <= 0) m.required = m.allocated;
  if (m.meter != MemoryMeter::device) m.required += context;
  if (m.limit_gib <= 0) m.limit_gib = capacity_gib * kGib;
}

void set_total(MemoryEstimate& m) {
  switch (m.meter) {
    case MemoryMeter::allocated:
      m.total = m.allocated;
      break;
    case MemoryMeter::reserved:
      m.fragmentation = m.reserved - m.allocated;
      m.total = m.reserved;
      break;
    case MemoryMeter::device:
      m.fragmentation = m.device - m.allocated;
      m.total = m.device;
      break;
  }
}

void set_verdict(MemoryEstimate& m, const Machine& machine) {
  // The meter may count what the driver keeps, so the whole card bounds what an engine fills.
  const double whole = machine.accelerator != nullptr && machine.accelerators_per_node >= 1
                           ? std::max(m.capacity_gib, machine.accelerator->memory_gib.value_or(0))
                           : m.capacity_gib;
  m.fits = m.capacity_gib > 0 && m.required <= std::min(m.limit_gib, m.capacity_gib) && m.allocated <= whole;
  m.headroom_gib = std::min(m.limit_gib, m.capacity_gib) - m.required;
}

// All that is known where activations are not: what the parameters take.
MemoryEstimate bound_of(const MemoryEstimate& m) {
  MemoryEstimate out;
  out.capacity_gib = m.capacity_gib;
  out.why = m.why;
  out.at_least = (m.weights + m.gradients + m.optimizer + m.adapters) / kGib;
  return out;
}

// The terms in bytes, by the formulas of the plan.
struct Terms {
  const Machine& machine;
  const Layout& layout;
  MemoryEstimate operator()(std::monostate) const { return {}; }
  MemoryEstimate operator()(const TrainingMemoryPlan& p) const { return training_memory(p, machine, layout); }
  MemoryEstimate operator()(const ServingMemoryPlan& p) const { return serving_memory(p, machine, layout); }
  MemoryEstimate operator()(const MediaTrainingPlan& p) const { return media_training_memory(p, layout); }
  MemoryEstimate operator()(const MediaInferencePlan& p) const { return media_inference_memory(p, layout); }
  MemoryEstimate operator()(const SceneMemoryPlan& p) const {
    const double cards = p.spread ? std::max(1.0, machine.accelerators_per_node * machine.nodes) : 1;
    MemoryEstimate m;
    m.scene = m.allocated = m.reserved = p.bytes / cards;
    m.known = true;
    return m;
  }
};

}  // namespace

MemoryEstimate estimate_memory(const MemoryPlan& plan, const Machine& machine, const Layout& layout) {
  MemoryEstimate m = std::visit(Terms{machine, layout}, plan.terms);
  m.capacity_gib = machine.memory_gib;
  m.why = plan.why;
  if (!m.known) return m;
  if (!m.why.empty()) return bound_of(m);
  const bool cann = machine.accelerator != nullptr && machine.accelerator->software_stack == "cann";
  set_meters(m, cann ? plan.cann_context : plan.cuda_context, machine.memory_gib);
  to_gib(m);
  set_total(m);
  set_verdict(m, machine);
  m.band_low_percent = plan.band_low_percent;
  m.band_high_percent = plan.band_high_percent;
  return m;
}

MemoryEstimate estimate_memory(const Workload& workload, const Machine& machine, const Layout& layout,
                               const Calibration& calibration) {
  return estimate_memory(memory_plan(workload, calibration.memory), machine, layout);
}

}  // namespace gpuadvise
