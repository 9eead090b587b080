#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.h"
#include "workload/config_reader.h"
#include "workload/hf_config.h"
#include "workload/hf_layers.h"
#include "workload/hf_vision.h"

namespace gpuadvise {

namespace {

using base::Node;
using base::printable;

// Beyond these no model is, and sums of products stay finite.
constexpr int kMostLayers = 4096;
constexpr int kMostWidth = 1 << 20;
constexpr int kMostVocab = 1 << 24;
constexpr int kMostExperts = 1 << 16;

const ModelType* find_type(const Catalog& catalog, std::string_view id) {
  for (const auto& type : catalog.model_types) {
    if (type.id == id) return &type;
    if (std::find(type.aliases.begin(), type.aliases.end(), id) != type.aliases.end()) return &type;
  }
  return nullptr;
}

// The map that holds the language model: the file itself, or the part of a multimodal file.
const Node& language_part(const ConfigReader& root) {
  for (const char* key : {"text_config", "llm_config", "language_config", "thinker_config.text_config",
                          "text_model_config", "language_model_config", "decoder"}) {
    const Node* part = root.at(key);
    if (part == nullptr || !part->is(Node::Kind::map)) continue;
    const bool own_widths = root.field("hidden") != nullptr && root.field("layers") != nullptr;
    if (!own_widths || part->find("hidden_size") != nullptr) return *part;
  }
  return root.map();
}

class Config {
 public:
  Config(const Node& root, const std::string& name, const Catalog& catalog)
      : root_(root, name, catalog, out_.warnings),
        part_(language_part(root_)),
        text_(part_, name, catalog, out_.warnings),
        nested_(&part_ != &root) {}

  HfConfig read() {
    find_model_type();
    Architecture& a = out_.architecture;
    read_widths(a);
    read_experts(a);
    read_latent_attention(a);
    read_linear(a);
    read_layer_kinds(text_, type_, a);
    read_head_widths_of_windows(a);
    read_flags(a);
    read_encoder(a);
    if (read_vision(root_, a.hidden, a) && out_.kind == ModelKind::llm) out_.kind = ModelKind::vlm;
    finish(a);
    return std::move(out_);
  }

 private:
  void find_model_type() {
    const auto own = text_.text("model_type");
    const auto outer = root_.text("model_type");
    out_.model_type = own.value_or(outer.value_or(""));
    type_ = find_type(root_.catalog(), out_.model_type);
    if (type_ == nullptr && outer) {
      type_ = find_type(root_.catalog(), *outer);
      if (type_ != nullptr) out_.model_type = *outer;
    }
    out_.known_type = type_ != nullptr;
    // Llama 4's text part reads like Llama, but has one shared expert that no key names.
    if (type_ != nullptr && outer && *outer != out_.model_type) outer_ = find_type(root_.catalog(), *outer);
    if (type_ != nullptr) {
      out_.kind = type_->kind;
    } else {
      const Node* at = text_.at("model_type");
      text_.warn(at == nullptr ? root_.map() : *at,
                 fmt::format("{}: read like Llama (gated feed-forward, output projection of its own unless "
                             "tie_word_embeddings says otherwise, no biases unless attention_bias says so); check the "
                             "parameter count",
                             out_.model_type.empty() ? std::string("the file has no model_type")
                                                     : fmt::format("model_type \"{}\" is not one of the families known",
                                                                   printable(out_.model_type))));
    }
    if (const auto path = root_.text("_name_or_path");
        path && path->find('/') != std::string::npos && (*path)[0] != '/')
      out_.name = *path;
    for (const char* key : {"torch_dtype", "dtype"}) {
      auto dtype = text_.text(key);
      if (!dtype) dtype = root_.text(key);
      if (!dtype) continue;
      const std::string_view word =
          dtype->starts_with("torch.") ? std::string_view(*dtype).substr(6) : std::string_view(*dtype);
      if (word == "bfloat16" || word == "bf16") out_.dtype = "bf16";
      if (word == "float16" || word == "fp16" || word == "half") out_.dtype = "fp16";
      if (word == "float32" || word == "fp32" || word == "float") out_.dtype = "fp32";
      if (word.starts_with("float8")) out_.dtype = "fp8";
      break;
    }
  }

  // A width that the family's configuration class has a default for.
  int with_default(std::string_view field, int most, int Architecture::*member, bool needed) {
    if (const auto value = text_.integer(field, most)) return *value;
    const int preset = type_ == nullptr ? 0 : type_->defaults.*member;
    const bool basic = field == "layers" || field == "hidden";
    if (preset > 0 && (nested_ || !basic)) {
      text_.warn(part_, fmt::format("{} is not in the file; {} is the default of {}", field, preset, type_->id));
      return preset;
    }
    if (needed) {
      text_.fail(part_, fmt::format("no {}: none of {} is there", field, text_.spellings(field)));
    }
    return 0;
  }

  void read_widths(Architecture& a) {
    const bool listed = text_.at("layers_block_type") != nullptr || text_.at("hybrid_override_pattern") != nullptr;
    a.layers = with_default("layers", kMostLayers, &Architecture::layers, !listed);
    a.hidden = with_default("hidden", kMostWidth, &Architecture::hidden, true);
    const bool state_space = text_.field("linear_key_dim") != nullptr;
    a.heads = with_default("heads", kMostWidth, &Architecture::heads, !state_space);
    a.vocab = with_default("vocab", kMostVocab, &Architecture::vocab, false);
    if (a.vocab == 0 && out_.kind != ModelKind::vision) {
      text_.warn(part_, "vocab_size is missing: embedding and head are not counted");
    }
    a.intermediate = with_default("intermediate", kMostWidth, &Architecture::intermediate, false);
    if (a.intermediate == 0 && a.heads > 0) {
      const int ratio = text_.integer_key("expansion_ratio", 64).value_or(4);
      a.intermediate = ratio * a.hidden;
      if (text_.at("expansion_ratio") == nullptr && out_.known_type && type_->gated_mlp) {
        text_.warn(part_, "no width of the feed-forward block; four times the hidden width is taken");
      }
    }
    if (a.heads == 0) a.intermediate = 0;  // Mamba's intermediate_size is the mixer's own width
    if (type_ != nullptr && type_->intermediate_halved) a.intermediate /= 2;
    a.kv_heads = text_.integer("kv_heads", kMostWidth).value_or(0);
    if (const auto groups = text_.integer("multi_query_groups", kMostWidth);
        groups && text_.boolean_key("multi_query_attention") != false) {
      a.kv_heads = *groups;
    }
    if (text_.boolean_key("multi_query") == true && text_.boolean_key("new_decoder_architecture") != true) {
      a.kv_heads = 1;
    }
    if (a.kv_heads == 0 && type_ != nullptr) a.kv_heads = type_->defaults.kv_heads;
    a.head_dim = text_.integer("head_dim", kMostWidth).value_or(type_ == nullptr ? 0 : type_->defaults.head_dim);
    if (a.layers == 0 && !listed) text_.fail(part_, "the number of layers is zero");
    if (a.hidden == 0) text_.fail(part_, "the hidden width is zero");
    if (a.heads > 0 && a.kv_heads > 0 && a.heads % a.kv_heads != 0) {
      text_.fail(part_, fmt::format("{} attention heads cannot share {} key-value heads", a.heads, a.kv_heads));
    }
  }

  void read_experts(Architecture& a) {
    a.experts = text_.integer("experts", kMostExperts).value_or(0);
    if (text_.boolean_key("enable_moe_block") == false || a.experts == 1) a.experts = 0;
    if (a.experts == 0) return;
    const auto visited = text_.integer("experts_per_token", kMostExperts);
    if (!visited || *visited == 0) {
      text_.warn(part_, "experts without a count of those that a token visits; all are taken as active");
    }
    a.experts_per_token = visited.value_or(0) == 0 ? a.experts : std::min(*visited, a.experts);
    // Mixtral and Llama 4 call the experts' width intermediate_size.
    a.moe_intermediate = text_.integer("moe_intermediate", kMostWidth)
                             .value_or(text_.integer_key("intermediate_size", kMostWidth).value_or(a.intermediate));
    a.shared_experts = text_.integer("shared_experts", kMostExperts).value_or(0);
    a.shared_intermediate = text_.integer("shared_intermediate", kMostWidth).value_or(0);
    if (a.shared_experts == 0 && a.shared_intermediate > 0) a.shared_experts = 1;
    if (a.shared_experts == 0 && outer_ != nullptr) a.shared_experts = outer_->defaults.shared_experts;
    if (text_.boolean_key("enable_moe_block") == true) {
      a.shared_experts = 1;  // Gemma 4: the dense block runs beside the experts in each layer
      a.shared_intermediate = a.intermediate;
    }
    a.moe_latent = text_.integer("moe_latent", kMostWidth).value_or(0);
  }

  void read_latent_attention(Architecture& a) {
    a.mla.kv_lora_rank = text_.integer("kv_lora_rank", kMostWidth).value_or(0);
    if (a.mla.kv_lora_rank == 0) {
      a.value_head_dim = text_.integer("value_head_dim", kMostWidth).value_or(0);
      if (a.value_head_dim == a.head_dim) a.value_head_dim = 0;
      return;
    }
    a.mla.q_lora_rank = text_.integer("q_lora_rank", kMostWidth).value_or(0);
    a.mla.qk_nope_dim = text_.integer("qk_nope_dim", kMostWidth).value_or(0);
    a.mla.qk_rope_dim = text_.integer("qk_rope_dim", kMostWidth).value_or(0);
    a.mla.v_dim = text_.integer("value_head_dim", kMostWidth).value_or(0);
    if (a.mla.v_dim == 0 || a.mla.qk_nope_dim == 0) {
      // MiniCPM3 leaves the width of a value head to the division.
      const int each = a.heads > 0 ? a.hidden / a.heads : 0;
      if (a.mla.v_dim == 0) a.mla.v_dim = each;
      if (a.mla.qk_nope_dim == 0) text_.fail(part_, "kv_lora_rank without qk_nope_head_dim");
    }
    a.mla.index_heads = text_.integer("index_heads", kMostWidth).value_or(0);
    a.mla.index_dim = text_.integer("index_dim", kMostWidth).value_or(0);
    a.head_dim = a.mla.qk_nope_dim + a.mla.qk_rope_dim;
  }

  void read_linear(Architecture& a) {
    LinearMixer& m = a.linear;
    m.key_dim = text_.integer("linear_key_dim", kMostWidth).value_or(0);
    if (m.key_dim == 0 && text_.at("attn_type_list") == nullptr) return;
    m.conv_kernel = text_.integer("conv_kernel", 4096).value_or(0);
    m.value_heads = text_.integer("linear_value_heads", kMostWidth).value_or(0);
    if (m.key_dim == 0) {  // lightning attention: heads as in softmax attention
      m.value_heads = m.key_heads = a.heads;
      m.value_dim = m.key_dim = a.head_dim > 0 ? a.head_dim : a.hidden / std::max(a.heads, 1);
      return;
    }
    if (m.value_heads == 0 || text_.field("dt_rank") != nullptr) {  // Mamba-1 has no heads
      const Node* rank = text_.field("dt_rank");
      const int expand = text_.integer("mamba_expand", 64).value_or(2);
      m.value_heads = expand * a.hidden;
      m.value_dim = 1;
      m.key_heads = 1;
      m.dt_rank = rank != nullptr && rank->is_number() ? text_.integer("dt_rank", kMostWidth).value_or(0)
                                                       : (a.hidden + 15) / 16;
      return;
    }
    m.value_dim = text_.integer("linear_value_dim", kMostWidth).value_or(0);
    m.key_heads = text_.integer("linear_key_heads", kMostWidth)
                      .value_or(text_.at("linear_attn_config") != nullptr ? m.value_heads : 1);
  }

  void read_head_widths_of_windows(Architecture& a) {
    a.window_kv_heads = text_.integer("window_kv_heads", kMostWidth).value_or(0);
    a.window_head_dim = text_.integer("window_head_dim", kMostWidth).value_or(0);
    // Gemma 4 says it the other way round: heads of the full layers.
    if (const auto global = text_.integer("global_kv_heads", kMostWidth); global && *global > 0) {
      a.window_kv_heads = a.kv_heads;
      a.kv_heads = *global;
    }
    if (const auto global = text_.integer("global_head_dim", kMostWidth); global && *global > 0) {
      a.window_head_dim = a.head_dim;
      a.head_dim = *global;
    }
    a.kv_shared_layers = std::min(a.layers, text_.integer("kv_shared_layers", kMostLayers).value_or(0));
    if (const auto factor = text_.integer_key("cla_share_factor", 64);
        factor && *factor > 1 && text_.boolean_key("use_cla") != false) {
      a.kv_shared_layers = a.layers - a.layers / *factor;  // Hunyuan: one cache for each group of layers
    }
    a.mtp_layers = text_.integer("mtp_layers", 64).value_or(0);
  }

  void read_flags(Architecture& a) {
    a.gated_mlp = type_ == nullptr || type_->gated_mlp;
    if (const auto projection = text_.text("feed_forward_proj")) a.gated_mlp = projection->starts_with("gated");
    if (const auto act = text_.text("hidden_act"); act && (*act == "relu2" || *act == "xielu")) a.gated_mlp = false;
    if (const auto act = text_.text("activation_function"); act && *act == "swiglu") a.gated_mlp = true;

    auto tie = text_.boolean("tie_embeddings");
    if (nested_) {
      if (const auto outer = root_.boolean("tie_embeddings")) tie = tie ? *tie && *outer : *outer;
      if (!tie && type_ != nullptr) tie = type_->tie_embeddings;
    }
    a.tie_embeddings = tie.value_or(type_ != nullptr && type_->tie_embeddings);
    if (out_.kind == ModelKind::encoder || out_.kind == ModelKind::vision) a.tie_embeddings = true;

    // GLM and BLOOM spell biases of all projections in their own words; where the file says nothing the family's
    // default holds.
    const Node* bias = text_.field("attention_bias");
    a.attention_bias = bias != nullptr && bias->is(Node::Kind::boolean) ? *text_.boolean("attention_bias")
                       : type_ != nullptr                               ? type_->attention_bias
                                                                        : false;
    const Node* gate = text_.field("attention_gate");
    a.attention_gate = gate != nullptr && gate->is(Node::Kind::boolean)
                           ? *text_.boolean("attention_gate")
                           : type_ != nullptr && type_->defaults.attention_gate;
    if (type_ != nullptr && type_->learned_positions) {
      const int rows = text_.integer("max_positions", 1 << 26).value_or(type_->defaults.max_positions);
      a.max_positions = rows > 0 ? rows + type_->position_offset : 0;
    }
  }

  void read_encoder(Architecture& a) {
    if (out_.kind != ModelKind::encoder_decoder && out_.kind != ModelKind::speech) return;
    if (const auto decoder = text_.integer_key("num_decoder_layers", kMostLayers)) {
      a.encoder_layers = a.layers;  // T5: num_layers is the encoder's
      a.layers = *decoder;
    } else if (const auto decoder_layers = text_.integer_key("decoder_layers", kMostLayers)) {
      a.layers = *decoder_layers;
      a.encoder_layers = text_.integer("encoder_layers", kMostLayers).value_or(a.layers);
    } else {
      a.encoder_layers = text_.integer("encoder_layers", kMostLayers).value_or(a.layers);
    }
    if (out_.kind == ModelKind::encoder_decoder) {
      if (a.max_positions > 0) a.max_positions *= 2;  // encoder and decoder each have a table
      return;
    }
    // Whisper: two convolutions over mel bins, and fixed positions that the files hold.
    const double h = a.hidden;
    const double mel = text_.integer_key("num_mel_bins", 4096).value_or(80);
    const double frames = text_.integer_key("max_source_positions", 1 << 20).value_or(1500);
    a.vision_params += 3 * mel * h + 3 * h * h + frames * h;
  }

  void finish(Architecture& a) {
    if (out_.kind == ModelKind::vision) {
      const double patch = text_.integer_key("patch_size", 4096).value_or(16);
      const double image = text_.integer_key("image_size", 1 << 16).value_or(224);
      a.vision_params += 3 * patch * patch * a.hidden;
      a.max_positions = static_cast<int>(image / patch) * static_cast<int>(image / patch) + 1;
    }
    if (a.dense_layers > a.layers) a.dense_layers = a.layers;
    a = completed(a);
    const ParameterCount count = count_parameters(a);
    out_.params = count.total;
    out_.active_params = count.active;
    const Node* quantization = root_.at("quantization_config");
    if (quantization == nullptr) quantization = text_.at("quantization_config");
    if (quantization == nullptr) quantization = root_.at("compression_config");
    if (quantization != nullptr) {
      out_.quantization = read_quantization(*quantization, a.layers, root_.name(), out_.warnings);
    }
  }

  HfConfig out_;
  ConfigReader root_;
  const Node& part_;
  ConfigReader text_;
  bool nested_;
  const ModelType* type_ = nullptr;
  const ModelType* outer_ = nullptr;
};

}  // namespace

bool looks_like_hf_config(const Node& node) {
  if (!node.is(Node::Kind::map)) return false;
  static constexpr auto kMarks = std::to_array<std::string_view>(
      {"model_type", "architectures", "hidden_size", "num_hidden_layers", "n_embd", "d_model", "text_config",
       "torch_dtype", "num_attention_heads", "transformers_version"});
  return std::any_of(kMarks.begin(), kMarks.end(), [&](auto key) { return node.find(key) != nullptr; });
}

HfConfig read_hf_config(const Node& root, const std::string& name, const Catalog& catalog) {
  if (!root.is(Node::Kind::map)) {
    throw InputError(Place{name, root.line, root.column},
                     fmt::format("a config.json is a map, found {}", base::kind_name(root.kind)));
  }
  return Config(root, name, catalog).read();
}

}  // namespace gpuadvise
