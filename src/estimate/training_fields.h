// How data/calibration/training.yaml is written: see base/fields.h.
#pragma once

#include <array>
#include <concepts>

#include "gpuadvise/calibration/training.h"

#include "base/fields.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

constexpr auto names(KernelGeneration) { return std::to_array<std::string_view>({"first", "second", "third"}); }

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ChipTraining>
void fields(V& v, S& s) {
  v("chip_class", s.chip_class, base::Need::required);
  v("accelerators", s.accelerators);
  v("matrix_share", s.matrix_share, base::Need::required);
  v("fp32_share", s.fp32_share, base::Need::required);
  v("tf32_share", s.tf32_share, base::Need::required);
  v("fp8_keep", s.fp8_keep, base::Need::required);
  v("moe_keep", s.moe_keep, base::Need::required);
  v("bandwidth_share", s.bandwidth_share, base::Need::required);
  v("attention_first", s.attention_first, base::Need::required);
  v("attention_second", s.attention_second, base::Need::required);
  v("attention_third", s.attention_third, base::Need::required);
  v("attention_short", s.attention_short, base::Need::required);
  v("watts_per_tflops", s.watts_per_tflops, base::Need::required);
  v("host_factor", s.host_factor, base::Need::required);
  v("network_gbps", s.network_gbps, base::Need::required);
  v("source", s.source, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, FrameworkTraining>
void fields(V& v, S& s) {
  v("name", s.name, base::Need::required);
  v("aliases", s.aliases);
  v("kernels", s.kernels, base::Need::required);
  v("device_time", s.device_time, base::Need::required);
  v("elementwise", s.elementwise, base::Need::required);
  v("launch_ms", s.launch_ms, base::Need::required);
  v("adapter_launch", s.adapter_launch, base::Need::required);
  v("moe_launch_ms", s.moe_launch_ms, base::Need::required);
  v("sharded_launch_ms", s.sharded_launch_ms, base::Need::required);
  v("step_ms", s.step_ms, base::Need::required);
  v("chunks", s.chunks);
  v("tensor_overlap", s.tensor_overlap, base::Need::required);
  v("data_overlap", s.data_overlap, base::Need::required);
  v("expert_overlap", s.expert_overlap, base::Need::required);
  v("network_share", s.network_share, base::Need::required);
  v("pieces_per_layer", s.pieces_per_layer, base::Need::required);
  v("gradient_bytes", s.gradient_bytes, base::Need::required);
  v("monthly_gain", s.monthly_gain);
  v("reference_month", s.reference_month);
  v("even_stages", s.even_stages);
  v("whole_attention", s.whole_attention);
  v("source", s.source, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, LinkTraining>
void fields(V& v, S& s) {
  v("link", s.link, base::Need::required);
  v("share", s.share, base::Need::required);
  v("latency_us", s.latency_us, base::Need::required);
  v("gb_per_s", s.gb_per_s, base::Need::required);
  v("source", s.source, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, TrainingBand>
void fields(V& v, S& s) {
  v("framework", s.framework);
  v("chip_class", s.chip_class);
  v("moe", s.moe);
  v("multi_node", s.multi_node);
  v("adapters", s.adapters);
  v("low_percent", s.low_percent, base::Need::required);
  v("high_percent", s.high_percent, base::Need::required);
  v("rows", s.rows, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, TrainingCompanion>
void fields(V& v, S& s) {
  v("model", s.model, base::Need::required);
  v("task", s.task, base::Need::required);
  v("extra_time", s.extra_time, base::Need::required);
  v("source", s.source, base::Need::required);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, TrainingCalibration>
void fields(V& v, S& s) {
  v("date", s.date, base::Need::required);
  v("chips", s.chips, base::Need::required);
  v("frameworks", s.frameworks, base::Need::required);
  v("links", s.links, base::Need::required);
  v("companions", s.companions);
  v("bands", s.bands);
  v("matrix_traffic", s.matrix_traffic, base::Need::required);
  v("attention_narrow", s.attention_narrow, base::Need::required);
  v("norm_traffic", s.norm_traffic, base::Need::required);
  v("activation_traffic", s.activation_traffic, base::Need::required);
  v("score_traffic", s.score_traffic, base::Need::required);
  v("score_share", s.score_share, base::Need::required);
  v("unaligned_share", s.unaligned_share, base::Need::required);
  v("logit_bytes", s.logit_bytes, base::Need::required);
  v("fused_logit_bytes", s.fused_logit_bytes, base::Need::required);
  v("optimizer_bytes", s.optimizer_bytes, base::Need::required);
  v("accumulate_bytes", s.accumulate_bytes, base::Need::required);
  v("host_optimizer_ns", s.host_optimizer_ns, base::Need::required);
  v("dequant_bytes", s.dequant_bytes, base::Need::required);
  v("dequant_int8_bytes", s.dequant_int8_bytes, base::Need::required);
  v("adapter_bytes", s.adapter_bytes, base::Need::required);
  v("permute_bytes", s.permute_bytes, base::Need::required);
  v("expert_imbalance", s.expert_imbalance, base::Need::required);
  v("compile_gain", s.compile_gain, base::Need::required);
  v("hop_latency_us", s.hop_latency_us, base::Need::required);
  v("tcp_share", s.tcp_share, base::Need::required);
  v("highest_share", s.highest_share, base::Need::required);
  v("power_exponent", s.power_exponent, base::Need::required);
  v("encoder_finetune", s.encoder_finetune, base::Need::required);
  v("scan_traffic", s.scan_traffic, base::Need::required);
  v("masked_share", s.masked_share, base::Need::required);
  v("freeze_layers", s.freeze_layers, base::Need::required);
  v("tokens_per_vcpu", s.tokens_per_vcpu, base::Need::required);
}

}  // namespace gpuadvise
