#include <stdexcept>

#include "gpuadvise/estimator.h"

#include "estimate/app_speed.h"
#include "estimate/memory_plan.h"
#include "estimate/serving_speed.h"
#include "estimate/training_speed.h"

namespace gpuadvise {

struct Estimator::Plans {
  const Workload& workload;
  const Calibration& calibration;
  MemoryPlan memory;
  std::optional<TrainingSpeedPlan> training_speed;  // of language models
};

Estimator::Estimator(const Workload& workload, const Calibration& calibration)
    : plans_(std::make_unique<const Plans>(Plans{
          workload, calibration, memory_plan(workload, calibration.memory),
          workload.kind == TaskKind::llm_training ? std::optional(training_speed_plan(workload, calibration.training))
                                                  : std::nullopt})) {}

Estimator::~Estimator() = default;
Estimator::Estimator(Estimator&&) noexcept = default;
Estimator& Estimator::operator=(Estimator&&) noexcept = default;

const Workload& Estimator::workload() const { return plans_->workload; }

MemoryEstimate Estimator::memory(const Machine& machine, const Layout& layout) const {
  return estimate_memory(plans_->memory, machine, layout);
}

void Estimator::memory(std::span<const Placement> placements, std::span<MemoryEstimate> out) const {
  if (out.size() != placements.size()) throw std::invalid_argument("as many results as placements are needed");
  for (std::size_t i = 0; i < placements.size(); ++i) out[i] = memory(*placements[i].machine, placements[i].layout);
}

SpeedEstimate Estimator::speed(const Machine& machine, const Layout& layout) const {
  const auto& [workload, calibration, memory, training] = *plans_;
  if (training) return estimate_training_speed(*training, workload, machine, layout, calibration.training);
  if (workload.kind == TaskKind::llm_serving) return estimate_serving_speed(workload, machine, layout, calibration);
  return estimate_app_speed(workload, machine, layout, calibration);
}

}  // namespace gpuadvise
