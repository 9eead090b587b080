// Constants of the training-speed model: docs/method/training-speed.md names the term that each one stands in.
// Shares are fractions of a documented peak (0..1), unless the comment says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpuadvise/profile.h"

namespace gpuadvise {

// What one chip class reaches. Found by Accelerator::chip_class; the class "*" serves chips that were never measured.
struct ChipTraining {
  std::string_view chip_class;
  std::span<const std::string_view> accelerators;  // ids, where a row is for some parts of the class only
  double matrix_share = 0;                         // large matrices in BF16 or FP16, of that peak
  double fp32_share = 0;                           // large matrices in FP32 without matrix engines, of that peak
  double tf32_share = 0;                           // large matrices in TF32, of that peak
  double fp8_keep = 0;                             // FP8 share over the BF16 share
  double moe_keep = 0;                             // grouped expert matrices over one matrix of the same size
  double bandwidth_share = 0;                      // memory bandwidth that streaming kernels reach
  // Fused attention, forward and backward, of the BF16 peak, by generation of the kernel.
  double attention_first = 0;   // FlashAttention-2 and Triton kernels of 2023
  double attention_second = 0;  // vendor kernels of 2024
  double attention_third = 0;   // kernels written for the generation (FlashAttention-3 and later)
  double attention_short = 0;   // tokens of a block at which fused attention reaches half of its share
  double watts_per_tflops = 0;  // of the part that the shares were measured on: board power over 16-bit peak
  double host_factor = 1;       // host time of launches over that of the framework: graphs in the recipes, faster hosts
  double network_gbps = 0;      // per node, taken when a job of several nodes does not state its network
  std::string_view source;      // where the numbers come from, or "fitted"
};

enum class KernelGeneration : std::uint8_t { first, second, third };

// What the training program adds on top of the chip. Found by name; "*" serves programs that were never measured.
struct FrameworkTraining {
  std::string_view name;
  std::span<const std::string_view> aliases;
  KernelGeneration kernels = KernelGeneration::first;
  double device_time = 1;        // multiplies matrix, attention and elementwise time
  double elementwise = 1;        // multiplies elementwise traffic: below 1 fused kernels, above 1 eager
  double launch_ms = 0;          // host time of one layer and pass, milliseconds
  double adapter_launch = 1;     // multiplies launch_ms when adapters are trained
  double moe_launch_ms = 0;      // added per layer and pass of routed experts, milliseconds
  double sharded_launch_ms = 0;  // added per layer and pass when weights are gathered (ZeRO-3, FSDP), milliseconds
  double step_ms = 0;            // fixed host time of an optimizer step, milliseconds
  double chunks = 1;             // virtual pipeline stages of its recipes, taken when the profile names none
  double tensor_overlap = 0;     // share of tensor-parallel traffic hidden behind compute
  double data_overlap = 0;       // share of data-parallel traffic that may hide behind compute
  double expert_overlap = 0;     // share of expert all-to-all hidden behind compute
  double network_share = 0;      // share of the network's nominal rate that gradient traffic reaches
  double pieces_per_layer = 1;   // collectives that sharded weights or gradients of a layer are sent in
  double gradient_bytes = 2;     // bytes of one gradient element as it is sent
  double monthly_gain = 0;       // log of speed gained a month of releases, where software.framework ends in YY.MM
  double reference_month = 0;    // months since 2000 that the other numbers stand for
  bool even_stages = false;      // cuts the pipeline by cost, head included, not by layers
  bool whole_attention = false;  // reports attention FLOPs without the causal half
  std::string_view source;
};

// One kind of link between the accelerators of a node.
struct LinkTraining {
  LinkKind link = LinkKind::none;
  double share = 0;       // of the one-way nominal rate, for large collectives
  double latency_us = 0;  // of one collective
  double gb_per_s = 0;    // both ways, taken when neither the machine nor the accelerator states a rate
  std::string_view source;
};

// Band of the measured error of a class of rows, percent of the measured speed: predicted is within [low, high] of
// measured for 8 rows of 10. Empty keys match everything; the first row that matches is used.
struct TrainingBand {
  std::string_view framework;
  std::string_view chip_class;
  std::optional<bool> moe;
  std::optional<bool> multi_node;
  std::optional<bool> adapters;
  double low_percent = 0;
  double high_percent = 0;
  int rows = 0;  // measurements behind it
};

// Work that a recipe runs beside the model itself, in time over the model's own.
struct TrainingCompanion {
  std::string_view model;  // id in the model library
  std::string_view task;
  double extra_time = 0;
  std::string_view source;
};

struct TrainingCalibration {
  std::string_view date;  // when it was fitted; empty: not loaded
  std::span<const ChipTraining> chips;
  std::span<const FrameworkTraining> frameworks;
  std::span<const LinkTraining> links;
  std::span<const TrainingCompanion> companions;
  std::span<const TrainingBand> bands;

  double matrix_traffic = 0;    // operand and result bytes of a matrix product that do not hide behind its FLOPs, share
  double attention_narrow = 0;  // head width at which fused attention reaches half of its share
  double norm_traffic = 0;      // elements moved per token and hidden unit, forward, of norms, residuals and dropout
  double activation_traffic = 0;  // elements moved per token and feed-forward unit, forward
  double score_traffic = 0;       // elements moved per attention score, forward, where attention is not fused
  double score_share = 0;         // unfused score products, of the matrix share
  double unaligned_share = 0;  // unfused score products when the head width is not a multiple of 8, of the matrix share
  double logit_bytes = 0;      // bytes moved per logit by an unfused loss, forward and backward
  double fused_logit_bytes = 0;   // the same for a fused or chunked loss
  double optimizer_bytes = 0;     // bytes moved per trained parameter by one AdamW update
  double accumulate_bytes = 0;    // bytes moved per trained parameter to add a micro-batch to the gradients
  double host_optimizer_ns = 0;   // nanoseconds per parameter and rank of an update on the host
  double dequant_bytes = 0;       // bytes moved per 4-bit weight and pass to restore it
  double dequant_int8_bytes = 0;  // the same for 8-bit weights
  double adapter_bytes = 0;       // bytes moved per token, adapted matrix and unit of its width, forward
  double permute_bytes = 0;       // bytes moved per token, chosen expert and hidden unit, forward, to sort tokens
  double expert_imbalance = 0;    // tokens on the fullest expert rank over the mean
  double compile_gain = 0;        // elementwise traffic that remains with torch.compile, share
  double hop_latency_us = 0;      // of one step of a ring that leaves the node, microseconds
  double tcp_share = 0;           // of the network's nominal rate, without RDMA
  double highest_share = 1;       // of a peak, that no product, attention kernel or stream exceeds
  double power_exponent = 0;      // how far the board's power moves the matrix share
  double encoder_finetune = 1;    // device time of fine-tuning an encoder over its pre-training
  double scan_traffic = 0;        // elements moved per token and unit of a recurrent mixer, forward
  double masked_share = 0;        // share of tokens that an encoder's pre-training predicts
  double freeze_layers = 0;       // trained layers of method "freeze"
  double tokens_per_vcpu = 0;     // tokens/s that one virtual CPU prepares
};

}  // namespace gpuadvise
