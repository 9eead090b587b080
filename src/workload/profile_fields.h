// How a profile is written: see base/fields.h. Keys and units are those of docs/reference/profile.md.
#pragma once

#include <array>
#include <concepts>

#include "gpuadvise/profile.h"
#include "gpuadvise/task.h"

#include "base/fields.h"

namespace gpuadvise {

constexpr auto names(Method) { return std::to_array<std::string_view>({"full", "freeze", "lora", "qlora"}); }
constexpr auto names(Precision) {
  return std::to_array<std::string_view>({"fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4", "nf4",
                                          "none", "mixed", "int16", "int32", "int64"});
}
constexpr auto names(Checkpointing) { return std::to_array<std::string_view>({"none", "selective", "full"}); }
constexpr auto names(Offload) { return std::to_array<std::string_view>({"none", "optimizer", "optimizer+params"}); }
constexpr auto names(FusedLoss) { return std::to_array<std::string_view>({"none", "liger", "chunked"}); }
constexpr auto names(ServingMode) { return std::to_array<std::string_view>({"static", "online", "offline"}); }
constexpr auto names(LinkKind) { return std::to_array<std::string_view>({"none", "pcie", "nvlink", "hccs"}); }
constexpr auto names(ChargePreference) {
  return std::to_array<std::string_view>({"on_demand", "spot", "month", "year"});
}
constexpr auto names(Objective) { return std::to_array<std::string_view>({"balanced", "cost", "speed", "latency"}); }
constexpr auto names(Bound) { return std::to_array<std::string_view>({"compute", "bandwidth", "mixed"}); }

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, Mla>
void fields(V& v, S& s) {
  v("q_lora_rank", s.q_lora_rank);
  v("kv_lora_rank", s.kv_lora_rank);
  v("qk_nope_dim", s.qk_nope_dim);
  v("qk_rope_dim", s.qk_rope_dim);
  v("v_dim", s.v_dim);
  v("index_heads", s.index_heads);
  v("index_dim", s.index_dim);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, LinearMixer>
void fields(V& v, S& s) {
  v("layers", s.layers);
  v("key_heads", s.key_heads);
  v("value_heads", s.value_heads);
  v("key_dim", s.key_dim);
  v("value_dim", s.value_dim);
  v("conv_kernel", s.conv_kernel);
  v("dt_rank", s.dt_rank);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, VisionTower>
void fields(V& v, S& s) {
  v("layers", s.layers);
  v("hidden", s.hidden);
  v("intermediate", s.intermediate);
  v("heads", s.heads);
  v("patch", s.patch);
  v("merge", s.merge);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, Architecture>
void fields(V& v, S& s) {
  v("layers", s.layers);
  v("hidden", s.hidden);
  v("intermediate", s.intermediate);
  v("heads", s.heads);
  v("kv_heads", s.kv_heads);
  v("head_dim", s.head_dim);
  v("vocab", s.vocab);
  v("experts", s.experts);
  v("experts_per_token", s.experts_per_token);
  v("moe_intermediate", s.moe_intermediate);
  v("shared_experts", s.shared_experts);
  v("dense_layers", s.dense_layers);
  v("mla", s.mla);
  v("sliding_window", s.sliding_window);
  v("attention_layers", s.attention_layers);
  v("tie_embeddings", s.tie_embeddings);
  v("gated_mlp", s.gated_mlp);
  v("encoder_layers", s.encoder_layers);
  v("max_positions", s.max_positions);
  v("linear_state", s.linear_state);
  v("vision_params", s.vision_params);
  v("attention_bias", s.attention_bias);
  v("window_layers", s.window_layers);
  v("window_kv_heads", s.window_kv_heads);
  v("window_head_dim", s.window_head_dim);
  v("kv_shared_layers", s.kv_shared_layers);
  v("mlp_layers", s.mlp_layers);
  v("shared_intermediate", s.shared_intermediate);
  v("moe_latent", s.moe_latent);
  v("mtp_layers", s.mtp_layers);
  v("attention_gate", s.attention_gate);
  v("linear", s.linear);
  v("vision", s.vision);
  v("value_head_dim", s.value_head_dim);
  v("other_params", s.other_params);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ModelSpec>
void fields(V& v, S& s) {
  v("name", s.name);
  v("params", s.params, base::Need::count);
  v("active_params", s.active_params, base::Need::count);
  v("architecture", s.architecture);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, TrainingSpec>
void fields(V& v, S& s) {
  v("method", s.method);
  v("lora_rank", s.lora_rank);
  v("lora_targets", s.lora_targets);
  v("base_weights", s.base_weights);
  v("precision", s.precision);
  v("master_weights", s.master_weights);
  v("optimizer", s.optimizer);
  v("sequence_length", s.sequence_length);
  v("micro_batch", s.micro_batch);
  v("global_batch", s.global_batch);
  v("activation_checkpointing", s.activation_checkpointing);
  v("flash_attention", s.flash_attention);
  v("offload", s.offload);
  v("fused_loss", s.fused_loss);
  v("compile", s.compile);
  v("optimizer_state_precision", s.optimizer_state_precision);
  v("gradient_precision", s.gradient_precision);
  v("framework", s.framework);
  v("resolution", s.resolution);
  v("frames", s.frames);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, Slo>
void fields(V& v, S& s) {
  v("ttft_ms", s.ttft_ms);
  v("tpot_ms", s.tpot_ms);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, InferenceSpec>
void fields(V& v, S& s) {
  v("weights", s.weights);
  v("kv_cache", s.kv_cache);
  v("engine", s.engine);
  v("input_tokens", s.input_tokens);
  v("output_tokens", s.output_tokens);
  v("concurrency", s.concurrency);
  v("requests_per_second", s.requests_per_second);
  v("mode", s.mode);
  v("max_context", s.max_context);
  v("gpu_memory_utilization", s.gpu_memory_utilization);
  v("beam_width", s.beam_width);
  v("resolution", s.resolution);
  v("frames", s.frames);
  v("steps", s.steps);
  v("audio_seconds", s.audio_seconds);
  v("prefix_cache_hit_rate", s.prefix_cache_hit_rate);
  v("speculative_acceptance", s.speculative_acceptance);
  v("off_peak_requests_per_second", s.off_peak_requests_per_second);
  v("slo", s.slo);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ParallelismSpec>
void fields(V& v, S& s) {
  v("tensor", s.tensor);
  v("pipeline", s.pipeline);
  v("virtual_pipeline", s.virtual_pipeline);
  v("data", s.data);
  v("expert", s.expert);
  v("context", s.context);
  v("sequence_parallel", s.sequence_parallel);
  v("zero_stage", s.zero_stage);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, HardwareSpec>
void fields(V& v, S& s) {
  v("accelerator", s.accelerator);
  v("accelerators_per_node", s.accelerators_per_node);
  v("nodes", s.nodes);
  v("interconnect", s.interconnect);
  v("inter_node_gbps", s.inter_node_gbps);
  v("instance_type", s.instance_type);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, SoftwareSpec>
void fields(V& v, S& s) {
  v("cuda", s.cuda);
  v("driver", s.driver);
  v("cudnn", s.cudnn);
  v("nccl", s.nccl);
  v("framework", s.framework);
  v("image", s.image);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, DataSpec>
void fields(V& v, S& s) {
  v("dataset_tokens", s.dataset_tokens, base::Need::count);
  v("dataset_samples", s.dataset_samples, base::Need::count);
  v("epochs", s.epochs);
  v("dataset_gib", s.dataset_gib);
  v("samples_per_vcpu", s.samples_per_vcpu);
  v("storage_mb_per_s", s.storage_mb_per_s);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, OperationsSpec>
void fields(V& v, S& s) {
  v("environment", s.environment);
  v("interruptible", s.interruptible);
  v("checkpointing", s.checkpointing);
  v("charge_type", s.charge_type);
  v("hours_per_month", s.hours_per_month);
  v("runs", s.runs);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, ConstraintsSpec>
void fields(V& v, S& s) {
  v("vendors", s.vendors);
  v("regions", s.regions);
  v("accelerators", s.accelerators);
  v("families", s.families);
  v("instance_types", s.instance_types);
  v("max_nodes", s.max_nodes);
  v("budget_per_hour", s.budget_per_hour);
  v("budget_total", s.budget_total);
  v("currency", s.currency);
  v("deadline_hours", s.deadline_hours);
  v("export_unrestricted", s.export_unrestricted);
  v("not_vendors", s.not_vendors);
  v("not_accelerators", s.not_accelerators);
  v("cuda_only", s.cuda_only);
  v("domestic_only", s.domestic_only);
  v("min_headroom", s.min_headroom);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, HpcSpec>
void fields(V& v, S& s) {
  v("app", s.app);
  v("case", s.case_name);
  v("precision", s.precision);
  v("bound", s.bound);
  v("arithmetic_intensity", s.arithmetic_intensity);
  v("hours_per_run", s.hours_per_run);
  v("memory_gib", s.memory_gib);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, RenderingSpec>
void fields(V& v, S& s) {
  v("app", s.app);
  v("version", s.version);
  v("scene", s.scene);
  v("kind", s.kind);
  v("resolution", s.resolution);
  v("samples", s.samples);
  v("frames", s.frames);
  v("minutes_per_frame", s.minutes_per_frame);
  v("scene_gib", s.scene_gib);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, TranscodingSpec>
void fields(V& v, S& s) {
  v("app", s.app);
  v("codec", s.codec);
  v("direction", s.direction);
  v("preset", s.preset);
  v("resolution", s.resolution);
  v("rate_control", s.rate_control);
  v("frame_rate", s.frame_rate);
}

template <class V, class S>
requires std::same_as<std::remove_const_t<S>, Profile>
void fields(V& v, S& s) {
  v("schema_version", s.schema_version);
  v("id", s.id);
  v("task", s.task);
  v("model", s.model);
  v("training", s.training);
  v("inference", s.inference);
  v("parallelism", s.parallelism);
  v("hardware", s.hardware);
  v("software", s.software);
  v("data", s.data);
  v("operations", s.operations);
  v("constraints", s.constraints);
  v("hpc", s.hpc);
  v("rendering", s.rendering);
  v("transcoding", s.transcoding);
}

}  // namespace gpuadvise
