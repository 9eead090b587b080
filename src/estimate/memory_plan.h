// What a memory estimate needs of a workload, found once; every machine and layout is then arithmetic alone.
#pragma once

#include <variant>

#include "gpuadvise/estimate.h"

#include "estimate/memory_media.h"
#include "estimate/memory_serve.h"
#include "estimate/memory_train.h"

namespace gpuadvise {

// Data of an application that the profile states: nothing else is known of its memory.
struct SceneMemoryPlan {
  double bytes = 0;
  bool spread = false;  // over the cards; otherwise every card holds all of it
};

struct MemoryPlan {
  // Empty: the model cannot say; `why` tells the reason. With terms and a reason, the activations are what is unknown.
  std::variant<std::monostate, TrainingMemoryPlan, ServingMemoryPlan, MediaTrainingPlan, MediaInferencePlan,
               SceneMemoryPlan>
      terms;
  std::string_view why;
  double cuda_context = 0;  // bytes on the card beside what the framework holds, by software stack
  double cann_context = 0;
  double band_low_percent = 0;
  double band_high_percent = 0;
};

MemoryPlan memory_plan(const Workload& workload, const MemoryCalibration& calibration);

// Neither allocates nor looks anything up by name.
MemoryEstimate estimate_memory(const MemoryPlan& plan, const Machine& machine, const Layout& layout);

}  // namespace gpuadvise
