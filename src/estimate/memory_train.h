// Memory of training a transformer: weights, gradients, optimizer states, adapters, activations, logits, buffers. All
// in bytes on one card of one pipeline stage; estimate_memory takes the fullest. Formulas: docs/method/memory.md.
#pragma once

#include "gpuadvise/estimate.h"

#include "estimate/memory_lookup.h"
#include "estimate/model_shape.h"

namespace gpuadvise {

// The training setup as the terms see it: nothing optional, names resolved.
struct TrainingSetup {
  ModelShape shape;
  TrainingConstants k;
  const OptimizerMemory* optimizer = nullptr;
  Method method = Method::full;
  double rank = 0;
  std::optional<std::span<const std::string_view>> targets;
  double trained_share = 1;    // of the parameters; below 1: freeze
  double weight_bytes = 2;     // per parameter of the base weights
  double embedding_bytes = 2;  // per parameter of embedding and head
  bool quantised = false;
  double compute_bytes = 2;     // of an activation element
  double activation_share = 1;  // compiled or fp8 graphs keep less
  double logits_share = 1;
  bool cast_weights = false;  // fp32 weights under 16-bit autocast keep a 16-bit copy
  bool master = false;        // fp32 copy beside 16-bit weights
  double gradient_bytes = 2;  // per trained parameter
  double state_bytes = 8;     // optimizer, per trained parameter, master not counted
  double tokens = 0;          // per micro-batch and card, context parallel considered
  double sequence = 0;
  Checkpointing checkpointing = Checkpointing::none;
  bool flash = true;
  FusedLoss fused = FusedLoss::none;
  Offload offload = Offload::none;
  bool accumulates = true;  // more than one micro-batch a step
  double microbatches = 0;  // per step and pipeline; 0: unknown
  Layout layout;
  bool ascend = false;
};

TrainingSetup training_setup(const Workload& workload, const Layout& layout, const MemoryCalibration& calibration);

// A pipeline stage's part of the parameters, on one card (tensor and expert parallel applied).
struct StageParameters {
  double dense = 0;  // layers outside routed experts
  double experts = 0;
  double embedding = 0;
  double head = 0;
  double layers = 0;
  double all() const { return dense + experts + embedding + head; }
};
StageParameters stage_parameters(const TrainingSetup& s, bool first, bool last);

struct TrainingStates {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double adapters = 0;
  double communication = 0;     // buckets, gathered layers
  double step_temporaries = 0;  // only during the optimizer step
};
TrainingStates training_states(const TrainingSetup& s, const StageParameters& p);

double adapter_parameters(const TrainingSetup& s);  // of all layers, tensor parallel applied

// Activations of one layer for one micro-batch, kept whole.
double layer_activations(const TrainingSetup& s);
double attention_scores(const TrainingSetup& s);  // of one layer, without flash attention
// What stays of one layer until its backward pass, under the checkpointing in force.
double kept_activations(const TrainingSetup& s);
// What the allocator keeps beside live tensors when lengths vary from step to step, on one stage.
double allocator_slack(const TrainingSetup& s, double layers, bool last);
double logits_memory(const TrainingSetup& s);  // of one micro-batch, on the last stage
// Layers' worth of one stage's activations in flight, in units of this stage's layers.
double microbatches_in_flight(const TrainingSetup& s, bool first);

MemoryEstimate training_memory(const Workload& workload, const Machine& machine, const Layout& layout,
                               const MemoryCalibration& calibration);

}  // namespace gpuadvise
