// Model architectures: the shape that memory and FLOPs follow from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gpuadvise {

// Multi-head latent attention: widths of its projections; kv_lora_rank 0 means the model has none.
struct Mla {
  int q_lora_rank = 0;
  int kv_lora_rank = 0;
  int qk_nope_dim = 0;
  int qk_rope_dim = 0;
  int v_dim = 0;
  int index_heads = 0;  // sparse attention's indexer: heads, and the width of the key it caches per token and layer
  int index_dim = 0;
};

// A layer with recurrent state instead of a KV cache: Mamba-2 (key heads are its groups, key_dim its state width),
// gated delta nets, lightning attention; with dt_rank above zero Mamba-1 (value_heads is its inner width, value_dim 1).
struct LinearMixer {
  int layers = 0;  // how many of the model's layers; 0: none
  int key_heads = 0;
  int value_heads = 0;
  int key_dim = 0;
  int value_dim = 0;
  int conv_kernel = 0;
  int dt_rank = 0;
};

// A vision tower (ViT) in front of a language model. Its parameters are Architecture::vision_params.
struct VisionTower {
  int layers = 0;  // 0: the model has none, or its shape is unknown
  int hidden = 0;
  int intermediate = 0;
  int heads = 0;
  int patch = 0;  // pixels a side
  int merge = 0;  // patches a side that become one token of the language model; 0 or 1: none
};

// A transformer. Zero means "has none" for experts, ranks and extensions; an unknown architecture is absent as a whole.
// completed() in src/workload/architecture.h fills the zeros that stand for a rule; layer_counts() says how many layers
// are of which kind.
struct Architecture {
  int layers = 0;
  int hidden = 0;
  int intermediate = 0;  // width of the dense feed-forward block
  int heads = 0;
  int kv_heads = 0;  // 0 when read: same as heads
  int head_dim = 0;  // 0 when read: hidden / heads
  int vocab = 0;
  int experts = 0;  // routed experts per MoE layer
  int experts_per_token = 0;
  int moe_intermediate = 0;
  int shared_experts = 0;
  int dense_layers = 0;  // layers without experts (most often the leading ones)
  Mla mla;
  int sliding_window = 0;  // tokens; 0: none
  int attention_layers =
      0;  // layers that keep a full KV cache, for hybrids; 0: all that are not window or linear layers
  bool tie_embeddings = false;
  bool gated_mlp = true;
  // Extensions beyond the profile contract, all optional in files.
  int encoder_layers =
      0;                  // encoder-decoder models only, `layers` are the decoder's; an encoder-only model has `layers`
  int max_positions = 0;  // learned position table, tokens; 0: none or rotary
  int linear_state = 0;   // recurrent state elements per linear layer; 0 when read: from `linear`
  double vision_params = 0;     // vision tower or audio front end with its projector; included in the total
  bool attention_bias = false;  // on the query, key and value projections
  int window_layers = 0;        // layers bounded by sliding_window; 0 with a window and no attention_layers: all
  int window_kv_heads = 0;      // of window layers, where they differ; 0: same
  int window_head_dim = 0;
  int kv_shared_layers = 0;     // layers that reuse another layer's keys and values
  int mlp_layers = 0;           // layers with a feed-forward part or experts; 0: all
  int shared_intermediate = 0;  // width of all shared experts together; 0: shared_experts * moe_intermediate
  int moe_latent = 0;           // width that routed experts work in; 0: hidden
  int mtp_layers = 0;           // multi-token prediction layers: in the files, not in the total
  bool attention_gate = false;  // the query projection also makes an output gate of the same width
  LinearMixer linear;
  VisionTower vision;
  int value_head_dim = 0;   // of values and the output projection's input, where it differs from head_dim
  double other_params = 0;  // what no field above describes (per-layer embeddings, position networks); in the total
};

enum class ModelKind : std::uint8_t { llm, vlm, encoder, encoder_decoder, diffusion, speech, vision, recsys };

// A part of a pipeline that is resident on its own (diffusion: transformer or U-Net, text encoders, VAE).
struct ModelComponent {
  std::string_view name;  // transformer, unet, text_encoder, text_encoder_2, vae, encoder, decoder, embedding_tables
  double params;
};

struct Model {
  std::string_view id;    // qwen2.5-7b-instruct, lower case
  std::string_view name;  // as its maker spells it
  std::span<const std::string_view> aliases;
  ModelKind kind;
  double params;         // total
  double active_params;  // per text token; equals params for dense models without a vision tower
  std::optional<Architecture> architecture;
  std::span<const ModelComponent> components;
  std::optional<double> gflops_per_sample;  // forward pass, multiply-add counted as 2, at the stated resolution
  std::optional<int> resolution;            // pixels a side that the figures per sample are for
  // Outputs of all convolutions, matrix products and look-ups of one sample's forward pass, elements, at the stated
  // resolution: what memory of models without an architecture follows from.
  std::optional<double> activations_per_sample;
  std::string_view trained_in;  // precision it was trained in: bf16, fp16, fp8, fp32; empty: unknown
  std::string_view hf_id;
  bool verified;  // the count computed from the architecture is within 1 % of the published one
  std::span<const std::string_view> sources;
  std::string_view note;
};

// The shape of a well-known dense model, from which the shape of a model is inferred that is known by size alone.
struct TypicalShape {
  std::string_view like;  // the model's id
  int layers;
  int hidden;
  int intermediate;
  int heads;
  int kv_heads;
  int head_dim;
  int vocab;
  bool tie_embeddings;
  std::span<const std::string_view> sources;
};

}  // namespace gpuadvise
