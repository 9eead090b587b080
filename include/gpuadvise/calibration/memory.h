// Constants of the memory estimates: data/calibration/memory.yaml. Formulas and their sources: docs/method/memory.md.
// Classes are keyed by the names that profiles use; a name that no class knows is answered by the class "general" with
// the widest band.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace gpuadvise {

// What a memory figure counts. allocated: live tensors, as torch.cuda.max_memory_allocated prints; reserved: what the
// framework's allocator holds; device: everything on the card, as nvidia-smi and npu-smi print.
enum class MemoryMeter : unsigned char { allocated, reserved, device };

// One number of the physics that is the same everywhere.
struct MemoryConstant {
  std::string_view name;
  double value = 0;
  std::string_view unit;
  std::string_view meaning;
  std::string_view source;     // where it comes from, or
  std::string_view fitted_on;  // the measurements that it was fitted on
};

// What a column of the class tables below means.
struct MemoryColumn {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
};

// A training framework. Activation columns are bytes per token and layer, by the width they grow with: hidden, query
// (heads x head_dim), key_value (both), mlp (intermediate). An empty value is taken from "general".
struct TrainingMemoryClass {
  std::string_view name;
  std::span<const std::string_view> aliases;
  std::span<const std::string_view> models;  // starts of names of models that bring modelling code of this kind
  std::optional<MemoryMeter> meter;          // what the framework's own reports print
  std::optional<double> hidden;              // all weights trained
  std::optional<double> query;
  std::optional<double> key_value;
  std::optional<double> mlp_gated;
  std::optional<double> mlp_plain;
  std::optional<double> frozen_hidden;  // weights frozen, adapters trained
  std::optional<double> frozen_query;
  std::optional<double> frozen_key_value;
  std::optional<double> frozen_mlp_gated;
  std::optional<double> frozen_mlp_plain;
  std::optional<double> selective_hidden;  // selective checkpointing that recomputes operators; empty: attention
  std::optional<double> selective_query;   // scores alone are recomputed
  std::optional<double> selective_key_value;
  std::optional<double> selective_mlp;
  std::optional<double> adapter_input;       // per input element of an adapted projection
  std::optional<double> quantised_input;     // per input element of a 4-bit projection (bitsandbytes keeps it)
  std::optional<double> checkpoint;          // bytes per token, layer and hidden element that full checkpointing keeps
  std::optional<double> logits;              // bytes per token and vocabulary entry
  std::optional<double> fused_logits;        // the same with a fused or chunked loss
  std::optional<double> gradient;            // bytes per parameter beside fp32 master weights
  std::optional<double> sharded_gradient;    // bytes per parameter that the optimizer's shard adds (fp32 copy)
  std::optional<double> step_temporaries;    // bytes per trained parameter during the optimizer step, pure 16-bit
  std::optional<double> boundary;            // hidden-sized 16-bit tensors per micro-batch in flight
  std::optional<double> buckets_gib;         // communication buffers when more than one rank or ZeRO is on
  std::optional<double> live_parameters;     // ZeRO-3: parameters gathered at once, at most
  std::optional<double> gathered_layers;     // ZeRO-3: layers gathered at once (FSDP)
  std::optional<double> base_gib;            // cuBLAS workspace, kernels' scratch
  std::optional<double> reserved_factor;     // reserved / allocated
  std::optional<double> static_gradients;    // 1: gradient buffers exist during the forward pass
  std::optional<double> pipeline_unsharded;  // 1: FSDP keeps parameters and fp32 gradients whole under pipeline stages
  std::optional<double> naive_pipeline;      // 1: pipeline stages run one after the other (device_map)
  std::optional<double> layernorm_saves;     // of hidden, less with fused layer norms (models without a gate)
  std::optional<double> frozen_layernorm_saves;  // the same with frozen weights
  std::optional<double> adapter_weight;          // bytes of an adapter weight; its gradient is as large
  std::optional<double> zero_logits;             // logits when a ZeRO engine computes in 16 bits without autocast
  std::optional<double>
      slack_logits;  // bytes per token and vocabulary entry that the allocator keeps after variable lengths
  std::optional<double> slack_checkpoint;     // the same per token, layer and hidden element
  std::optional<double> slack_scores;         // the same per byte of attention scores
  std::optional<double> extra_buffers;        // micro-batches in flight beyond the pipeline depth
  std::optional<double> compile_activations;  // torch.compile: activations kept, share
  std::optional<double> compile_logits;       // torch.compile: logits kept, share
  std::optional<double> fp8_activations;      // fp8 compute: activations kept, share
  std::optional<double> adapter_master;       // bytes per adapter parameter that a ZeRO engine adds (fp32 master)
  std::string_view source;
  std::string_view fitted_on;
  std::string_view note;
};

// A serving engine.
struct ServingMemoryClass {
  std::string_view name;
  std::span<const std::string_view> aliases;
  std::span<const std::string_view> models;  // starts of names of models that bring modelling code of this kind
  std::optional<MemoryMeter> meter;
  std::optional<double> pooled;          // 1: fills its share of the card with KV cache whatever the model
  std::optional<double> utilization;     // default of the engine's memory knob
  std::optional<double> pool_extra_gib;  // on the card beside the pool: context, graphs
  std::optional<double> free_share;      // 1: the knob is a share of what is free after the weights
  std::optional<double> prefill_hidden;  // bytes per token of the prefill batch and hidden element
  std::optional<double> prefill_query;
  std::optional<double> prefill_mlp;
  std::optional<double> prefill_logits;   // bytes per prompt token and vocabulary entry
  std::optional<double> scores;           // bytes per head and length squared (no flash attention)
  std::optional<double> kv_growth;        // peak / final size of the cache (concatenation copies)
  std::optional<double> preallocates;     // 1: the cache is allocated for max_context at start
  std::optional<double> chunked_prefill;  // tokens of one prefill pass, at most; 0: whole prompts
  std::optional<double> page_tokens;      // tokens per page of the cache
  std::optional<double> load_factor;      // peak while loading / weights
  std::optional<double> quantised_head;   // further bytes per embedding entry beside quantised layers
  std::optional<double> fills;            // 1: pooled and fills the card although nobody set the knob
  std::optional<double> base_gib;
  std::optional<double> graphs_gib;
  std::string_view source;
  std::string_view fitted_on;
  std::string_view note;
};

// How weights are stored. bytes is per parameter of the quantised layers, block overhead included.
struct WeightFormat {
  std::string_view name;
  std::span<const std::string_view> aliases;
  double bytes = 2;
  std::optional<double> embedding_bytes;  // embedding and head; empty: as the rest
  std::optional<double> buffer_rows;  // a kernel's buffer: the largest matrix in 16 bits and as many rows of its input
  std::optional<double> untied;       // 1: tied tables are stored apart in this format
  std::string_view source;
};

struct OptimizerMemory {
  std::string_view name;
  std::span<const std::string_view> aliases;
  double states = 8;            // bytes per trained parameter, fp32 states
  double states_16bit = 4;      // with 16-bit states (pure 16-bit training)
  double step_temporaries = 1;  // 1: the step makes temporaries of the size of its update; 0: it does not
  double paged = 0;             // 1: states may move to host memory under pressure
  std::string_view source;
};

// Image and video models, known by the parameters of their parts: activations go by latent tokens (8-fold VAE, 2 x 2
// patches, 4-fold in time) and grow with the parameters to a power.
struct MediaMemoryClass {
  std::string_view name;      // the trained or denoising component: transformer, unet
  double train_mib = 0;       // per token at 1e9 parameters, no checkpointing
  double checkpoint_mib = 0;  // with full checkpointing
  double infer_mib = 0;
  double exponent = 0;
  double extra_tokens = 0;  // per sample: text
  double decode_bytes = 0;  // per pixel of an image while the VAE decodes it
  std::string_view source;
  std::string_view fitted_on;
  std::string_view note;
};

// Measured error of a class, percent; from the tables in docs/accuracy.md.
struct MemoryBand {
  std::string_view task;   // training, serving, media
  std::string_view name;   // framework or engine class; "general": names without a class
  double low_percent = 0;  // 10th percentile of predicted / measured - 1
  double high_percent = 0;
  int rows = 0;
};

struct MemoryCalibration {
  std::string_view date;  // when it was fitted; empty: not loaded
  std::span<const MemoryConstant> constants;
  std::span<const MemoryColumn> columns;
  std::span<const TrainingMemoryClass> training;
  std::span<const ServingMemoryClass> serving;
  std::span<const WeightFormat> weights;
  std::span<const OptimizerMemory> optimizers;
  std::span<const MediaMemoryClass> media;
  std::span<const MemoryBand> bands;
};

}  // namespace gpuadvise
