#include <algorithm>
#include <cmath>

#include "advisor/rule_facts.h"
#include "advisor/score.h"
#include "catalog/catalog_fields.h"
#include "catalog/lookup.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

template <class E>
std::string_view word(E value) {
  static constexpr auto kWords = names(E{});
  return kWords[static_cast<std::size_t>(value)];
}
template <class E>
std::optional<std::string_view> word(const std::optional<E>& value) {
  return value ? std::optional(word(*value)) : std::nullopt;
}

std::optional<double> best_of(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a) return b;
  return b ? std::max(*a, *b) : a;
}

// An NVIDIA card whose sheet gives 16-bit and 8-bit rates but none for a younger format has no unit for it; for a card
// of another maker, or one with no rates at all, that stays unknown.
std::optional<double> rate_or_none(const Accelerator& a, const std::optional<double>& rate) {
  if (rate) return rate;
  const bool rated = a.peak.fp16.has_value() || a.peak.fp32.has_value();
  return a.software_stack == "cuda" && a.compute_capability && rated ? std::optional(0.0) : std::nullopt;
}

void set_words(RuleContext& c, Field field, std::span<const std::string_view> words, WordStore& store) {
  store.emplace_back();
  c.set(field, words, store.back());
}

std::optional<std::string_view> nonempty(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// "12.4" as 1204, "550.54" as 550 (a driver's branch).
std::optional<int> version(std::optional<std::string_view> text, bool with_minor) {
  if (!text) return std::nullopt;
  int major = 0;
  int minor = 0;
  std::size_t i = 0;
  const auto digit = [&] { return i < text->size() && (*text)[i] >= '0' && (*text)[i] <= '9'; };
  if (!digit()) return std::nullopt;
  for (; digit() && major < 100000; ++i) major = major * 10 + ((*text)[i] - '0');
  if (i < text->size() && (*text)[i] == '.') {
    ++i;
    for (; digit() && minor < 100; ++i) minor = minor * 10 + ((*text)[i] - '0');
  }
  return with_minor ? major * 100 + std::min(minor, 99) : major;
}

}  // namespace

void set_request_facts(RuleContext& c, const Workload& w, const Profile& given, const RecommendOptions& options,
                       WordStore& store) {
  const Profile& p = w.profile;
  store.reserve(8);
  c.set(Field::request_optimize, word(options.objective));
  c.set(Field::request_environment, p.operations.environment);
  c.set(Field::request_interruptible, p.operations.interruptible);
  c.set(Field::request_checkpointing, p.operations.checkpointing);
  c.set(Field::request_charge, word(p.operations.charge_type));
  const bool preview = std::any_of(options.include.begin(), options.include.end(), [](Status s) {
    return s == Status::preview || s == Status::undocumented || s == Status::retired;
  });
  c.set(Field::request_preview_included, preview);
  if (p.constraints.regions) set_words(c, Field::request_regions, *p.constraints.regions, store);
  if (p.constraints.vendors) set_words(c, Field::request_vendors, *p.constraints.vendors, store);
  c.set(Field::request_budget_per_hour, p.constraints.budget_per_hour);
  c.set(Field::request_budget_total, p.constraints.budget_total);
  c.set(Field::request_currency, p.constraints.currency);
  c.set(Field::request_deadline_hours, p.constraints.deadline_hours);
  c.set(Field::request_export_unrestricted, p.constraints.export_unrestricted);
  c.set(Field::request_dataset_gib, p.data.dataset_gib);

  c.set(Field::workload_task, w.task->id);
  c.set(Field::workload_kind, word(w.kind));
  const bool training = w.kind == TaskKind::llm_training || w.kind == TaskKind::media_training;
  c.set(Field::workload_is_training, training);
  c.set(Field::workload_is_serving, w.kind == TaskKind::llm_serving || w.kind == TaskKind::media_inference);
  c.set(Field::workload_is_graphics, w.kind == TaskKind::rendering || w.kind == TaskKind::streaming);
  c.set(Field::workload_model, w.model != nullptr ? std::optional(w.model->id) : p.model.name);
  c.set(Field::workload_model_known, !w.architecture_inferred);
  if (w.params > 0) c.set(Field::workload_params, w.params);
  if (w.active_params > 0) c.set(Field::workload_active_params, w.active_params);
  if (w.has_architecture) c.set(Field::workload_experts, w.architecture.experts);
  if (w.model != nullptr) c.set(Field::workload_trained_in, w.model->trained_in);

  if (training) {
    const TrainingSpec& t = p.training;
    c.set(Field::training_method, word(t.method));
    c.set(Field::training_precision, word(t.precision));
    c.set(Field::training_base_weights, word(t.base_weights));
    c.set(Field::training_optimizer, t.optimizer);
    c.set(Field::training_framework, t.framework);
    c.set(Field::training_sequence_length, t.sequence_length);
    c.set(Field::training_global_batch, t.global_batch);
    c.set(Field::training_flash_attention, t.flash_attention);
    c.set(Field::training_flash_attention_required, given.training.flash_attention.value_or(false));
    c.set(Field::training_offload, word(t.offload));
  }
  if (w.kind == TaskKind::llm_serving || w.kind == TaskKind::media_inference || w.kind == TaskKind::interactive) {
    const InferenceSpec& s = p.inference;
    c.set(Field::inference_weights, s.weights);
    c.set(Field::inference_kv_cache, s.kv_cache);
    c.set(Field::inference_engine, s.engine);
    c.set(Field::inference_input_tokens, s.input_tokens);
    c.set(Field::inference_output_tokens, s.output_tokens);
    c.set(Field::inference_max_context, s.max_context);
    c.set(Field::inference_concurrency, s.concurrency);
    c.set(Field::inference_requests_per_second, s.requests_per_second);
    c.set(Field::inference_off_peak_requests_per_second, s.off_peak_requests_per_second);
    if (s.slo) {
      c.set(Field::inference_ttft_target_ms, s.slo->ttft_ms);
      c.set(Field::inference_tpot_target_ms, s.slo->tpot_ms);
    }
  }
  if (w.kind == TaskKind::hpc) {
    c.set(Field::hpc_precision, word(p.hpc.precision));
    c.set(Field::hpc_bound, word(p.hpc.bound));
    c.set(Field::hpc_app, p.hpc.app);
  }
  c.set(Field::rendering_app, p.rendering.app);
  if (w.kind == TaskKind::transcoding) {
    c.set(Field::transcoding_codec, p.transcoding.codec);
    c.set(Field::transcoding_direction, p.transcoding.direction);
  }
  c.set(Field::software_cuda, version(p.software.cuda, true));
  c.set(Field::software_driver, version(p.software.driver, false));
  c.set(Field::software_framework, p.software.framework);
  c.set(Field::software_image, p.software.image);
}

void set_type_facts(RuleContext& c, const Catalog& catalog, const Family& f, const InstanceType& t, bool named,
                    WordStore& store) {
  store.clear();
  store.reserve(8);
  c.set(Field::request_family_named, named);
  const Accelerator* card = accelerator_of(catalog, t);
  static const Accelerator kUnknown{};
  const Accelerator& a = card == nullptr ? kUnknown : *card;
  c.set(Field::accelerator_id, a.id);
  c.set(Field::accelerator_name, a.name);
  c.set(Field::accelerator_maker, a.maker);
  c.set(Field::accelerator_architecture, a.architecture);
  c.set(Field::accelerator_chip_class, a.chip_class);
  c.set(Field::accelerator_form_factor, a.form_factor);
  c.set(Field::accelerator_software_stack, a.software_stack);
  c.set(Field::accelerator_compute_capability, a.compute_capability);
  c.set(Field::accelerator_release_year, a.release_year);
  c.set(Field::accelerator_memory_gib, t.accelerator_memory_gib ? t.accelerator_memory_gib : a.memory_gib);
  c.set(Field::accelerator_memory_bandwidth_gb_per_s, a.memory_bandwidth_gb_per_s);
  c.set(Field::accelerator_ecc, a.ecc);
  c.set(Field::accelerator_fp64_tflops, best_of(a.peak.fp64, a.peak.fp64_tensor));
  c.set(Field::accelerator_fp32_tflops, a.peak.fp32);
  c.set(Field::accelerator_fp16_tflops, a.peak.fp16);
  c.set(Field::accelerator_bf16_tflops, rate_or_none(a, a.peak.bf16));
  c.set(Field::accelerator_fp8_tflops, rate_or_none(a, a.peak.fp8));
  c.set(Field::accelerator_fp4_tflops, rate_or_none(a, a.peak.fp4));
  c.set(Field::accelerator_int8_tops, a.peak.int8);
  c.set(Field::accelerator_link, a.link);
  c.set(Field::accelerator_pcie_gen, a.pcie_gen);
  c.set(Field::accelerator_mig_instances, a.mig_max_instances);
  c.set(Field::accelerator_rt_cores, a.rt_core_count);
  const bool api_known = !a.opengl.empty() || !a.vulkan.empty() || !a.directx.empty();
  const auto has_api = [](std::string_view api) { return !api.empty() && api != "none"; };
  c.clear(Field::accelerator_graphics_api);
  if (api_known) c.set(Field::accelerator_graphics_api, has_api(a.opengl) || has_api(a.vulkan) || has_api(a.directx));
  c.set(Field::accelerator_encoders, a.nvenc_count);
  c.set(Field::accelerator_decoders, a.nvdec_count);
  c.set(Field::accelerator_av1_encode, a.nvenc_av1);
  set_words(c, Field::accelerator_export_rules, a.export_rules, store);
  const bool restricted = std::any_of(a.export_rules.begin(), a.export_rules.end(), [&](std::string_view id) {
    return std::any_of(catalog.export_rules.begin(), catalog.export_rules.end(),
                       [&](const ExportRule& rule) { return rule.id == id && !rule.status.starts_with("superseded"); });
  });
  c.set(Field::accelerator_export_restricted, restricted);

  c.set(Field::family_name, f.name);
  c.set(Field::family_vendor, f.vendor);
  c.set(Field::family_platform, f.platform);
  c.set(Field::family_product, f.product);
  c.set(Field::family_status, word(status_of(f, t)));
  set_words(c, Field::family_successors, f.successors, store);
  c.set(Field::family_interconnect, f.interconnect);
  c.set(Field::family_rdma, f.rdma);
  c.set(Field::family_cpu_arch, f.cpu_arch);
  c.set(Field::family_cpu_base_ghz, f.cpu_base_ghz);
  c.set(Field::family_graphics, f.graphics);
  c.set(Field::family_vgpu_licence, f.vgpu_licence);
  if (!f.regions.empty()) {
    set_words(c, Field::family_regions, f.regions, store);
  } else {
    c.clear(Field::family_regions);
  }

  c.set(Field::instance_type, t.name);
  c.set(Field::instance_vcpus, t.vcpus);
  c.set(Field::instance_memory_gib, t.memory_gib);
  c.set(Field::instance_accelerators, t.accelerators);
  c.set(Field::instance_slice, t.slice);
  c.clear(Field::instance_vcpus_per_accelerator).clear(Field::instance_memory_gib_per_accelerator);
  if (t.accelerators && *t.accelerators > 0) {
    if (t.vcpus) c.set(Field::instance_vcpus_per_accelerator, *t.vcpus / *t.accelerators);
    if (t.memory_gib) c.set(Field::instance_memory_gib_per_accelerator, *t.memory_gib / *t.accelerators);
  }
  c.set(Field::instance_network_gbps, t.network_gbps);
  c.set(Field::instance_rdma_gbps, t.rdma_gbps ? t.rdma_gbps : f.rdma == "none" ? std::optional(0.0) : std::nullopt);
  c.set(Field::instance_local_storage_gib, t.local_storage_gib);
  c.set(Field::instance_suspect, t.suspect);
  const InstanceType* smaller = nullptr;
  for (const auto& other : f.types) {
    const bool same_cards = other.accelerators == t.accelerators && other.accelerator_index == t.accelerator_index &&
                            other.accelerator_memory_gib == t.accelerator_memory_gib;
    if (!same_cards || !other.vcpus || !t.vcpus || *other.vcpus >= *t.vcpus) continue;
    if (smaller == nullptr || *other.vcpus < *smaller->vcpus) smaller = &other;
  }
  c.set(Field::instance_smaller_same_cards, smaller == nullptr ? std::nullopt : nonempty(smaller->name));
  c.set(Field::instance_smaller_vcpus, smaller == nullptr ? std::nullopt : smaller->vcpus);
}

void set_layout_facts(RuleContext& c, const Workload& w, const Machine& m, const Layout& l) {
  const int per_node = std::max(1, static_cast<int>(std::lround(m.accelerators_per_node)));
  c.set(Field::layout_nodes, m.nodes);
  c.set(Field::layout_accelerators, per_node * m.nodes);
  c.set(Field::layout_accelerators_per_node, per_node);
  c.set(Field::layout_tensor, l.tensor);
  c.set(Field::layout_pipeline, l.pipeline);
  c.set(Field::layout_data, l.data);
  c.set(Field::layout_expert, l.expert);
  c.set(Field::layout_context, l.context);
  c.set(Field::layout_zero_stage, l.zero_stage);
  if (w.kind == TaskKind::llm_serving) c.set(Field::layout_replicas, l.data);
  if (w.kind == TaskKind::llm_training) {
    c.set(Field::training_micro_batch, l.micro_batch);
    c.set(Field::training_activation_checkpointing, word(l.checkpointing));
  }
}

void set_estimate_facts(RuleContext& c, const Recommendation& r, const Catalog& catalog) {
  const MemoryEstimate& m = r.estimate.memory;
  const SpeedEstimate& s = r.estimate.speed;
  if (m.known) {
    c.set(Field::estimate_memory_total_gib, m.device);
    c.set(Field::estimate_memory_capacity_gib, m.capacity_gib);
    c.set(Field::estimate_memory_weights_gib, m.weights);
    c.set(Field::estimate_memory_kv_cache_gib, m.kv_cache);
    c.set(Field::estimate_memory_headroom_gib, m.headroom_gib);
    if (m.capacity_gib > 0) c.set(Field::estimate_memory_used_fraction, m.device / m.capacity_gib);
    c.set(Field::estimate_memory_fits, m.fits);
    c.set(Field::estimate_memory_band_high_percent, m.band_high_percent);
  }
  c.set(Field::estimate_tokens_per_second, s.tokens_per_second ? s.tokens_per_second : s.output_tokens_per_second);
  c.set(Field::estimate_samples_per_second, s.samples_per_second);
  c.set(Field::estimate_step_seconds, s.step_seconds);
  c.set(Field::estimate_mfu_percent, s.mfu_percent);
  c.set(Field::estimate_ttft_ms, s.ttft_ms);
  c.set(Field::estimate_tpot_ms, s.tpot_ms);
  c.set(Field::estimate_relative, s.relative);
  if (s.step_seconds && *s.step_seconds > 0) {
    c.set(Field::estimate_communication_fraction, communication_share(s));
    c.set(Field::estimate_tensor_comm_fraction, s.terms.tensor_comm / *s.step_seconds);
    c.set(Field::estimate_data_comm_fraction, s.terms.data_comm / *s.step_seconds);
    c.set(Field::estimate_expert_comm_fraction, s.terms.expert_comm / *s.step_seconds);
    c.set(Field::estimate_data_loading_fraction, s.terms.data_loading / *s.step_seconds);
  }
  c.set(Field::estimate_hours_to_finish, r.hours_to_finish);
  const CostEstimate& cost = r.estimate.cost;
  c.set(Field::cost_known, cost.known);
  c.set(Field::cost_per_hour, cost.per_hour);
  c.set(Field::cost_to_finish, cost.to_finish);
  c.set(Field::cost_currency, nonempty(cost.currency));
  if (cost.price != nullptr) {
    c.set(Field::cost_price_third_party,
          cost.price->confidence == SourceKind::third_party || cost.price->confidence == SourceKind::third_party_low);
    const auto number = [](std::string_view text, std::size_t at, std::size_t n) {
      int value = 0;
      for (std::size_t i = at; i < at + n && i < text.size(); ++i) value = value * 10 + (text[i] - '0');
      return value;
    };
    const auto months = [&](std::string_view date) {
      return number(date, 0, 4) * 12 + (date.size() >= 7 ? number(date, 5, 2) : 1);
    };
    if (cost.price->as_of.size() >= 4 && catalog.date.size() >= 7) {
      c.set(Field::cost_price_age_months, static_cast<double>(months(catalog.date) - months(cost.price->as_of)));
    }
  }
}

}  // namespace gpuadvise
