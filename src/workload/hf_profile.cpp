#include <algorithm>

#include "workload/hf_profile.h"

namespace gpuadvise {

namespace {

using base::Node;

void take(std::optional<std::string_view>& field, const std::string& value, base::Arena& arena) {
  if (!field && !value.empty()) field = arena.copy(value);
}

}  // namespace

Profile read_profile(const Node& node, base::Arena& arena, const std::string& file, const Catalog& catalog,
                     std::vector<ConfigWarning>& warnings) {
  const Node* model = node.is(Node::Kind::map) ? node.find("model") : nullptr;
  const Node* given = model != nullptr && model->is(Node::Kind::map) ? model->find("architecture") : nullptr;
  if (given == nullptr || !looks_like_hf_config(*given)) return read_profile(node, arena, file);

  const HfConfig config = read_hf_config(*given, file, catalog);
  warnings.insert(warnings.end(), config.warnings.begin(), config.warnings.end());
  Node rest = node;
  for (auto& member : rest.members) {
    if (member.key != "model") continue;
    std::erase_if(member.value.members, [](const Node::Member& m) { return m.key == "architecture"; });
  }
  Profile profile = read_profile(rest, arena, file);
  apply_config(profile, config, arena);
  return profile;
}

void apply_config(Profile& profile, const HfConfig& config, base::Arena& arena) {
  ModelSpec& model = profile.model;
  model.architecture = config.architecture;
  if (!model.params) {
    model.params = config.params;
    model.active_params = config.active_params;
  }
  // A known name stays the name; a folder's says nothing.
  take(model.name, config.name, arena);
  take(profile.inference.weights, config.quantization ? config.quantization->weights : config.dtype, arena);
}

void apply_weights(Profile& profile, const WeightsFile& weights, base::Arena& arena) {
  ModelSpec& model = profile.model;
  if (!model.architecture && weights.architecture) model.architecture = weights.architecture;
  if (!model.params && weights.elements > 0) model.params = weights.elements;
  take(profile.inference.weights, weights.weights, arena);
}

}  // namespace gpuadvise
