// estimate_memory: picks the formulas by the kind of task, then turns bytes into GiB and the need into a verdict.
#include <algorithm>

#include "gpuadvise/estimate.h"

#include "estimate/memory_lookup.h"
#include "estimate/memory_media.h"
#include "estimate/memory_serve.h"
#include "estimate/memory_train.h"

namespace gpuadvise {

namespace {

void to_gib(MemoryEstimate& m) {
  for (double* item :
       {&m.weights, &m.gradients, &m.optimizer, &m.activations, &m.logits, &m.kv_cache, &m.adapters, &m.communication,
        &m.runtime, &m.fragmentation, &m.allocated, &m.reserved, &m.device, &m.required, &m.limit_gib}) {
    *item /= kGib;
  }
}

}  // namespace

MemoryEstimate estimate_memory(const Workload& workload, const Machine& machine, const Layout& layout,
                               const Calibration& calibration) {
  const MemoryCalibration& c = calibration.memory;
  MemoryEstimate m;
  std::string_view task = "training";
  std::string_view name = "general";
  switch (workload.kind) {
    case TaskKind::llm_training:
      m = workload.has_architecture ? training_memory(workload, machine, layout, c)
                                    : media_training_memory(workload, layout, c);
      name = training_constants(c, workload.profile.training.framework.value_or(""),
                                workload.profile.model.name.value_or(""))
                 .name;
      break;
    case TaskKind::llm_serving:
      m = serving_memory(workload, machine, layout, c);
      task = "serving";
      name =
          serving_constants(c, workload.profile.inference.engine.value_or(""),
                            workload.profile.software.framework.value_or(""), workload.profile.model.name.value_or(""))
              .name;
      break;
    case TaskKind::media_training:
      m = workload.has_architecture ? training_memory(workload, machine, layout, c)
                                    : media_training_memory(workload, layout, c);
      task = "media";
      break;
    case TaskKind::media_inference:
      m = workload.has_architecture ? serving_memory(workload, machine, layout, c)
                                    : media_inference_memory(workload, layout, c);
      task = "media";
      break;
    case TaskKind::rendering:
    case TaskKind::streaming:
    case TaskKind::transcoding:
    case TaskKind::hpc:
    case TaskKind::interactive:
      m.why = "memory/depends-on-scene";
      break;
  }
  m.capacity_gib = machine.memory_gib;
  if (!m.known) return m;

  const bool cann = machine.accelerator != nullptr && machine.accelerator->software_stack == "cann";
  const double context = memory_constant(c, cann ? "cann_context_gib" : "cuda_context_gib", 0) * kGib;
  m.device = m.meter == MemoryMeter::device ? m.reserved : m.reserved + context;
  if (m.required <= 0) m.required = m.allocated;
  if (m.meter != MemoryMeter::device) m.required += context;
  if (m.limit_gib <= 0) m.limit_gib = machine.memory_gib * kGib;
  to_gib(m);
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
  // The meter may count what the driver keeps, so the whole card bounds what an engine fills.
  const double whole = machine.accelerator != nullptr && machine.accelerators_per_node >= 1
                           ? std::max(m.capacity_gib, machine.accelerator->memory_gib.value_or(0))
                           : m.capacity_gib;
  m.fits = m.capacity_gib > 0 && m.required <= std::min(m.limit_gib, m.capacity_gib) && m.allocated <= whole;
  m.headroom_gib = std::min(m.limit_gib, m.capacity_gib) - m.required;
  if (const auto* band = find_band(c, task, name)) {
    m.band_low_percent = band->low_percent;
    m.band_high_percent = band->high_percent;
  }
  return m;
}

}  // namespace gpuadvise
