#include <fmt/format.h>

#include "workload/hf_vision.h"

namespace gpuadvise {

namespace {

using base::Node;

constexpr int kMostLayers = 4096;
constexpr int kMostWidth = 1 << 20;

std::optional<int> first_of(const ConfigReader& r, std::initializer_list<const char*> keys, int most) {
  for (const char* key : keys) {
    const Node* node = r.at(key);
    if (node == nullptr) continue;
    if (node->is(Node::Kind::list)) {
      if (node->items.empty() || !node->items.front().is_number()) continue;
      return std::nullopt;  // a width per stage, as of Swin: no plain ViT
    }
    return r.integer_key(key, most);
  }
  return std::nullopt;
}

}  // namespace

bool read_vision(const ConfigReader& root, int hidden, Architecture& a) {
  const Node* map = nullptr;
  for (const char* key : {"vision_config", "visual", "vision_tower_config", "thinker_config.vision_config"}) {
    map = root.at(key);
    if (map != nullptr && map->is(Node::Kind::map)) break;
    map = nullptr;
  }
  if (map == nullptr) return false;
  std::vector<ConfigWarning> ignored;
  const ConfigReader r(*map, root.name(), root.catalog(), ignored);
  VisionTower v;
  const auto layers = first_of(r, {"depth", "num_hidden_layers", "vt_num_hidden_layers", "layers"}, kMostLayers);
  // Qwen2-VL: embed_dim is the tower's width and hidden_size the language model's.
  const bool out_is_hidden = r.at("embed_dim") != nullptr;
  const auto width = first_of(r, {"embed_dim", "vt_hidden_size", "hidden_size", "width"}, kMostWidth);
  if (!layers || !width || *layers == 0 || *width == 0) {
    root.warn(*map, "a vision tower of unknown shape: its parameters are not counted");
    return true;
  }
  v.layers = *layers;
  v.hidden = *width;
  v.heads = first_of(r, {"num_heads", "num_attention_heads", "vt_num_attention_heads"}, kMostWidth).value_or(0);
  v.patch = first_of(r, {"patch_size", "spatial_patch_size"}, 4096).value_or(14);
  v.merge = first_of(r, {"spatial_merge_size"}, 64).value_or(1);
  const auto given = first_of(r, {"intermediate_size", "vt_intermediate_size"}, kMostWidth);
  v.intermediate = given.value_or(4 * v.hidden);

  // Towers that name a gated activation and rotary positions are those of Qwen2.5-VL and GLM-4V.
  const auto activation = r.text("hidden_act").value_or("");
  const bool gated = activation == "silu";
  const double h = v.hidden;
  const double block = 4 * h * h + 4 * h + (gated ? 3 : 2) * h * v.intermediate + 2 * h;
  const double temporal = first_of(r, {"temporal_patch_size"}, 64).value_or(1);
  double params = v.layers * block + 3 * temporal * v.patch * v.patch * h;
  if (const auto image = first_of(r, {"image_size"}, 1 << 16); image && v.patch > 0) {
    const auto along = *image / v.patch;  // whole patches of one side
    const auto patches = static_cast<double>(along);
    params += patches * patches * h;
  }
  const double out = out_is_hidden
                         ? first_of(r, {"hidden_size"}, kMostWidth).value_or(hidden)
                         : first_of(r, {"out_hidden_size", "projection_dim_out"}, kMostWidth).value_or(hidden);
  if (v.merge > 1) {
    const double merged = h * v.merge * v.merge;
    double mergers = 1;
    if (const Node* deep = r.at("deepstack_visual_indexes"); deep != nullptr && deep->is(Node::Kind::list)) {
      mergers += static_cast<double>(deep->items.size());
    }
    params += mergers * (merged * merged + merged * out);
  } else {
    params += h * out + out * out;  // a two-layer projector, as LLaVA and InternVL have
  }
  a.vision = v;
  a.vision_params += params;
  root.warn(*map, fmt::format("vision tower counted from its shape: {:.3g} parameters, to a few per cent", params));
  return true;
}

}  // namespace gpuadvise
