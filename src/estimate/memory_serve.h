// Memory of serving a transformer: weights, KV cache, workspace, and what the engine reserves whatever the need.
#pragma once

#include "gpuadvise/estimate.h"

#include "estimate/kv_cache.h"
#include "estimate/memory_lookup.h"
#include "estimate/model_shape.h"

namespace gpuadvise {

// The serving setup as the terms see it.
struct ServingSetup {
  ModelShape shape;
  ServingConstants k;
  KvCache cache;
  std::string_view format;    // of the weights
  double encoder_tokens = 0;  // per request that every decoder layer caches keys and values of (speech)
  double prompts = 1;         // requests in flight
  double input = 0;           // tokens of a prompt
  double context = 0;         // tokens of a sequence at its end
  double sequences = 1;       // in flight on one replica, beams included
  double prefill_tokens = 0;  // in one forward pass, at most
  double utilization = 0;     // of a pooled engine
  bool utilization_stated = false;
  double element_bytes = 2;  // of a cache element
  Layout layout;
};

ServingSetup serving_setup(const Workload& workload, const Layout& layout, const MemoryCalibration& calibration);

double serving_weights(const ServingSetup& s, const MemoryCalibration& calibration);  // bytes on one card
double serving_workspace(const ServingSetup& s, double tokens);  // activations of one forward pass, bytes
double serving_logits(const ServingSetup& s);
// Scratch that quantised kernels hold: 16-bit copies of the largest matrix, of the head.
double quantised_scratch(const ServingSetup& s, const MemoryCalibration& calibration);
double serving_scores(const ServingSetup& s);  // attention scores kept whole

MemoryEstimate serving_memory(const Workload& workload, const Machine& machine, const Layout& layout,
                              const MemoryCalibration& calibration);

}  // namespace gpuadvise
