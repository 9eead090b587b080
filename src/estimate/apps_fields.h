// How data/calibration/apps.yaml is written: see base/fields.h.
#pragma once

#include <array>
#include <concepts>

#include "gpuadvise/calibration/apps.h"

#include "base/fields.h"
#include "catalog/catalog_fields.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

constexpr auto names(Resource) {
  return std::to_array<std::string_view>({"fp64", "fp64_matrix", "fp32", "tensor", "issue", "bandwidth", "clock",
                                          "rays", "graphics", "encode", "encode_one", "decode", "fixed"});
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ReferenceCard>
void fields(V& v, S& s) {
  v("accelerator", s.accelerator, base::Need::required);
  v("chip_class", s.chip_class, base::Need::required);
  v("fp64", s.fp64);
  v("fp64_matrix", s.fp64_matrix);
  v("fp32", s.fp32, base::Need::required);
  v("fp16", s.fp16);
  v("bf16", s.bf16);
  v("tf32", s.tf32);
  v("fp8", s.fp8);
  v("int8", s.int8);
  v("memory_gib", s.memory_gib);
  v("memory_bandwidth_gb_per_s", s.memory_bandwidth_gb_per_s, base::Need::required);
  v("boost_clock_mhz", s.boost_clock_mhz);
  v("l2_mib", s.l2_mib);
  v("tdp_w", s.tdp_w);
  v("sm_count", s.sm_count);
  v("rt_core_count", s.rt_core_count);
  v("nvenc_count", s.nvenc_count);
  v("nvdec_count", s.nvdec_count);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ChipTuning>
void fields(V& v, S& s) {
  v("chip_class", s.chip_class);
  v("accelerator", s.accelerator);
  v("bandwidth", s.bandwidth);
  v("issue", s.issue);
  v("latency", s.latency);
  v("watts", s.watts);
  v("flops_per_clock", s.flops_per_clock);
  v("fp32", s.fp32);
  v("fp16_eff", s.fp16_eff);
  v("bf16_eff", s.bf16_eff);
  v("tf32_eff", s.tf32_eff);
  v("fp32_eff", s.fp32_eff);
  v("fp8_eff", s.fp8_eff);
  v("int8_eff", s.int8_eff);
  v("rays", s.rays);
  v("graphics", s.graphics);
  v("encode", s.encode);
  v("fp64_per_fp32", s.fp64_per_fp32);
  v("boost_clock_mhz", s.boost_clock_mhz);
  v("sources", s.sources);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ResourceShare>
void fields(V& v, S& s) {
  v("resource", s.resource, base::Need::required);
  v("share", s.share, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, WorkClass>
void fields(V& v, S& s) {
  v("id", s.id, base::Need::required);
  v("reference", s.reference, base::Need::required);
  v("precision", s.precision);
  v("shares", s.shares, base::Need::required);
  v("overlap", s.overlap);
  v("latency_size", s.latency_size);
  v("size_word", s.size_word);
  v("latency_share", s.latency_share);
  v("card_loss", s.card_loss);
  v("node_loss", s.node_loss);
  v("slice_exponent", s.slice_exponent);
  v("band_low_percent", s.band_low_percent);
  v("band_high_percent", s.band_high_percent);
  v("sources", s.sources);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, WorkSelector>
void fields(V& v, S& s) {
  v("kind", s.kind, base::Need::required);
  v("app", s.app);
  v("words", s.words);
  v("precision", s.precision);
  v("bound", s.bound);
  v("work_class", s.work_class, base::Need::required);
  v("sources", s.sources);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, AppCardFactor>
void fields(V& v, S& s) {
  v("app", s.app, base::Need::required);
  v("words", s.words);
  v("detail", s.detail);
  v("precision", s.precision);
  v("accelerator", s.accelerator);
  v("chip_class", s.chip_class);
  v("factor", s.factor, base::Need::required);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, CaseMeasurement>
void fields(V& v, S& s) {
  v("app", s.app, base::Need::required);
  v("case", s.case_name);
  v("detail", s.detail);
  v("accelerator", s.accelerator, base::Need::required);
  v("accelerators", s.accelerators);
  v("nodes", s.nodes);
  v("value", s.value, base::Need::required);
  v("reference_value", s.reference_value, base::Need::required);
  v("unit", s.unit, base::Need::required);
  v("lower_is_better", s.lower_is_better);
  v("source", s.source, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, MediaEngine>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("training", s.training);
  v("latency", s.latency);
  v("efficiency", s.efficiency);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, MediaVariant>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("gflops", s.gflops, base::Need::required);
  v("params", s.params);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, MediaModel>
void fields(V& v, S& s) {
  v("id", s.id, base::Need::required);
  v("names", s.names);
  v("kind", s.kind);
  v("training", s.training);
  v("efficiency", s.efficiency, base::Need::required);
  v("bytes_per_flop", s.bytes_per_flop, base::Need::required);
  v("latency_us", s.latency_us, base::Need::required);
  v("gflops", s.gflops);
  v("gflops_once", s.gflops_once);
  v("params", s.params);
  v("flops_per_token_pair", s.flops_per_token_pair);
  v("megapixels", s.megapixels);
  v("frames", s.frames);
  v("square_share", s.square_share);
  v("online_factor", s.online_factor);
  v("audio_seconds", s.audio_seconds);
  v("default_steps", s.default_steps);
  v("variants", s.variants);
  v("band_low_percent", s.band_low_percent);
  v("band_high_percent", s.band_high_percent);
  v("calibrated", s.calibrated);
  v("sources", s.sources);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, MediaTuning>
void fields(V& v, S& s) {
  v("overlap", s.overlap);
  v("capped_exponent", s.capped_exponent);
  v("peak_limit", s.peak_limit);
  v("cache_exponent", s.cache_exponent);
  v("clock_exponent", s.clock_exponent);
  v("online_factor", s.online_factor);
  v("training_latency", s.training_latency);
  v("training_flops", s.training_flops);
  v("train_loss_fast_link", s.train_loss_fast_link);
  v("train_loss_pcie", s.train_loss_pcie);
  v("train_loss_node", s.train_loss_node);
  v("context_exponent", s.context_exponent);
  v("saturated_batch", s.saturated_batch);
  v("slice_exponent", s.slice_exponent);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, StreamPreset>
void fields(V& v, S& s) {
  v("id", s.id, base::Need::required);
  v("task", s.task, base::Need::required);
  v("reference", s.reference, base::Need::required);
  v("words", s.words);
  v("megapixels_per_second", s.megapixels_per_second, base::Need::required);
  v("memory_gib", s.memory_gib, base::Need::required);
  v("graphics_share", s.graphics_share, base::Need::required);
  v("default", s.default_preset);
  v("band_low_percent", s.band_low_percent);
  v("band_high_percent", s.band_high_percent);
  v("sources", s.sources);
  v("note", s.note);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, AppsCalibration>
void fields(V& v, S& s) {
  v("date", s.date, base::Need::required);
  v("note", s.note);
  v("power_exponent", s.power_exponent);
  v("unmeasured_widening", s.unmeasured_widening);
  v("references", s.references);
  v("chips", s.chips);
  v("classes", s.classes);
  v("selectors", s.selectors);
  v("app_cards", s.app_cards);
  v("cases", s.cases);
  v("media", s.media);
  v("engines", s.engines);
  v("models", s.models);
  v("encoder_megapixels_per_second", s.encoder_megapixels_per_second);
  v("streams", s.streams);
}

}  // namespace gpuadvise
