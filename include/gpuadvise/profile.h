// The workload profile: what a person, a script or a test asks about. Every field but the task is optional; what is
// left out is taken from the task's preset and listed as an assumption (see workload.h). Field names, nesting and
// units are a contract: docs/reference/profile.md. Views point into the Arena that the profile was read with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpuadvise/model.h"

namespace gpuadvise {

enum class Method : std::uint8_t { full, freeze, lora, qlora };
// Compute precisions and storage formats share one list; not every one makes sense everywhere.
// `mixed` is an HPC code that keeps FP64 where it must and FP32 elsewhere.
enum class Precision : std::uint8_t {
  fp64,
  fp32,
  tf32,
  fp16,
  bf16,
  fp8,
  fp4,
  int8,
  int4,
  nf4,
  none,
  mixed,
  int16,
  int32,
  int64
};
enum class Checkpointing : std::uint8_t { none, selective, full };
enum class Offload : std::uint8_t { none, optimizer, optimizer_params };
enum class FusedLoss : std::uint8_t { none, liger, chunked };
enum class ServingMode : std::uint8_t { batch_static, online, offline };
enum class LinkKind : std::uint8_t { none, pcie, nvlink, hccs };
enum class ChargePreference : std::uint8_t { on_demand, spot, month, year };
enum class Bound : std::uint8_t { compute, bandwidth, mixed };
enum class Objective : std::uint8_t { balanced, cost, speed, latency };

struct ModelSpec {
  std::optional<std::string_view> name;
  std::optional<double> params;         // total; "13B" is accepted
  std::optional<double> active_params;  // per token
  std::optional<Architecture> architecture;
};

struct TrainingSpec {
  std::optional<Method> method;
  std::optional<int> lora_rank;
  std::optional<std::span<const std::string_view>> lora_targets;  // all-linear, attention, or projection names
  std::optional<Precision> base_weights;
  std::optional<Precision> precision;
  std::optional<Precision> master_weights;  // fp32 or none
  std::optional<std::string_view> optimizer;
  std::optional<int> sequence_length;  // tokens
  std::optional<int> micro_batch;      // per data-parallel rank and forward pass
  std::optional<int> global_batch;     // per optimizer step
  std::optional<Checkpointing> activation_checkpointing;
  std::optional<bool> flash_attention;
  std::optional<Offload> offload;
  std::optional<FusedLoss> fused_loss;
  std::optional<bool> compile;
  std::optional<Precision> optimizer_state_precision;
  std::optional<Precision> gradient_precision;
  std::optional<std::string_view> framework;
  std::optional<std::string_view> resolution;  // "512" or "1024x1024"
  std::optional<int> frames;
};

struct Slo {
  std::optional<double> ttft_ms;
  std::optional<double> tpot_ms;
};

struct InferenceSpec {
  std::optional<std::string_view> weights;  // bf16, awq-int4, gguf-q4_k_m, ... (data/quantization)
  std::optional<std::string_view> kv_cache;
  std::optional<std::string_view> engine;
  std::optional<int> input_tokens;
  std::optional<int> output_tokens;
  std::optional<double> concurrency;          // requests in flight per replica
  std::optional<double> requests_per_second;  // offered load over all replicas
  std::optional<ServingMode> mode;
  std::optional<int> max_context;
  std::optional<double> gpu_memory_utilization;
  std::optional<int> beam_width;
  std::optional<std::string_view> resolution;
  std::optional<int> frames;
  std::optional<int> steps;
  std::optional<double> audio_seconds;
  std::optional<double> prefix_cache_hit_rate;   // 0..1, share of input tokens found in the cache
  std::optional<double> speculative_acceptance;  // mean accepted tokens per verification step, >= 1
  std::optional<double> off_peak_requests_per_second;
  std::optional<Slo> slo;
};

struct ParallelismSpec {
  std::optional<int> tensor;
  std::optional<int> pipeline;
  std::optional<int> virtual_pipeline;
  std::optional<int> data;
  std::optional<int> expert;
  std::optional<int> context;
  std::optional<bool> sequence_parallel;
  std::optional<int> zero_stage;
};

struct HardwareSpec {
  std::optional<std::string_view> accelerator;
  std::optional<double> accelerators_per_node;
  std::optional<int> nodes;
  std::optional<LinkKind> interconnect;
  std::optional<double> inter_node_gbps;
  std::optional<std::string_view> instance_type;
};

struct SoftwareSpec {
  std::optional<std::string_view> cuda;
  std::optional<std::string_view> driver;
  std::optional<std::string_view> cudnn;
  std::optional<std::string_view> nccl;
  std::optional<std::string_view> framework;
  std::optional<std::string_view> image;
};

struct DataSpec {
  std::optional<double> dataset_tokens;
  std::optional<double> dataset_samples;
  std::optional<double> epochs;
  std::optional<double> dataset_gib;
  std::optional<double> samples_per_vcpu;  // that one vCPU decodes and augments in a second, as measured
  std::optional<double> storage_mb_per_s;  // that one machine reads, as measured or rented
};

struct OperationsSpec {
  std::optional<std::string_view> environment;
  std::optional<bool> interruptible;
  std::optional<bool> checkpointing;
  std::optional<ChargePreference> charge_type;
  std::optional<double> hours_per_month;  // that the machines run; of 730
  std::optional<int> runs;                // independent runs of the whole job: a sweep
};

struct ConstraintsSpec {
  std::optional<std::span<const std::string_view>> vendors;
  std::optional<std::span<const std::string_view>> regions;
  std::optional<std::span<const std::string_view>> accelerators;
  std::optional<std::span<const std::string_view>> families;
  std::optional<std::span<const std::string_view>> instance_types;
  std::optional<int> max_nodes;
  std::optional<double> budget_per_hour;
  std::optional<double> budget_total;
  std::optional<std::string_view> currency;
  std::optional<double> deadline_hours;
  std::optional<bool> export_unrestricted;
  std::optional<std::span<const std::string_view>> not_vendors;
  std::optional<std::span<const std::string_view>> not_accelerators;
  std::optional<bool> cuda_only;
  std::optional<bool> domestic_only;   // accelerators of makers in China
  std::optional<double> min_headroom;  // share of usable memory that stays free, 0 to 1
};

struct HpcSpec {
  std::optional<std::string_view> app;
  std::optional<std::string_view> case_name;  // key "case"
  std::optional<Precision> precision;
  std::optional<Bound> bound;
  std::optional<double> arithmetic_intensity;  // FLOP per byte
  std::optional<double> hours_per_run;         // measured on one nvidia-a100-sxm4-80gb
  std::optional<double> memory_gib;            // what the problem takes, spread over all cards
};

struct RenderingSpec {
  std::optional<std::string_view> app;
  std::optional<std::string_view> version;
  std::optional<std::string_view> scene;
  std::optional<std::string_view> kind;
  std::optional<std::string_view> resolution;
  std::optional<int> samples;
  std::optional<int> frames;                // to render in all
  std::optional<double> minutes_per_frame;  // measured on one nvidia-a10
  std::optional<double> scene_gib;          // geometry, textures and acceleration structure, on every card
};

struct TranscodingSpec {
  std::optional<std::string_view> app;
  std::optional<std::string_view> codec;
  std::optional<std::string_view> direction;
  std::optional<std::string_view> preset;
  std::optional<std::string_view> resolution;
  std::optional<std::string_view> rate_control;
  std::optional<double> frame_rate;  // frames a second of one stream
};

struct Profile {
  std::optional<int> schema_version;
  std::optional<std::string_view> id;
  std::optional<std::string_view> task;
  ModelSpec model;
  TrainingSpec training;
  InferenceSpec inference;
  ParallelismSpec parallelism;
  HardwareSpec hardware;
  SoftwareSpec software;
  DataSpec data;
  OperationsSpec operations;
  ConstraintsSpec constraints;
  HpcSpec hpc;
  RenderingSpec rendering;
  TranscodingSpec transcoding;
};

}  // namespace gpuadvise
