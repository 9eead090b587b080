#include <algorithm>
#include <array>

#include "base/text.h"
#include "workload/model_lookup.h"

namespace gpuadvise {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// Lower case, without the maker's prefix, and without separators, but with the point between digits ("2.5", "1_5").
std::string plain(std::string_view name, bool points) {
  name = base::trim(name);
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos && slash + 1 < name.size()) {
    // "ViT-B/16" names a patch size, not a maker.
    if (!digit(name[slash + 1]) || slash == 0) name.remove_prefix(slash + 1);
  }
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool separator = c == '-' || c == '_' || c == ' ' || c == '.' || c == ':' || c == '/' || c == '(' || c == ')';
    if (!separator) {
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (points && (c == '.' || c == '_') && i > 0 && i + 1 < name.size() && digit(name[i - 1]) &&
               digit(name[i + 1])) {
      out += '.';
    }
  }
  return out;
}

// Words at the end of a name that say how a model was tuned, stored or served, not which shape it has.
constexpr auto kVariants = std::to_array<std::string_view>(
    {"instruct", "chat",  "it",      "base",  "hf",   "thinking", "preview", "bf16",   "fp16", "fp8",  "fp4",
     "nvfp4",    "mxfp4", "int4",    "int8",  "awq",  "gptq",     "gguf",    "4bit",   "8bit", "mlx",  "q4km",
     "w8a8",     "w4a16", "uncased", "cased", "sft",  "dpo",      "pt",      "v0.1",   "v0.2", "v0.3", "diffusers",
     "latest",   "2407",  "2409",    "2410",  "2501", "2503",     "2506",    "2507",   "2509", "0528", "0324",
     "0414",     "1m",    "128k",    "32k",   "16k",  "8k",       "4k",      "dynamic"});

const Model* find_plain(const Catalog& catalog, const std::string& wanted, bool points) {
  for (const auto& model : catalog.models) {
    if (plain(model.id, points) == wanted || plain(model.name, points) == wanted) return &model;
  }
  for (const auto& model : catalog.models) {
    if (!model.hf_id.empty() && plain(model.hf_id, points) == wanted) return &model;
    for (const auto alias : model.aliases) {
      if (plain(alias, points) == wanted) return &model;
    }
  }
  return nullptr;
}

const Model* find_either(const Catalog& catalog, std::string_view name) {
  // Profiles that name a model by its id are the rule, and need no spelling to be compared.
  for (const auto& model : catalog.models) {
    if (model.id == name) return &model;
  }
  if (const Model* model = find_plain(catalog, plain(name, true), true)) return model;
  return find_plain(catalog, plain(name, false), false);
}

// Takes one variant word off the end; false when there is none.
bool strip(std::string& name, std::string& variant) {
  for (const auto word : kVariants) {
    if (name.size() <= word.size() + 1) continue;
    const std::size_t at = name.size() - word.size();
    const char before = name[at - 1];
    if (!base::equal_ignoring_case(std::string_view(name).substr(at), word)) continue;
    if (before != '-' && before != '_' && before != ' ' && before != ':' && before != '.') continue;
    variant.insert(0, variant.empty() ? "" : " ").insert(0, word);
    name.resize(at - 1);
    return true;
  }
  return false;
}

}  // namespace

std::string model_key(std::string_view name) { return plain(name, true); }

ModelMatch find_model(const Catalog& catalog, std::string_view name) {
  std::string rest(base::trim(name));
  ModelMatch match;
  if (rest.empty() || rest.size() > 200) return match;
  do {
    match.model = find_either(catalog, rest);
  } while (match.model == nullptr && strip(rest, match.variant));
  if (match.model == nullptr) match.variant.clear();
  return match;
}

std::vector<std::string_view> nearest_models(const Catalog& catalog, std::string_view name, std::size_t most) {
  const std::string wanted = plain(name, true);
  struct Scored {
    std::size_t score;
    const Model* model;
  };
  std::vector<Scored> scored;
  for (const auto& model : catalog.models) {
    auto score = base::edit_distance(wanted, plain(model.id, true));
    for (const auto alias : model.aliases) score = std::min(score, base::edit_distance(wanted, plain(alias, true)));
    scored.push_back({score, &model});
  }
  std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  std::vector<std::string_view> out;
  for (const auto& s : scored) {
    if (out.size() == most) break;
    out.push_back(s.model->id);
  }
  return out;
}

}  // namespace gpuadvise
