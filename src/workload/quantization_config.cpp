#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "workload/quantization_config.h"

namespace gpuadvise {

namespace {

using base::Node;
using base::printable;

constexpr std::size_t kMostIgnored = 100'000;

// Which part of a model a module's name or pattern speaks of. One pattern may speak of several.
struct Part {
  const char* sign;
  double KeptParts::*kept;
};
constexpr Part kParts[] = {
    {"lm_head", &KeptParts::head},
    {"output_layer", &KeptParts::head},
    {"embed", &KeptParts::embedding},
    {"self_attn", &KeptParts::attention},
    {"attention", &KeptParts::attention},
    {"linear_attn", &KeptParts::attention},
    {"mixer", &KeptParts::attention},
    {"shared_expert", &KeptParts::shared_experts},
    {"mlp.experts", &KeptParts::routed_experts},
    {"block_sparse_moe.experts", &KeptParts::routed_experts},
    {"feed_forward.experts", &KeptParts::routed_experts},
    {"router", &KeptParts::router},
    {"visual", &KeptParts::vision},
    {"vision", &KeptParts::vision},
    {"multi_modal_projector", &KeptParts::vision},
};

class Reader {
 public:
  Reader(const Node& config, int layers, const std::string& name, std::vector<ConfigWarning>& warnings)
      : config_(config), layers_(std::max(layers, 1)), name_(name), warnings_(warnings) {}

  Quantization read() {
    if (!config_.is(Node::Kind::map)) fail(config_, "quantization_config is not a map");
    q_.method = base::lower(word("quant_method").value_or(""));
    if (q_.method.empty()) q_.method = guess_method();
    if (q_.method == "gptq" || q_.method == "auto-round" || q_.method == "gptqmodel") {
      groups("gptq", 4);
    } else if (q_.method == "awq") {
      groups("awq", 4);
    } else if (q_.method == "bitsandbytes") {
      bitsandbytes();
    } else if (q_.method == "fp8" || q_.method == "fbgemm_fp8") {
      fp8();
    } else if (q_.method == "compressed-tensors") {
      compressed_tensors();
    } else if (q_.method == "modelopt" || q_.method == "modelopt_fp4") {
      modelopt();
    } else if (q_.method == "mxfp4") {
      set("mxfp4", 4, 32, 1);
    } else {
      unknown();
    }
    ignored();
    return std::move(q_);
  }

 private:
  [[noreturn]] void fail(const Node& at, std::string_view text) const {
    throw InputError(Place{name_, at.line, at.column}, text);
  }
  void warn(const Node& at, std::string text) {
    warnings_.push_back({Place{name_, at.line, at.column}, std::move(text)});
  }

  const Node* at(const Node& map, std::string_view key) const {
    const Node* node = map.is(Node::Kind::map) ? map.find(key) : nullptr;
    return node == nullptr || node->is(Node::Kind::null) ? nullptr : node;
  }
  std::optional<std::string> word(std::string_view key) const {
    const Node* node = at(config_, key);
    if (node == nullptr || node->is(Node::Kind::list) || node->is(Node::Kind::map)) return std::nullopt;
    return node->text;
  }
  bool flag(std::string_view key) const {
    const Node* node = at(config_, key);
    return node != nullptr && node->is(Node::Kind::boolean) && (node->text[0] == 't' || node->text[0] == 'T');
  }
  // A number from `least` to `most`.
  std::optional<double> number(const Node& map, std::string_view key, double least, double most) const {
    const Node* node = at(map, key);
    if (node == nullptr) return std::nullopt;
    double value = 0;
    bool good = node->is_number();
    if (good) {
      const auto [end, status] = std::from_chars(node->text.data(), node->text.data() + node->text.size(), value);
      good = status == std::errc{} && std::isfinite(value) && value >= least && value <= most;
    }
    if (!good) {
      fail(*node, fmt::format("quantization_config: {} must be a number from {} to {}, found \"{}\"", key, least, most,
                              printable(node->text.substr(0, 60))));
    }
    return value;
  }
  double bits(const Node& map, double fallback) {
    for (const char* key : {"bits", "w_bit", "num_bits"}) {
      if (const auto value = number(map, key, 1, 32)) return *value;
    }
    warn(map, fmt::format("quantization_config gives no bits; {} is taken", fallback));
    return fallback;
  }
  int group(const Node& map) const {
    for (const char* key : {"group_size", "q_group_size"}) {
      if (const auto value = number(map, key, -1, 1 << 20)) return *value <= 0 ? 0 : static_cast<int>(*value);
    }
    return 0;
  }

  void set(std::string weights, double bits_each, int group_size, double scale_bytes) {
    q_.weights = std::move(weights);
    q_.bits = bits_each;
    q_.group_size = group_size;
    q_.scale_bytes = scale_bytes;
  }

  std::string guess_method() {
    std::string guess;
    if (flag("load_in_4bit") || flag("load_in_8bit")) {
      guess = "bitsandbytes";
    } else if (at(config_, "config_groups") != nullptr) {
      guess = "compressed-tensors";
    } else if (at(config_, "quant_algo") != nullptr) {
      guess = "modelopt";
    }
    warn(config_,
         fmt::format("quantization_config has no quant_method; taken as {}", guess.empty() ? "unknown" : guess));
    return guess;
  }

  // GPTQ and AWQ: a 16-bit scale and a zero point of the weights' width for each group.
  void groups(const std::string& kind, double fallback) {
    const double width = bits(config_, fallback);
    set(fmt::format("{}-int{:.0f}", kind, width), width, group(config_), 2 + width / 8);
    if (flag("lm_head")) q_.kept.head = 0;
  }

  void bitsandbytes() {
    if (flag("load_in_8bit") || flag("_load_in_8bit")) {
      set("int8", 8, 0, 4);
      return;
    }
    q_.double_quantised = flag("bnb_4bit_use_double_quant");
    const auto kind = word("bnb_4bit_quant_type").value_or("fp4");
    // One fp32 scale for 64 weights; double quantisation makes it a byte and an fp32 for 256 of them.
    set(kind == "nf4" ? "nf4" : "fp4", 4, 64, q_.double_quantised ? 1 + 4.0 / 256 : 4);
  }

  void fp8() {
    int block = 0;
    if (const Node* size = at(config_, "weight_block_size"); size != nullptr && size->is(Node::Kind::list)) {
      double product = 1;
      for (const auto& item : size->items) {
        double value = 0;
        const auto [end, status] = std::from_chars(item.text.data(), item.text.data() + item.text.size(), value);
        if (status != std::errc{} || !(value >= 1 && value <= 65536))
          fail(item, "weight_block_size: a side from 1 to 65536");
        product *= value;
        if (product > 1e9) fail(item, "weight_block_size: beyond sense");
      }
      block = static_cast<int>(product);
    }
    set("fp8", 8, block, 4);
  }

  void compressed_tensors() {
    const Node* all = at(config_, "config_groups");
    if (all == nullptr || !all->is(Node::Kind::map) || all->members.empty()) {
      warn(config_, "compressed-tensors without config_groups; taken as 16-bit weights");
      set("bf16", 16, 0, 0);
      return;
    }
    if (all->members.size() > 1) {
      warn(*all,
           fmt::format("{} groups of modules are stored differently; the first is taken for all", all->members.size()));
    }
    const Node& first = all->members.front().value;
    const Node* weights = at(first, "weights");
    if (weights == nullptr) {
      warn(first, "a group of modules without weights; taken as 16-bit");
      set("bf16", 16, 0, 0);
      return;
    }
    const double width = bits(*weights, 8);
    const Node* type = at(*weights, "type");
    const bool floating = type != nullptr && type->text == "float";
    const int size = group(*weights);
    const bool activations = at(first, "input_activations") != nullptr;
    if (floating && width == 4) {
      const bool nv = size == 16 || size == 0;
      set(nv ? "nvfp4" : "mxfp4", 4, size == 0 ? 16 : size, 1);
    } else if (floating) {
      set("fp8", width, size, 4);
    } else if (width == 8 && activations) {
      set("w8a8", 8, size, 2);
    } else if (width == 8) {
      set("int8", 8, size, 2);
    } else {
      set(fmt::format("gptq-int{:.0f}", width), width, size, 2);
    }
  }

  void modelopt() {
    const Node* inner = at(config_, "quantization");
    const Node* algorithm = at(inner == nullptr ? config_ : *inner, "quant_algo");
    const std::string name = algorithm == nullptr ? std::string() : base::lower(algorithm->text);
    if (name.find("nvfp4") != std::string::npos || q_.method == "modelopt_fp4") {
      set("nvfp4", 4, 16, 1);
    } else if (name.find("fp8") != std::string::npos) {
      set("fp8", 8, 0, 4);
    } else if (name.find("w4a16") != std::string::npos || name.find("awq") != std::string::npos) {
      set("awq-int4", 4, 128, 2);
    } else {
      unknown();
    }
  }

  void unknown() {
    double width = 0;
    for (const char* key : {"bits", "w_bit", "num_bits", "nbits"}) {
      if (const auto value = number(config_, key, 1, 32)) width = *value;
    }
    const std::string what = q_.method.empty() ? std::string("a quantization without a method")
                                               : fmt::format("quantization method \"{}\"", printable(q_.method));
    if (width > 0) {
      warn(config_, fmt::format("{} is not one of those known; read as {} bits a weight in groups of {}", what, width,
                                group(config_)));
      set(fmt::format("int{:.0f}", width), width, group(config_), 2);
    } else {
      warn(config_, fmt::format("{} is not one of those known and gives no bits; taken as 16-bit weights", what));
      set("bf16", 16, 0, 0);
    }
  }

  void ignored() {
    const Node* inner = at(config_, "quantization");
    std::size_t seen = 0;
    for (const Node* map : {&config_, inner}) {
      if (map == nullptr) continue;
      for (const char* key : {"ignore", "modules_to_not_convert", "ignored_layers", "llm_int8_skip_modules",
                              "exclude_modules", "modules_to_not_quantize"}) {
        const Node* list = at(*map, key);
        if (list == nullptr) continue;
        if (!list->is(Node::Kind::list)) fail(*list, fmt::format("quantization_config: {} is not a list", key));
        for (const auto& item : list->items) {
          if (++seen > kMostIgnored)
            fail(item, fmt::format("quantization_config: more than {} names in {}", kMostIgnored, key));
          q_.ignored.push_back(item.text);
        }
      }
    }
    apply_ignored();
  }

  // The number in "model.layers.12.self_attn", if there is one.
  static std::optional<int> layer_of(std::string_view name) {
    const auto at = name.find("layers.");
    if (at == std::string_view::npos) return std::nullopt;
    int layer = 0;
    const char* first = name.data() + at + 7;
    const auto [end, status] = std::from_chars(first, name.data() + name.size(), layer);
    if (status != std::errc{} || layer < 0) return std::nullopt;
    return layer;
  }

  void apply_ignored() {
    std::vector<std::set<int>> layers(std::size(kParts));
    std::set<int> mlp_layers;
    std::set<int> whole_layers;
    bool all_mlp = false;
    std::size_t unknown_names = 0;
    for (const auto& name : q_.ignored) {
      const std::string text = base::lower(name);
      const auto layer = layer_of(text);
      bool known = false;
      for (std::size_t i = 0; i < std::size(kParts); ++i) {
        if (text.find(kParts[i].sign) == std::string::npos) continue;
        known = true;
        if (layer) {
          layers[i].insert(*layer);
        } else {
          q_.kept.*kParts[i].kept = 1;
        }
      }
      if (known) continue;
      const bool router = text.ends_with("mlp.gate") || text.ends_with(".gate") || text.ends_with("gate$");
      if (router) continue;
      if (text.find("mlp") != std::string::npos || text.find("feed_forward") != std::string::npos ||
          text.find("_proj") != std::string::npos) {
        if (layer) {
          mlp_layers.insert(*layer);
        } else {
          all_mlp = true;
        }
      } else if (layer) {
        whole_layers.insert(*layer);
      } else {
        ++unknown_names;
      }
    }
    const auto share = [&](const std::set<int>& some) {
      return std::min(1.0, static_cast<double>(some.size()) / layers_);
    };
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      double& kept = q_.kept.*kParts[i].kept;
      kept = std::max(kept, share(layers[i]));
    }
    q_.kept.dense_mlp = std::max(q_.kept.dense_mlp, all_mlp ? 1.0 : share(mlp_layers));
    for (double KeptParts::*part :
         {&KeptParts::attention, &KeptParts::dense_mlp, &KeptParts::routed_experts, &KeptParts::shared_experts}) {
      q_.kept.*part = std::min(1.0, q_.kept.*part + share(whole_layers));
    }
    if (unknown_names > 0) {
      warn(config_, fmt::format("{} of {} names that stay in 16 bits fit no part of the model known; they are counted "
                                "as quantised",
                                unknown_names, q_.ignored.size()));
    }
  }

  const Node& config_;
  int layers_;
  const std::string& name_;
  std::vector<ConfigWarning>& warnings_;
  Quantization q_;
};

}  // namespace

double Quantization::bytes_per_weight() const { return bits / 8 + (group_size > 0 ? scale_bytes / group_size : 0.0); }

Quantization read_quantization(const Node& config, int layers, const std::string& name,
                               std::vector<ConfigWarning>& warnings) {
  return Reader(config, layers, name, warnings).read();
}

double weight_bytes(const ParameterCount& count, const Quantization& quantization) {
  const KeptParts& k = quantization.kept;
  const double kept = count.embedding * k.embedding + count.head * k.head +
                      (count.attention + count.linear) * k.attention + count.dense_mlp * k.dense_mlp +
                      count.routed_experts * k.routed_experts + count.shared_experts * k.shared_experts +
                      count.router * k.router + count.vision * k.vision + count.norms + count.positions + count.other;
  return 2 * kept + (count.total - kept) * quantization.bytes_per_weight();
}

}  // namespace gpuadvise
