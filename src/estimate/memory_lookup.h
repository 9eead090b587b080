// Calibration classes by the names that profiles use, with what a class leaves out taken from "general".
#pragma once

#include <string_view>

#include "gpuadvise/calibration/memory.h"

namespace gpuadvise {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

// The constants of one training framework, nothing left open.
struct TrainingConstants {
  std::string_view name;
  MemoryMeter meter = MemoryMeter::allocated;
  double hidden = 0, query = 0, key_value = 0, mlp_gated = 0, mlp_plain = 0;
  double frozen_hidden = 0, frozen_query = 0, frozen_key_value = 0, frozen_mlp_gated = 0, frozen_mlp_plain = 0;
  bool selective_operators = false;
  double selective_hidden = 0, selective_query = 0, selective_key_value = 0, selective_mlp = 0;
  double adapter_input = 0, quantised_input = 0, checkpoint = 2, logits = 0, fused_logits = 0;
  double gradient = 0, sharded_gradient = 0, step_temporaries = 0, boundary = 0;
  double buckets_gib = 0, live_parameters = 0, gathered_layers = 0, base_gib = 0, reserved_factor = 1;
  double layernorm_saves = 0, frozen_layernorm_saves = 0, adapter_weight = 4, adapter_master = 0;
  double zero_logits = 0, slack_logits = 0, slack_checkpoint = 0, slack_scores = 0, extra_buffers = 0;
  double compile_activations = 1, compile_logits = 1, fp8_activations = 1;
  bool static_gradients = false, pipeline_unsharded = false, naive_pipeline = false;
};

struct ServingConstants {
  std::string_view name;
  MemoryMeter meter = MemoryMeter::allocated;
  bool pooled = false, free_share = false, preallocates = false;
  double utilization = 1, pool_extra_gib = 0;
  double prefill_hidden = 0, prefill_query = 0, prefill_mlp = 0, prefill_logits = 0, scores = 0;
  double kv_growth = 1, chunked_prefill = 0, page_tokens = 1;
  double load_factor = 1, quantised_head = 0, base_gib = 0, graphs_gib = 0;
  bool fills = false;
};

// An unknown name gives the class "general".
TrainingConstants training_constants(const MemoryCalibration& c, std::string_view framework, std::string_view model);
// `version` is what the profile says of the software ("transformers 4.38.2"): a class may have an alias with it.
// Without a version the model's name may tell: some models bring their own code.
ServingConstants serving_constants(const MemoryCalibration& c, std::string_view engine, std::string_view version,
                                   std::string_view model);

const OptimizerMemory* find_optimizer(const MemoryCalibration& c, std::string_view name);
const WeightFormat* find_weight_format(const MemoryCalibration& c, std::string_view name);
const MemoryBand* find_band(const MemoryCalibration& c, std::string_view task, std::string_view name);
double memory_constant(const MemoryCalibration& c, std::string_view name, double otherwise);

}  // namespace gpuadvise
