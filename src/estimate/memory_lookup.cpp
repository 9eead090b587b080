#include <optional>

#include "estimate/memory_lookup.h"

namespace gpuadvise {

namespace {

bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

template <class T>
const T* find(std::span<const T> rows, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const auto& row : rows) {
    if (same(row.name, name)) return &row;
  }
  for (const auto& row : rows) {
    for (const auto alias : row.aliases) {
      if (same(alias, name)) return &row;
    }
  }
  return nullptr;
}

// The class for models that bring code of their own to `own`, where `model` is one of them.
template <class R>
const R* by_model(std::span<const R> rows, const R* own, std::string_view model) {
  if (own == nullptr || model.empty()) return own;
  const R* found = own;
  for (const auto& row : rows) {
    if (row.models.empty() || row.aliases.empty() || !same(row.aliases.front(), own->name)) continue;
    for (const auto start : row.models) {
      if (same(model.substr(0, start.size()), start)) found = &row;
    }
  }
  return found;
}

template <class R>
struct Picker {
  const R* own;
  const R* base;
  double operator()(std::optional<double> R::*member, double otherwise = 0) const {
    if (own != nullptr && own->*member) return *(own->*member);
    if (base != nullptr && base->*member) return *(base->*member);
    return otherwise;
  }
  MemoryMeter meter() const {
    if (own != nullptr && own->meter) return *own->meter;
    return base != nullptr && base->meter ? *base->meter : MemoryMeter::allocated;
  }
};

}  // namespace

TrainingConstants training_constants(const MemoryCalibration& c, std::string_view framework, std::string_view model) {
  using R = TrainingMemoryClass;
  const R* own = by_model(c.training, find(c.training, framework), model);
  const Picker<R> pick{own, find(c.training, "general")};
  TrainingConstants k;
  k.name = own == nullptr ? std::string_view("general") : own->name;
  k.meter = pick.meter();
  k.hidden = pick(&R::hidden);
  k.query = pick(&R::query);
  k.key_value = pick(&R::key_value);
  k.mlp_gated = pick(&R::mlp_gated);
  k.mlp_plain = pick(&R::mlp_plain);
  k.frozen_hidden = pick(&R::frozen_hidden);
  k.frozen_query = pick(&R::frozen_query);
  k.frozen_key_value = pick(&R::frozen_key_value);
  k.frozen_mlp_gated = pick(&R::frozen_mlp_gated);
  k.frozen_mlp_plain = pick(&R::frozen_mlp_plain);
  k.selective_operators = own != nullptr && own->selective_hidden.has_value();
  k.selective_hidden = pick(&R::selective_hidden);
  k.selective_query = pick(&R::selective_query);
  k.selective_key_value = pick(&R::selective_key_value);
  k.selective_mlp = pick(&R::selective_mlp);
  k.adapter_input = pick(&R::adapter_input);
  k.quantised_input = pick(&R::quantised_input);
  k.checkpoint = pick(&R::checkpoint, 2);
  k.logits = pick(&R::logits);
  k.fused_logits = pick(&R::fused_logits);
  k.gradient = pick(&R::gradient, 2);
  k.sharded_gradient = pick(&R::sharded_gradient);
  k.step_temporaries = pick(&R::step_temporaries);
  k.boundary = pick(&R::boundary);
  k.buckets_gib = pick(&R::buckets_gib);
  k.live_parameters = pick(&R::live_parameters);
  k.gathered_layers = pick(&R::gathered_layers);
  k.base_gib = pick(&R::base_gib);
  k.reserved_factor = pick(&R::reserved_factor, 1);
  k.static_gradients = pick(&R::static_gradients) > 0;
  k.pipeline_unsharded = pick(&R::pipeline_unsharded) > 0;
  k.naive_pipeline = pick(&R::naive_pipeline) > 0;
  k.layernorm_saves = pick(&R::layernorm_saves, 0);
  k.frozen_layernorm_saves = pick(&R::frozen_layernorm_saves, 0);
  k.adapter_weight = pick(&R::adapter_weight, 4);
  k.adapter_master = pick(&R::adapter_master, 0);
  k.zero_logits = pick(&R::zero_logits, k.logits);
  k.slack_logits = pick(&R::slack_logits, 0);
  k.slack_checkpoint = pick(&R::slack_checkpoint, 0);
  k.slack_scores = pick(&R::slack_scores, 0);
  k.extra_buffers = pick(&R::extra_buffers, 0);
  k.compile_activations = pick(&R::compile_activations, 1);
  k.compile_logits = pick(&R::compile_logits, 1);
  k.fp8_activations = pick(&R::fp8_activations, 1);
  return k;
}

ServingConstants serving_constants(const MemoryCalibration& c, std::string_view engine, std::string_view version,
                                   std::string_view model) {
  using R = ServingMemoryClass;
  const R* own = find(c.serving, engine);
  // "transformers 4.38.2" finds the class with the longest alias that it starts with, such as "transformers 4.38".
  if (own != nullptr && !version.empty() && same(version.substr(0, engine.size()), engine)) {
    std::size_t longest = 0;
    for (const auto& row : c.serving) {
      for (const auto alias : row.aliases) {
        if (alias.size() > longest && alias.size() > engine.size() && same(version.substr(0, alias.size()), alias) &&
            (version.size() == alias.size() || version[alias.size()] == '.')) {
          longest = alias.size();
          own = &row;
        }
      }
    }
  }
  if (version.empty()) own = by_model(c.serving, own, model);
  const Picker<R> pick{own, find(c.serving, "general")};
  ServingConstants k;
  k.name = own == nullptr ? std::string_view("general") : own->name;
  k.meter = pick.meter();
  k.pooled = pick(&R::pooled) > 0;
  k.free_share = pick(&R::free_share) > 0;
  k.preallocates = pick(&R::preallocates) > 0;
  k.utilization = pick(&R::utilization, 1);
  k.pool_extra_gib = pick(&R::pool_extra_gib);
  k.prefill_hidden = pick(&R::prefill_hidden);
  k.prefill_query = pick(&R::prefill_query);
  k.prefill_mlp = pick(&R::prefill_mlp);
  k.prefill_logits = pick(&R::prefill_logits);
  k.scores = pick(&R::scores);
  k.kv_growth = pick(&R::kv_growth, 1);
  k.chunked_prefill = pick(&R::chunked_prefill);
  k.page_tokens = pick(&R::page_tokens, 1);
  k.load_factor = pick(&R::load_factor, 1);
  k.quantised_head = pick(&R::quantised_head);
  k.fills = pick(&R::fills) > 0;
  k.base_gib = pick(&R::base_gib);
  k.graphs_gib = pick(&R::graphs_gib);
  return k;
}

const OptimizerMemory* find_optimizer(const MemoryCalibration& c, std::string_view name) {
  const auto* row = find(c.optimizers, name);
  return row != nullptr ? row : find(c.optimizers, "adamw");
}

const WeightFormat* find_weight_format(const MemoryCalibration& c, std::string_view name) {
  return find(c.weights, name);
}

const MemoryBand* find_band(const MemoryCalibration& c, std::string_view task, std::string_view name) {
  const MemoryBand* general = nullptr;
  for (const auto& row : c.bands) {
    if (row.task != task) continue;
    if (row.name == name) return &row;
    if (row.name == "general") general = &row;
  }
  return general;
}

double memory_constant(const MemoryCalibration& c, std::string_view name, double otherwise) {
  for (const auto& row : c.constants) {
    if (row.name == name) return row.value;
  }
  return otherwise;
}

}  // namespace gpuadvise
