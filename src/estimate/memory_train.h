// Memory of training a transformer: weights, gradients, optimizer states, adapters, activations, logits, buffers. All
// in bytes on one card of one pipeline stage; estimate_memory takes the fullest. Formulas: docs/method/memory.md.
#pragma once

#include "gpuadvise/estimate.h"

#include "estimate/memory_lookup.h"
#include "estimate/model_shape.h"

namespace gpuadvise {

// What training memory needs of a workload whatever the layout: nothing optional, names resolved.
struct TrainingMemoryPlan {
  ModelShape shape;
  TrainingConstants k;
  const OptimizerMemory* optimizer = nullptr;
  Method method = Method::full;
  double rank = 0;
  double adapter_widths = 0;   // inputs and outputs of a layer's adapted projections, elements
  double adapter_inputs = 0;   // of these, inputs that are kept for the backward pass
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
  double sequence = 0;        // tokens, mean over the layers
  double head_share = 1;      // of these, tokens that reach the head
  double global_batch = 0;    // sequences of an optimizer step; 0: not stated
  bool flash = true;
  FusedLoss fused = FusedLoss::none;
  Offload offload = Offload::none;
  double reserve_share = 1;  // of the card, what the allocator's reserve grows to at most

  bool trains_weights() const { return method == Method::full || method == Method::freeze; }
};

TrainingMemoryPlan training_memory_plan(const Workload& workload, const MemoryCalibration& calibration);

// The plan on one layout, as the terms see it. Refers to both.
struct TrainingSetup {
  const TrainingMemoryPlan& plan;
  const Layout& layout;
  double tokens = 0;        // per micro-batch and card, context parallel considered
  bool accumulates = true;  // more than one micro-batch a step
  double microbatches = 0;  // per step and pipeline; 0: unknown
};

TrainingSetup training_setup(const TrainingMemoryPlan& plan, const Layout& layout);

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

// States of one stage on one card, bytes.
double held_weights(const TrainingSetup& s, const StageParameters& p);
double held_gradients(const TrainingSetup& s, const StageParameters& p);
double optimizer_states(const TrainingSetup& s, const StageParameters& p);  // master copy included
double adapter_states(const TrainingSetup& s);                              // adapters with their gradients and moments
// Gradient and parameter buckets when states are spread over ranks; layers gathered at once under ZeRO-3.
double communication_buckets(const TrainingSetup& s, const StageParameters& p);
double gathered_weights(const TrainingSetup& s, const StageParameters& p);
double step_temporaries(const TrainingSetup& s, const StageParameters& p);  // only during the optimizer step

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

MemoryEstimate training_memory(const TrainingMemoryPlan& plan, const Machine& machine, const Layout& layout);

}  // namespace gpuadvise
