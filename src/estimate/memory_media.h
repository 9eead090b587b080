// Memory of models that are no language models: diffusion, vision, speech, recommenders. Known by parameters and parts.
#pragma once

#include <optional>

#include "gpuadvise/estimate.h"

#include "estimate/memory_lookup.h"

namespace gpuadvise {

// What memory needs of a workload whatever the layout.
struct MediaTrainingPlan {
  double core = 0;          // parameters of the network that is trained
  double weight_bytes = 2;  // per parameter
  MemoryMeter meter = MemoryMeter::allocated;
  double base_bytes = 0;
  double reserved_factor = 1;
  double activations = 0;   // bytes of one sample
  double checkpointed = 0;  // the same with full checkpointing
  bool trains_weights = true;
  bool offloads_weights = false;
  double optimizer_bytes = 0;  // per parameter, master copy included
  double step_bytes = 0;       // per parameter, during the step
  double adapters = 0;         // bytes of adapters with their gradients and states
  double tables = 0;           // bytes of embedding tables with their states, spread over all cards
};

struct MediaInferencePlan {
  double core = 0;            // parameters of the network that runs every step
  double weight_bytes = 2;    // per parameter
  double resident_bytes = 0;  // of text encoders and VAE
  MemoryMeter meter = MemoryMeter::allocated;
  double base_bytes = 0;
  double activations = 0;  // bytes of the samples in flight
  double decode = 0;       // bytes while a VAE decodes them, the denoising network idle
};

// Without a plan, `why` is the message that tells the reason. With a plan and a reason, activations are unknown and the
// plan says what there is beside them.
template <class Plan>
struct MediaPlan {
  std::optional<Plan> plan;
  std::string_view why;
};
MediaPlan<MediaTrainingPlan> media_training_plan(const Workload& workload, const MemoryCalibration& calibration);
MediaPlan<MediaInferencePlan> media_inference_plan(const Workload& workload, const MemoryCalibration& calibration);

MemoryEstimate media_training_memory(const MediaTrainingPlan& plan, const Layout& layout);
MemoryEstimate media_inference_memory(const MediaInferencePlan& plan, const Layout& layout);

}  // namespace gpuadvise
