#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "workload/hf_layers.h"

namespace gpuadvise {

namespace {

using base::Node;

constexpr int kMostLayers = 4096;

struct Counts {
  int full = 0;
  int window = 0;
  int linear = 0;
  int moe = 0;  // blocks that are nothing but experts
  int mlp = 0;  // blocks that are nothing but a feed-forward
  int total() const { return full + window + linear + moe + mlp; }
};

// The words of transformers' layer_types and of the models' own code.
bool count_word(const std::string& word, Counts& n) {
  if (word == "full_attention" || word == "attention" || word == "global" || word == "global_attention") {
    ++n.full;
  } else if (word == "sliding_attention" || word == "chunked_attention" || word == "local" ||
             word == "local_attention" || word == "sliding_window") {
    ++n.window;
  } else if (word == "linear_attention" || word == "mamba" || word == "mamba2" || word == "recurrent" ||
             word == "conv" || word == "lightning_attention") {
    ++n.linear;
  } else if (word == "moe" || word == "sparse") {
    ++n.moe;
  } else if (word == "mlp" || word == "dense") {
    ++n.mlp;
  } else {
    return false;
  }
  return true;
}

// The letters of Nemotron-H: M Mamba-2, * attention, E experts, - feed-forward.
bool count_letter(char letter, Counts& n) {
  switch (letter) {
    case 'M':
      ++n.linear;
      return true;
    case '*':
      ++n.full;
      return true;
    case 'E':
    case 'O':
      ++n.moe;
      return true;
    case '-':
      ++n.mlp;
      return true;
    default:
      return false;
  }
}

std::optional<Counts> from_lists(const ConfigReader& reader) {
  for (const char* key : {"layer_types", "layers_block_type", "attention_layers", "block_types"}) {
    const Node* node = reader.at(key);
    if (node == nullptr || !node->is(Node::Kind::list) || node->items.empty()) continue;
    if (!node->items.front().is(Node::Kind::string)) continue;
    if (node->items.size() > kMostLayers) reader.fail(*node, fmt::format("{}: more than {} layers", key, kMostLayers));
    Counts n;
    for (const auto& item : node->items) {
      if (count_word(item.text, n)) continue;
      reader.warn(item, fmt::format("{}: \"{}\" is not a kind of layer known here; taken as full attention", key,
                                    base::printable(item.text)));
      ++n.full;
    }
    return n;
  }
  if (const auto pattern = reader.text("hybrid_override_pattern")) {
    const Node& node = *reader.at("hybrid_override_pattern");
    if (pattern->size() > kMostLayers) reader.fail(node, "hybrid_override_pattern: longer than any model");
    Counts n;
    for (const char letter : *pattern) {
      if (letter == '|' || letter == ' ') continue;
      if (!count_letter(letter, n)) {
        reader.fail(node, fmt::format("hybrid_override_pattern: \"{}\" is none of M, *, E, -",
                                      base::printable(std::string(1, letter))));
      }
    }
    return n;
  }
  // Numbers: 1 is full attention in attn_type_list (MiniMax), and a window in hybrid_layer_pattern (MiMo-V2).
  for (const auto& [key, one_is_full] : {std::pair{"attn_type_list", true}, std::pair{"hybrid_layer_pattern", false}}) {
    const Node* node = reader.at(key);
    if (node == nullptr || !node->is(Node::Kind::list)) continue;
    if (node->items.size() > kMostLayers) reader.fail(*node, fmt::format("{}: more than {} layers", key, kMostLayers));
    Counts n;
    for (const auto& item : node->items) {
      const bool one = item.text == "1";
      if (one == one_is_full) {
        ++n.full;
      } else if (one_is_full) {
        ++n.linear;
      } else {
        ++n.window;
      }
    }
    return n;
  }
  return std::nullopt;
}

// Layers i in [0, layers) with i % period == offset.
int periodic(int layers, int period, int offset) {
  int n = 0;
  for (int i = 0; i < layers; ++i) n += i % period == offset ? 1 : 0;
  return n;
}

std::optional<int> full_by_period(const ConfigReader& reader, int layers) {
  if (const auto interval = reader.integer("full_attention_interval", kMostLayers); interval && *interval > 0) {
    return layers / *interval;
  }
  if (const auto period = reader.integer_key("attn_layer_period", kMostLayers); period && *period > 0) {
    return periodic(layers, *period, reader.integer_key("attn_layer_offset", kMostLayers).value_or(0));
  }
  for (const char* key : {"attn_layer_indices", "linear_attn_config.full_attn_layers"}) {
    const Node* node = reader.at(key);
    if (node != nullptr && node->is(Node::Kind::list)) return static_cast<int>(node->items.size());
  }
  return std::nullopt;
}

// Layers without experts.
int dense_layers(const ConfigReader& reader, const Architecture& a) {
  if (const Node* node = reader.at("mlp_layer_types"); node != nullptr && node->is(Node::Kind::list)) {
    return static_cast<int>(
        std::count_if(node->items.begin(), node->items.end(), [](const Node& i) { return i.text == "dense"; }));
  }
  if (const Node* node = reader.at("moe_layer_freq"); node != nullptr && node->is(Node::Kind::list)) {
    return static_cast<int>(
        std::count_if(node->items.begin(), node->items.end(), [](const Node& i) { return i.text == "0"; }));
  }
  if (const Node* node = reader.at("moe_layers"); node != nullptr && node->is(Node::Kind::list)) {
    return std::max(0, a.layers - static_cast<int>(node->items.size()));
  }
  if (const auto listed = reader.text("moe_layers_enum")) {
    const auto parts = base::split(*listed, ',');
    return std::max(0, a.layers - static_cast<int>(parts.size()));
  }
  if (const auto period = reader.integer_key("expert_layer_period", kMostLayers); period && *period > 0) {
    return a.layers - periodic(a.layers, *period, reader.integer_key("expert_layer_offset", kMostLayers).value_or(0));
  }
  if (const auto step = reader.integer_key("interleave_moe_layer_step", kMostLayers); step && *step > 1) {
    return a.layers - a.layers / *step;
  }
  int dense = std::min(a.layers, reader.integer("dense_layers", kMostLayers).value_or(0));
  const auto step = reader.integer_key("decoder_sparse_step", kMostLayers)
                        .value_or(reader.integer_key("moe_layer_freq", kMostLayers)
                                      .value_or(reader.integer_key("moe_layer_interval", kMostLayers).value_or(1)));
  if (step > 1) dense += (a.layers - dense) - (a.layers - dense) / step;
  if (const Node* only = reader.at("mlp_only_layers"); only != nullptr && only->is(Node::Kind::list)) {
    dense = std::min(a.layers, dense + static_cast<int>(only->items.size()));
  }
  return dense;
}

void read_window(const ConfigReader& reader, const ModelType* type, Architecture& a, bool listed) {
  const Node* node = reader.field("sliding_window");
  if (node != nullptr && node->is_number()) {
    a.sliding_window = reader.integer("sliding_window", 1 << 26).value_or(0);
  }
  if (reader.boolean_key("use_sliding_window") == false) a.sliding_window = 0;
  if (a.sliding_window == 0 || listed) return;
  const int softmax = a.layers - a.linear.layers;
  int full = 0;
  if (const Node* no_rope = reader.at("no_rope_layers"); no_rope != nullptr && no_rope->is(Node::Kind::list)) {
    // Llama 4: 0 marks a layer without rotary positions, which sees everything.
    full = static_cast<int>(
        std::count_if(no_rope->items.begin(), no_rope->items.end(), [](const Node& i) { return i.text == "0"; }));
  } else if (reader.at("attention_chunk_size") != nullptr && reader.at("sliding_window") == nullptr) {
    const int interval = reader.integer_key("no_rope_layer_interval", kMostLayers).value_or(4);
    full = interval > 0 ? softmax / interval : 0;
  } else if (const auto first = reader.integer_key("global_attn_every_n_layers", kMostLayers); first && *first > 0) {
    full = periodic(softmax, *first, 0);
  } else if (const auto every = reader.integer("window_every", kMostLayers); every && *every > 0) {
    full = softmax / *every;
  } else if (reader.at("max_window_layers") != nullptr && reader.boolean_key("use_sliding_window") == true) {
    full = std::min(softmax, reader.integer_key("max_window_layers", kMostLayers).value_or(0));
  } else if (type != nullptr && type->window_every > 0) {
    full = softmax / type->window_every;
  }
  a.attention_layers = full;
  a.window_layers = softmax - full;
}

}  // namespace

void read_layer_kinds(const ConfigReader& reader, const ModelType* type, Architecture& a) {
  const auto listed = from_lists(reader);
  if (listed) {
    if (a.layers == 0) a.layers = listed->total();
    if (listed->total() != a.layers) {
      reader.warn(reader.map(),
                  fmt::format("the list of layer kinds has {} entries for {} layers", listed->total(), a.layers));
    }
    a.attention_layers = listed->full;
    a.window_layers = listed->window;
    a.linear.layers = listed->linear;
    if (listed->moe + listed->mlp > 0) {
      a.mlp_layers = listed->moe + listed->mlp;
      if (a.experts > 0) a.dense_layers = a.layers - listed->moe;
    }
  } else if (const auto full = full_by_period(reader, a.layers)) {
    a.attention_layers = std::min(*full, a.layers);
    a.linear.layers = a.layers - a.attention_layers;
  } else if (a.heads == 0) {
    a.linear.layers = a.layers;  // a state-space model through and through
  }
  read_window(reader, type, a, listed.has_value());
  if (a.window_layers > 0 && a.sliding_window == 0) {
    reader.warn(reader.map(), "some layers attend within a window whose width the file does not give; taken as full");
    a.attention_layers += a.window_layers;
    a.window_layers = 0;
  }
  if (a.window_layers == 0) a.sliding_window = 0;
  if (a.attention_layers == a.layers) a.attention_layers = 0;
  if (a.experts > 0 && a.mlp_layers == 0) a.dense_layers = dense_layers(reader, a);
}

}  // namespace gpuadvise
