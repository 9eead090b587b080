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
};

// A transformer. Zero means "has none" for experts and MLA ranks; unknown architectures are absent as a whole.
struct Architecture {
  int layers = 0;
  int hidden = 0;
  int intermediate = 0;    // width of the dense feed-forward block
  int heads = 0;
  int kv_heads = 0;        // 0 when read: same as heads
  int head_dim = 0;        // 0 when read: hidden / heads
  int vocab = 0;
  int experts = 0;         // routed experts per MoE layer
  int experts_per_token = 0;
  int moe_intermediate = 0;
  int shared_experts = 0;
  int dense_layers = 0;    // leading layers without experts
  Mla mla;
  int sliding_window = 0;    // tokens; 0: none
  int attention_layers = 0;  // how many layers keep a full KV cache, for hybrids; 0: all
  bool tie_embeddings = false;
  bool gated_mlp = true;
  // Extensions beyond the profile contract, all optional in files.
  int encoder_layers = 0;       // encoder-decoder and encoder-only models; layers counts decoder layers then
  int max_positions = 0;        // learned position table, tokens; 0: none or rotary
  int linear_state = 0;         // recurrent state elements per linear-attention or Mamba layer
  double vision_params = 0;     // parameters of a vision tower, included in the total
  bool attention_bias = false;
};

enum class ModelKind : std::uint8_t { llm, vlm, encoder, encoder_decoder, diffusion, speech, vision, recsys };

// A part of a pipeline that is resident on its own (diffusion: transformer or U-Net, text encoders, VAE).
struct ModelComponent {
  std::string_view name;   // transformer, unet, text_encoder, text_encoder_2, vae, encoder, decoder
  double params;
};

struct Model {
  std::string_view id;      // qwen2.5-7b-instruct, lower case
  std::string_view name;    // as its maker spells it
  std::span<const std::string_view> aliases;
  ModelKind kind;
  double params;            // total
  double active_params;     // per token; equals params for dense models
  std::optional<Architecture> architecture;
  std::span<const ModelComponent> components;
  std::optional<double> gflops_per_sample;  // forward pass, multiply-add counted as 2, at the stated resolution
  std::optional<int> resolution;            // pixels a side that gflops_per_sample is for
  std::optional<double> activation_mib_per_sample;  // training, fp32, no checkpointing, at the stated resolution
  std::string_view trained_in;  // precision it was trained in: bf16, fp16, fp8, fp32; empty: unknown
  std::string_view hf_id;
  bool verified;            // the count computed from the architecture is within 1 % of the published one
  std::span<const std::string_view> sources;
  std::string_view note;
};

}  // namespace gpuadvise
