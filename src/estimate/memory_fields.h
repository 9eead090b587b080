// How data/calibration/memory.yaml is written: see base/fields.h.
#pragma once

#include <array>
#include <concepts>

#include "gpuadvise/calibration/memory.h"

#include "base/fields.h"

namespace gpuadvise {

constexpr auto names(MemoryMeter) { return std::to_array<std::string_view>({"allocated", "reserved", "device"}); }

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, MemoryConstant>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("value", s.value, base::Need::required);
  v("unit", s.unit, base::Need::required);
  v("meaning", s.meaning, base::Need::required);
  v("source", s.source);
  v("fitted_on", s.fitted_on);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, MemoryColumn>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("unit", s.unit, base::Need::required);
  v("meaning", s.meaning, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, TrainingMemoryClass>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("aliases", s.aliases);
  v("models", s.models);
  v("meter", s.meter);
  v("hidden", s.hidden);
  v("query", s.query);
  v("key_value", s.key_value);
  v("mlp_gated", s.mlp_gated);
  v("mlp_plain", s.mlp_plain);
  v("frozen_hidden", s.frozen_hidden);
  v("frozen_query", s.frozen_query);
  v("frozen_key_value", s.frozen_key_value);
  v("frozen_mlp_gated", s.frozen_mlp_gated);
  v("frozen_mlp_plain", s.frozen_mlp_plain);
  v("selective_hidden", s.selective_hidden);
  v("selective_query", s.selective_query);
  v("selective_key_value", s.selective_key_value);
  v("selective_mlp", s.selective_mlp);
  v("adapter_input", s.adapter_input);
  v("quantised_input", s.quantised_input);
  v("checkpoint", s.checkpoint);
  v("logits", s.logits);
  v("fused_logits", s.fused_logits);
  v("gradient", s.gradient);
  v("sharded_gradient", s.sharded_gradient);
  v("step_temporaries", s.step_temporaries);
  v("boundary", s.boundary);
  v("buckets_gib", s.buckets_gib);
  v("live_parameters", s.live_parameters);
  v("gathered_layers", s.gathered_layers);
  v("base_gib", s.base_gib);
  v("reserved_factor", s.reserved_factor);
  v("static_gradients", s.static_gradients);
  v("pipeline_unsharded", s.pipeline_unsharded);
  v("naive_pipeline", s.naive_pipeline);
  v("layernorm_saves", s.layernorm_saves);
  v("frozen_layernorm_saves", s.frozen_layernorm_saves);
  v("adapter_weight", s.adapter_weight);
  v("zero_logits", s.zero_logits);
  v("slack_logits", s.slack_logits);
  v("slack_checkpoint", s.slack_checkpoint);
  v("slack_scores", s.slack_scores);
  v("extra_buffers", s.extra_buffers);
  v("compile_activations", s.compile_activations);
  v("compile_logits", s.compile_logits);
  v("fp8_activations", s.fp8_activations);
  v("adapter_master", s.adapter_master);
  v("source", s.source);
  v("fitted_on", s.fitted_on);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingMemoryClass>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("aliases", s.aliases);
  v("models", s.models);
  v("meter", s.meter);
  v("pooled", s.pooled);
  v("utilization", s.utilization);
  v("pool_extra_gib", s.pool_extra_gib);
  v("free_share", s.free_share);
  v("prefill_hidden", s.prefill_hidden);
  v("prefill_query", s.prefill_query);
  v("prefill_mlp", s.prefill_mlp);
  v("prefill_logits", s.prefill_logits);
  v("scores", s.scores);
  v("kv_growth", s.kv_growth);
  v("preallocates", s.preallocates);
  v("chunked_prefill", s.chunked_prefill);
  v("page_tokens", s.page_tokens);
  v("load_factor", s.load_factor);
  v("quantised_head", s.quantised_head);
  v("fills", s.fills);
  v("base_gib", s.base_gib);
  v("graphs_gib", s.graphs_gib);
  v("source", s.source);
  v("fitted_on", s.fitted_on);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, WeightFormat>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("aliases", s.aliases);
  v("bytes", s.bytes, base::Need::required);
  v("embedding_bytes", s.embedding_bytes);
  v("buffer_rows", s.buffer_rows);
  v("untied", s.untied);
  v("source", s.source, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, OptimizerMemory>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("aliases", s.aliases);
  v("states", s.states, base::Need::required);
  v("states_16bit", s.states_16bit, base::Need::required);
  v("step_temporaries", s.step_temporaries);
  v("paged", s.paged);
  v("source", s.source, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, MediaMemoryClass>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("train_mib", s.train_mib, base::Need::required);
  v("checkpoint_mib", s.checkpoint_mib, base::Need::required);
  v("infer_mib", s.infer_mib, base::Need::required);
  v("exponent", s.exponent, base::Need::required);
  v("extra_tokens", s.extra_tokens, base::Need::required);
  v("decode_bytes", s.decode_bytes, base::Need::required);
  v("source", s.source);
  v("fitted_on", s.fitted_on);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, MemoryBand>
void fields(V& v, S& s) {
  v("task", s.task, base::Need::required);
  v("name", s.name, base::Need::required);
  v("low_percent", s.low_percent, base::Need::required);
  v("high_percent", s.high_percent, base::Need::required);
  v("rows", s.rows, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, MemoryCalibration>
void fields(V& v, S& s) {
  v("date", s.date, base::Need::required);
  v("constants", s.constants);
  v("columns", s.columns);
  v("training", s.training);
  v("serving", s.serving);
  v("weights", s.weights);
  v("optimizers", s.optimizers);
  v("media", s.media);
  v("bands", s.bands);
}

}  // namespace gpuadvise
