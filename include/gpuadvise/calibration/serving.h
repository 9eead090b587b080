// What the serving-speed formulas need beside the accelerator's sheet and the model's shape. Shares are of the sheet's
// dense peak or nominal bandwidth, factors are relative to the row they refine; times are in microseconds unless named
// otherwise. Fitted on published measurements (docs/method/serving-speed.md); the values live in
// data/calibration/serving.yaml.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace gpuadvise {

// What well written kernels reach on one chip. `chip` is an accelerator id, else a chip_class; "" is any other chip.
struct ServingChip {
  std::string_view chip;
  double matrix_share;                  // wide 16-bit matrices, of dense peak
  double fp8_factor;                    // FP8 and INT8 matrices keep this much of matrix_share
  double fp4_factor;                    // FP4 likewise
  double grouped_factor;                // matrices of experts likewise
  double attention_share;               // prefill attention, of dense 16-bit peak
  double bandwidth_share;               // streaming weights, of nominal bandwidth
  double sm_bandwidth_gb_per_s;         // what each SM (or core) streams of weights in a small batch
  double sm_alone_gb_per_s;             // what one SM reads of a KV cache while most others idle
  double kv_share;                      // reading the KV cache, of nominal bandwidth
  std::optional<double> tensor_tflops;  // 16-bit dense peak to assume where the catalog has none
  std::string_view note;
};

// What an engine adds to or takes from the chip.
struct ServingEngine {
  std::string_view engine;  // "" is any other engine
  std::span<const std::string_view> aliases;
  double matrix_factor;
  double attention_factor;
  double bandwidth_factor;
  double sm_factor;  // of what each SM streams
  double kv_factor;
  double grouped_factor;  // matrices of experts, of what the chip reaches on them
  double layer_us;        // launches and gaps of one layer in one pass
  double step_us;         // host time of one pass
  double request_us;      // host time of one running request in one pass
  double arrival_ms;      // from a request's arrival to its first pass
  double launch_overlap;  // power of the norm that joins launches with GPU work: 1 adds, large takes the larger
  double kv_copies;       // KV bytes copied a pass for each byte that attention reads (eager cache)
  double split_kv;        // 1: attention of one request is spread over the whole chip; 0: one SM for each KV head
  double reduce_factor;   // latency of an all-reduce against the link's
  double repeated_kv;     // KV bytes moved a pass for each query head of a group (keys repeated to every head)
  double reread_kv;       // of the cache, by each further query head where the group is no power of two
  double expert_us;       // host time of one expert visited, for engines that loop over experts
  double token_budget;    // tokens of one pass
  double max_requests;    // running requests of one replica
  double memory_share;    // of usable memory that weights, buffers and KV cache may take
  double free_share;      // of what weights and buffers leave of that, for the KV cache
  double reserve_gib;     // activations, graphs and buffers within that
  double window_cache;    // 1: layers with a window keep only that; 0: the whole context is held for them
  std::string_view note;
};

// How a weight format runs; its size is in the memory calibration. A row with an engine is for it alone. A name that
// ends in * stands for all that begin so.
struct ServingFormat {
  std::string_view format;
  std::string_view engine;
  std::optional<double> attention_bytes;  // of a weight of attention, where the format leaves those wider
  std::string_view version;               // of the engine, from which the row holds; empty: any
  std::string_view compute;               // precision of the matrix engine: fp32, tf32, fp16, fp8, fp4, int8
  double sm_factor;                       // what each SM streams of such weights, in bytes, against 16-bit ones
  double matrix_factor;                   // prefill against plain matrices of that precision
  double layer_factor;                    // launches against the 16-bit model
  double copy_factor;                     // of the engine's copies of the KV cache
  std::optional<double> expert_us;        // host time of one expert visited, where experts run one by one
  std::optional<double> single_factor;    // time of matrices and launches in a pass of one token, against this row's
  std::string_view note;
};

struct ServingLink {
  std::string_view link;                   // nvlink, pcie, hccs, network
  double latency_us;                       // of one all-reduce among two
  double rank_us;                          // more for each further rank
  double share;                            // of one direction's nominal bandwidth
  std::optional<double> assumed_gb_per_s;  // of one accelerator, both directions, where the machine states none
};

// Engines get faster with age: a release and those after it, up to the next row, against the engine's row.
struct ServingRelease {
  std::string_view engine;
  std::string_view version;
  double gpu_factor;                     // speed of GPU work
  double host_factor;                    // time of host and launches
  double request_factor;                 // host time of a running request
  std::optional<double> graph_context;   // tokens of context beyond which no graph is replayed
  std::optional<double> eager_layer_us;  // launches of one layer then
  // The cache has room for the answer's tokens only; when it is full, this many of the oldest are dropped at once.
  std::optional<double> rolled_tokens;
};

// Where an engine's kernels fit one chip better or worse than its row says.
struct ServingPair {
  std::string_view engine;
  std::string_view chip;  // id, chip class or architecture
  double matrix_factor;
  double sm_factor;
};

// Measured error of a class of rows, percent: the estimate is within [low, high] of the measurement for 8 rows of 10.
// Empty keys match everything; the first row that matches is used.
struct ServingBand {
  std::string_view engine;
  std::string_view chip;
  std::string_view mode;  // static, online, offline
  std::optional<bool> moe;
  double low_percent;
  double high_percent;
  int rows;  // measurements behind it; 0: none, the width is that of sources that were left out of the fit
};

// Constants of the formulas themselves.
struct ServingGeneral {
  double roofline_power;      // norm that joins compute and traffic of one matrix
  double bandwidth_power;     // norm that joins nominal and per-SM bandwidth
  double width_half;          // matrix width at which half the share is lost
  double activation_traffic;  // bytes of element-wise traffic for each token, layer and hidden value
  double expert_imbalance;    // most loaded expert group against the mean
  double all_to_all_share;    // of one direction's link bandwidth
  double pipeline_loss;       // time lost for each further stage while passes are in flight
  double length_spread;       // answers of one load differ in length by up to this share
  double linear_layer_cost;   // time of a layer with recurrent state against one with attention
  double safe_load;           // share of the saturated rate that a service is planned for
};

struct ServingCalibration {
  std::string_view date;  // when it was fitted; empty: not loaded
  ServingGeneral general;
  std::span<const ServingChip> chips;
  std::span<const ServingEngine> engines;
  std::span<const ServingFormat> formats;
  std::span<const ServingLink> links;
  std::span<const ServingRelease> releases;
  std::span<const ServingPair> pairs;
  std::span<const ServingBand> bands;
};

}  // namespace gpuadvise
