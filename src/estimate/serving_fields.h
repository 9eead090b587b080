// How data/calibration/serving.yaml is written: see base/fields.h.
#pragma once

#include <array>
#include <concepts>

#include "gpuadvise/calibration/serving.h"

#include "base/fields.h"

namespace gpuadvise {

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingChip>
void fields(V& v, S& s) {
  v("chip", s.chip, base::Need::required);
  v("matrix_share", s.matrix_share, base::Need::required);
  v("fp8_factor", s.fp8_factor, base::Need::required);
  v("fp4_factor", s.fp4_factor, base::Need::required);
  v("grouped_factor", s.grouped_factor, base::Need::required);
  v("attention_share", s.attention_share, base::Need::required);
  v("bandwidth_share", s.bandwidth_share, base::Need::required);
  v("sm_bandwidth_gb_per_s", s.sm_bandwidth_gb_per_s, base::Need::required);
  v("sm_alone_gb_per_s", s.sm_alone_gb_per_s, base::Need::required);
  v("kv_share", s.kv_share, base::Need::required);
  v("tensor_tflops", s.tensor_tflops);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingEngine>
void fields(V& v, S& s) {
  v("engine", s.engine, base::Need::required);
  v("aliases", s.aliases);
  v("matrix_factor", s.matrix_factor, base::Need::required);
  v("attention_factor", s.attention_factor, base::Need::required);
  v("bandwidth_factor", s.bandwidth_factor, base::Need::required);
  v("sm_factor", s.sm_factor, base::Need::required);
  v("kv_factor", s.kv_factor, base::Need::required);
  v("grouped_factor", s.grouped_factor, base::Need::required);
  v("layer_us", s.layer_us, base::Need::required);
  v("step_us", s.step_us, base::Need::required);
  v("request_us", s.request_us, base::Need::required);
  v("arrival_ms", s.arrival_ms, base::Need::required);
  v("launch_overlap", s.launch_overlap, base::Need::required);
  v("kv_copies", s.kv_copies, base::Need::required);
  v("split_kv", s.split_kv, base::Need::required);
  v("reduce_factor", s.reduce_factor, base::Need::required);
  v("repeated_kv", s.repeated_kv, base::Need::required);
  v("reread_kv", s.reread_kv, base::Need::required);
  v("expert_us", s.expert_us, base::Need::required);
  v("token_budget", s.token_budget, base::Need::required);
  v("max_requests", s.max_requests, base::Need::required);
  v("memory_share", s.memory_share, base::Need::required);
  v("free_share", s.free_share, base::Need::required);
  v("reserve_gib", s.reserve_gib, base::Need::required);
  v("window_cache", s.window_cache, base::Need::required);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingFormat>
void fields(V& v, S& s) {
  v("format", s.format, base::Need::required);
  v("engine", s.engine);
  v("attention_bytes", s.attention_bytes);
  v("version", s.version);
  v("compute", s.compute, base::Need::required);
  v("sm_factor", s.sm_factor, base::Need::required);
  v("matrix_factor", s.matrix_factor, base::Need::required);
  v("layer_factor", s.layer_factor, base::Need::required);
  v("copy_factor", s.copy_factor, base::Need::required);
  v("expert_us", s.expert_us);
  v("single_factor", s.single_factor);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingLink>
void fields(V& v, S& s) {
  v("link", s.link, base::Need::required);
  v("latency_us", s.latency_us, base::Need::required);
  v("rank_us", s.rank_us, base::Need::required);
  v("share", s.share, base::Need::required);
  v("assumed_gb_per_s", s.assumed_gb_per_s);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingRelease>
void fields(V& v, S& s) {
  v("engine", s.engine, base::Need::required);
  v("version", s.version, base::Need::required);
  v("gpu_factor", s.gpu_factor, base::Need::required);
  v("host_factor", s.host_factor, base::Need::required);
  v("request_factor", s.request_factor, base::Need::required);
  v("graph_context", s.graph_context);
  v("eager_layer_us", s.eager_layer_us);
  v("rolled_tokens", s.rolled_tokens);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingPair>
void fields(V& v, S& s) {
  v("engine", s.engine, base::Need::required);
  v("chip", s.chip, base::Need::required);
  v("matrix_factor", s.matrix_factor, base::Need::required);
  v("sm_factor", s.sm_factor, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingBand>
void fields(V& v, S& s) {
  v("engine", s.engine);
  v("chip", s.chip);
  v("mode", s.mode);
  v("moe", s.moe);
  v("low_percent", s.low_percent, base::Need::required);
  v("high_percent", s.high_percent, base::Need::required);
  v("rows", s.rows, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingGeneral>
void fields(V& v, S& s) {
  v("roofline_power", s.roofline_power, base::Need::required);
  v("bandwidth_power", s.bandwidth_power, base::Need::required);
  v("width_half", s.width_half, base::Need::required);
  v("activation_traffic", s.activation_traffic, base::Need::required);
  v("expert_imbalance", s.expert_imbalance, base::Need::required);
  v("all_to_all_share", s.all_to_all_share, base::Need::required);
  v("pipeline_loss", s.pipeline_loss, base::Need::required);
  v("length_spread", s.length_spread, base::Need::required);
  v("linear_layer_cost", s.linear_layer_cost, base::Need::required);
  v("safe_load", s.safe_load, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ServingCalibration>
void fields(V& v, S& s) {
  v("date", s.date, base::Need::required);
  v("general", s.general, base::Need::required);
  v("chips", s.chips, base::Need::required);
  v("engines", s.engines, base::Need::required);
  v("formats", s.formats, base::Need::required);
  v("links", s.links, base::Need::required);
  v("releases", s.releases, base::Need::required);
  v("pairs", s.pairs, base::Need::required);
  v("bands", s.bands, base::Need::required);
}

}  // namespace gpuadvise
