// Memory of serving a transformer: weights, KV cache, workspace, and what the engine reserves whatever the need.
#pragma once

#include "gpuadvise/estimate.h"

#include "estimate/kv_cache.h"
#include "estimate/memory_lookup.h"
#include "estimate/model_shape.h"

namespace gpuadvise {

// What serving memory needs of a workload whatever the layout: nothing optional, names resolved.
struct ServingMemoryPlan {
  ModelShape shape;
  ServingConstants k;
  CachedLayers cached;
  double weights = 0;         // bytes of all, routed experts included
  double experts = 0;         // bytes of the routed experts
  double kernel_buffer = 0;   // bytes that a quantised kernel holds: 16-bit copies of the largest matrix
  double kernel_head = 0;     // bytes of a 16-bit copy of the head beside quantised layers
  double encoder_tokens = 0;  // per request that every decoder layer caches keys and values of (speech)
  double prompts = 1;         // requests in flight
  double input = 0;           // tokens of a prompt
  double context = 0;         // tokens of a sequence at its end
  double longest = 0;         // tokens that one sequence may grow to, where that is more; 0: no more
  double sequences = 1;       // in flight on one replica, beams included
  double prefill_tokens = 0;  // in one forward pass, at most
  double utilization = 0;     // of a pooled engine
  bool utilization_stated = false;
  bool room_for_all = false;  // no sequence may wait for another to end
  double element_bytes = 2;   // of a cache element
};

ServingMemoryPlan serving_memory_plan(const Workload& workload, const MemoryCalibration& calibration);

// The plan on one layout, as the terms see it. Refers to both.
struct ServingSetup {
  const ServingMemoryPlan& plan;
  const Layout& layout;
  KvCache cache;
};

ServingSetup serving_setup(const ServingMemoryPlan& plan, const Layout& layout);

double serving_weights(const ServingSetup& s);                   // bytes on one card
double serving_workspace(const ServingSetup& s, double tokens);  // activations of one forward pass, bytes
double serving_logits(const ServingSetup& s);
// Scratch that quantised kernels hold: 16-bit copies of the largest matrix, of the head.
double quantised_scratch(const ServingSetup& s);
double serving_scores(const ServingSetup& s);  // attention scores kept whole

MemoryEstimate serving_memory(const ServingMemoryPlan& plan, const Machine& machine, const Layout& layout);

}  // namespace gpuadvise
