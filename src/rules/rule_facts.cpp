#include <algorithm>
#include <charconv>
#include <cmath>

#include "gpuadvise/rule_facts.h"

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

template <class E>
std::string_view word(E value) {
  static constexpr auto kWords = names(E{});
  const auto index = static_cast<std::size_t>(value);
  return index < kWords.size() ? kWords[index] : std::string_view{};
}
template <class E>
std::string_view word(const std::optional<E>& value) {
  return value ? word(*value) : std::string_view{};
}

// An unknown name is an unknown field.
std::string_view text(const std::optional<std::string_view>& value) { return value.value_or(std::string_view{}); }

// "none" where a source says there is none, empty where no source was read.
std::optional<bool> has_any(std::initializer_list<std::string_view> levels) {
  bool all_none = true;
  for (const auto level : levels) {
    if (!level.empty() && level != "none") return true;
    all_none = all_none && level == "none";
  }
  return all_none ? std::optional(false) : std::nullopt;
}

std::optional<double> larger(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a ? a : b;
  return std::max(*a, *b);
}

// Bytes that a parameter takes in a checkpoint of this format; formats with scales and packed layouts are left unknown.
std::optional<double> bytes_per_parameter(std::string_view format) {
  if (format == "fp32" || format == "tf32") return 4;
  if (format == "bf16" || format == "fp16") return 2;
  if (format == "fp8" || format == "int8") return 1;
  return std::nullopt;
}

// A library's version as its makers write it. A number such as 8902 is a version code, and stays unknown.
std::optional<int> library_version(const std::optional<std::string_view>& version) {
  const auto number = version_number(text(version));
  return number && *number < 100 * 100 ? number : std::nullopt;
}

}  // namespace

std::optional<int> version_number(std::string_view s) {
  for (std::size_t at = 0; at < s.size(); ++at) {
    if (s[at] < '0' || s[at] > '9') continue;
    int major = 0;
    auto [end, status] = std::from_chars(s.data() + at, s.data() + s.size(), major);
    if (status != std::errc{} || major > 20000) return std::nullopt;
    int minor = 0;
    if (end + 1 < s.data() + s.size() && *end == '.' && end[1] >= '0' && end[1] <= '9') {
      const auto rest = std::from_chars(end + 1, s.data() + s.size(), minor);
      if (rest.ec != std::errc{} || minor > 99) return std::nullopt;
    }
    return major * 100 + minor;
  }
  return std::nullopt;
}

void set_software(RuleContext& c, const SoftwareSpec& software) {
  c.set(Field::software_cudnn, library_version(software.cudnn));
  c.set(Field::software_nccl, library_version(software.nccl));
  if (const auto cuda = version_number(text(software.cuda))) c.set(Field::software_cuda, *cuda);
  if (software.driver) {
    // Branches are told apart by their first number alone; the second one counts builds and may have three digits.
    int branch = 0;
    const auto driver = *software.driver;
    const auto [end, status] = std::from_chars(driver.data(), driver.data() + driver.size(), branch);
    if (status == std::errc{} && branch > 0) c.set(Field::software_driver, branch);
  }
  if (software.framework) {
    const auto framework = *software.framework;
    const auto letters = framework.substr(0, framework.find_first_of(" =:@<>~"));
    c.set(Field::software_framework, letters);
    if (const auto version = version_number(framework)) c.set(Field::software_framework_version, *version);
  }
  c.set(Field::software_image, text(software.image));
}

void set_workload(RuleContext& c, const Workload& w, RuleLists& lists) {
  const Profile& p = w.profile;
  const auto& operations = p.operations;
  c.set(Field::request_environment, text(operations.environment));
  c.set(Field::request_interruptible, operations.interruptible);
  c.set(Field::request_checkpointing, operations.checkpointing);
  c.set(Field::request_charge, word(operations.charge_type));
  c.set(Field::request_hours_per_month, operations.hours_per_month);
  if (p.constraints.regions) c.set(Field::request_regions, *p.constraints.regions, lists.regions);
  if (p.constraints.vendors) c.set(Field::request_vendors, *p.constraints.vendors, lists.vendors);
  c.set(Field::request_budget_per_hour, p.constraints.budget_per_hour);
  c.set(Field::request_budget_total, p.constraints.budget_total);
  c.set(Field::request_currency, text(p.constraints.currency));
  c.set(Field::request_deadline_hours, p.constraints.deadline_hours);
  c.set(Field::request_export_unrestricted, p.constraints.export_unrestricted);
  c.set(Field::request_cuda_only, p.constraints.cuda_only);
  c.set(Field::request_domestic_only, p.constraints.domestic_only);
  c.set(Field::request_runs, operations.runs);
  c.set(Field::request_dataset_gib, p.data.dataset_gib);

  const bool training = w.kind == TaskKind::llm_training || w.kind == TaskKind::media_training;
  const bool serving = w.kind == TaskKind::llm_serving || w.kind == TaskKind::media_inference;
  c.set(Field::workload_task, text(p.task));
  c.set(Field::workload_kind, word(w.kind));
  c.set(Field::workload_is_training, training);
  c.set(Field::workload_is_serving, serving);
  c.set(Field::workload_is_graphics, w.kind == TaskKind::rendering || w.kind == TaskKind::streaming);
  c.set(Field::workload_model, w.model != nullptr ? w.model->id : text(p.model.name));
  c.set(Field::workload_model_known, w.has_architecture && !w.architecture_inferred);
  if (w.params > 0) c.set(Field::workload_params, w.params);
  if (w.active_params > 0) c.set(Field::workload_active_params, w.active_params);
  if (w.has_architecture) c.set(Field::workload_experts, w.architecture.experts);
  if (w.model != nullptr) c.set(Field::workload_trained_in, w.model->trained_in);

  if (training) {
    const auto& t = p.training;
    c.set(Field::workload_precision, word(t.precision));
    c.set(Field::training_method, word(t.method));
    c.set(Field::training_precision, word(t.precision));
    c.set(Field::training_base_weights, word(t.base_weights));
    c.set(Field::training_optimizer, text(t.optimizer));
    c.set(Field::training_framework, text(t.framework));
    c.set(Field::training_sequence_length, t.sequence_length);
    c.set(Field::training_global_batch, t.global_batch);
    c.set(Field::training_micro_batch, t.micro_batch);
    c.set(Field::training_flash_attention, t.flash_attention);
    const bool assumed = std::any_of(w.assumptions.begin(), w.assumptions.end(),
                                     [](const Assumption& a) { return a.field == "training.flash_attention"; });
    c.set(Field::training_flash_attention_required, t.flash_attention.value_or(false) && !assumed);
    c.set(Field::training_activation_checkpointing, word(t.activation_checkpointing));
    c.set(Field::training_offload, word(t.offload));
  }
  if (serving) {
    const auto& i = p.inference;
    c.set(Field::workload_precision, text(i.weights));
    c.set(Field::inference_weights, text(i.weights));
    c.set(Field::inference_kv_cache, text(i.kv_cache));
    c.set(Field::inference_engine, text(i.engine));
    c.set(Field::inference_input_tokens, i.input_tokens);
    c.set(Field::inference_output_tokens, i.output_tokens);
    c.set(Field::inference_max_context, i.max_context);
    c.set(Field::inference_concurrency, i.concurrency);
    c.set(Field::inference_requests_per_second, i.requests_per_second);
    c.set(Field::inference_off_peak_requests_per_second, i.off_peak_requests_per_second);
  }
  if (const auto& slo = p.inference.slo; slo && (serving || w.kind == TaskKind::interactive)) {
    c.set(Field::inference_ttft_target_ms, slo->ttft_ms);
    c.set(Field::inference_tpot_target_ms, slo->tpot_ms);
  }
  const auto stored = training  ? word(p.training.base_weights)
                      : serving ? text(p.inference.weights)
                                : std::string_view{};
  if (const auto bytes = bytes_per_parameter(stored); bytes && w.params > 0) {
    c.set(Field::workload_checkpoint_gib, w.params * *bytes / (1024.0 * 1024.0 * 1024.0));
  }
  if (w.kind == TaskKind::hpc) {
    c.set(Field::hpc_precision, word(p.hpc.precision));
    c.set(Field::hpc_bound, word(p.hpc.bound));
    c.set(Field::hpc_app, text(p.hpc.app));
  }
  if (w.kind == TaskKind::streaming || w.kind == TaskKind::transcoding) {
    c.set(Field::inference_concurrency, p.inference.concurrency);
  }
  if (w.kind == TaskKind::rendering) {
    c.set(Field::rendering_app, text(p.rendering.app));
    c.set(Field::rendering_frames, p.rendering.frames);
  }
  if (w.kind == TaskKind::transcoding) {
    c.set(Field::transcoding_codec, text(p.transcoding.codec));
    c.set(Field::transcoding_direction, text(p.transcoding.direction));
  } else if (w.kind == TaskKind::streaming && p.transcoding.codec) {
    c.set(Field::transcoding_codec, *p.transcoding.codec).set(Field::transcoding_direction, "encode");
  }
  set_software(c, p.software);
}

void set_accelerator(RuleContext& c, const Accelerator& a, const Catalog& catalog, RuleLists& lists) {
  c.set(Field::accelerator_id, a.id);
  c.set(Field::accelerator_name, a.name);
  c.set(Field::accelerator_maker, a.maker);
  c.set(Field::accelerator_architecture, a.architecture);
  c.set(Field::accelerator_chip_class, a.chip_class);
  c.set(Field::accelerator_form_factor, a.form_factor);
  if (a.software_stack != "unknown") c.set(Field::accelerator_software_stack, a.software_stack);
  c.set(Field::accelerator_compute_capability, a.compute_capability);
  c.set(Field::accelerator_release_year, a.release_year);
  c.set(Field::accelerator_memory_gib, a.memory_gib);
  c.set(Field::accelerator_memory_bandwidth_gb_per_s, a.memory_bandwidth_gb_per_s);
  c.set(Field::accelerator_ecc, a.ecc);
  c.set(Field::accelerator_fp64_tflops, larger(a.peak.fp64, a.peak.fp64_tensor));
  c.set(Field::accelerator_fp32_tflops, a.peak.fp32);
  c.set(Field::accelerator_fp16_tflops, a.peak.fp16);
  c.set(Field::accelerator_bf16_tflops, a.peak.bf16);
  c.set(Field::accelerator_fp8_tflops, a.peak.fp8);
  c.set(Field::accelerator_fp4_tflops, a.peak.fp4);
  c.set(Field::accelerator_int8_tops, a.peak.int8);
  c.set(Field::accelerator_link, a.link);
  c.set(Field::accelerator_pcie_gen, a.pcie_gen);
  c.set(Field::accelerator_mig_instances, a.mig_max_instances);
  c.set(Field::accelerator_rt_cores, a.rt_core_count);
  c.set(Field::accelerator_graphics_api, has_any({a.opengl, a.vulkan, a.directx}));
  c.set(Field::accelerator_encoders, a.nvenc_count);
  c.set(Field::accelerator_decoders, a.nvdec_count);
  c.set(Field::accelerator_av1_encode, a.nvenc_av1);
  c.set(Field::accelerator_export_rules, a.export_rules, lists.export_rules);
  const auto in_force = [&](std::string_view id) {
    return std::any_of(catalog.export_rules.begin(), catalog.export_rules.end(),
                       [&](const ExportRule& rule) { return rule.id == id && rule.status.starts_with("in force"); });
  };
  c.set(Field::accelerator_export_restricted, std::any_of(a.export_rules.begin(), a.export_rules.end(), in_force));
}

void set_family(RuleContext& c, const Family& f, RuleLists& lists) {
  c.set(Field::family_name, f.name);
  c.set(Field::family_vendor, f.vendor);
  c.set(Field::family_platform, f.platform);
  c.set(Field::family_product, f.product);
  c.set(Field::family_successors, f.successors, lists.successors);
  c.set(Field::family_interconnect, f.interconnect);
  c.set(Field::family_rdma, f.rdma);
  c.set(Field::family_cpu_arch, f.cpu_arch);
  c.set(Field::family_cpu_base_ghz, f.cpu_base_ghz);
  c.set(Field::family_graphics, f.graphics);
  c.set(Field::family_vgpu_licence, f.vgpu_licence);
  if (!f.product.empty()) {
    const std::string product = base::lower(f.product);
    c.set(Field::family_bare_metal, product.find("bare") != std::string::npos || product == "ebm" || product == "bms");
  }
  c.set(Field::family_regions, f.regions, lists.family_regions);
}

void set_type(RuleContext& c, const Family& f, const InstanceType& t) {
  if (t.accelerator_memory_gib) c.set(Field::accelerator_memory_gib, t.accelerator_memory_gib);
  c.set(Field::family_status, word(t.status.value_or(f.status)));
  c.set(Field::instance_type, t.name);
  c.set(Field::instance_vcpus, t.vcpus);
  c.set(Field::instance_memory_gib, t.memory_gib);
  c.set(Field::instance_accelerators, t.accelerators);
  c.set(Field::instance_slice, t.slice);
  const double cards = t.accelerators ? std::max(*t.accelerators, 1.0) : 0;
  if (cards > 0 && t.vcpus) c.set(Field::instance_vcpus_per_accelerator, *t.vcpus / cards);
  if (cards > 0 && t.memory_gib) c.set(Field::instance_memory_gib_per_accelerator, *t.memory_gib / cards);
  c.set(Field::instance_network_gbps, t.network_gbps);
  c.set(Field::instance_rdma_gbps, t.rdma_gbps);
  if (!t.rdma_gbps && f.rdma == "none") c.set(Field::instance_rdma_gbps, 0.0);
  c.set(Field::instance_local_storage_gib, t.local_storage_gib);
  c.set(Field::instance_suspect, t.suspect);

  // The smallest sibling with the same number of the same cards.
  const InstanceType* smaller = nullptr;
  for (const InstanceType& other : f.types) {
    if (!other.vcpus || !t.vcpus || !t.accelerators || other.accelerators != t.accelerators) continue;
    if (other.accelerator_index != t.accelerator_index || *other.vcpus >= *t.vcpus) continue;
    if (smaller == nullptr || *other.vcpus < *smaller->vcpus) smaller = &other;
  }
  if (smaller != nullptr) {
    c.set(Field::instance_smaller_same_cards, smaller->name);
    c.set(Field::instance_smaller_vcpus, smaller->vcpus);
  } else {
    c.clear(Field::instance_smaller_same_cards);
    c.clear(Field::instance_smaller_vcpus);
  }
}

void set_instance(RuleContext& c, const Family& f, const InstanceType& t, const Accelerator* a, const Catalog& catalog,
                  RuleLists& lists) {
  if (a != nullptr) set_accelerator(c, *a, catalog, lists);
  set_family(c, f, lists);
  set_type(c, f, t);
}

void set_layout(RuleContext& c, const Machine& machine, const Layout& layout) {
  const int used = layout.tensor * layout.pipeline * layout.data * layout.context;
  const int per_node = std::max(1, static_cast<int>(std::floor(machine.accelerators_per_node)));
  const int paid = per_node * machine.nodes;
  c.set(Field::layout_nodes, machine.nodes);
  c.set(Field::layout_machines_together, machine.nodes);
  c.set(Field::layout_accelerators, std::min(used, paid));
  c.set(Field::layout_accelerators_per_node, std::min(per_node, used));
  c.set(Field::layout_idle_accelerators, std::max(0, paid - used));
  c.set(Field::layout_tensor, layout.tensor);
  c.set(Field::layout_pipeline, layout.pipeline);
  c.set(Field::layout_data, layout.data);
  c.set(Field::layout_expert, layout.expert);
  c.set(Field::layout_context, layout.context);
  c.set(Field::layout_zero_stage, layout.zero_stage);
  c.set(Field::layout_link, word(machine.link));
  c.set(Field::layout_link_gb_per_s, machine.link_gb_per_s);
  if (machine.inter_node_gbps > 0) {
    c.set(Field::layout_between_machines_gbps, machine.inter_node_gbps);
    c.set(Field::layout_rdma, machine.rdma);
  }
}

void set_estimate(RuleContext& c, const Estimate& e) {
  if (e.memory.known) {
    // What the whole card must hold, the driver's context included: that is what has to fit.
    const double needed = e.memory.device > 0 ? e.memory.device : e.memory.total;
    c.set(Field::estimate_memory_total_gib, needed);
    c.set(Field::estimate_memory_capacity_gib, e.memory.capacity_gib);
    c.set(Field::estimate_memory_weights_gib, e.memory.weights);
    c.set(Field::estimate_memory_kv_cache_gib, e.memory.kv_cache);
    c.set(Field::estimate_memory_headroom_gib, e.memory.headroom_gib);
    if (e.memory.capacity_gib > 0) {
      c.set(Field::estimate_memory_used_fraction, needed / e.memory.capacity_gib);
    }
    c.set(Field::estimate_memory_fits, e.memory.fits);
    c.set(Field::estimate_memory_band_high_percent, e.memory.band_high_percent);
  }
  if (e.speed.known) {
    const auto& s = e.speed;
    c.set(Field::estimate_tokens_per_second, s.tokens_per_second);
    c.set(Field::estimate_samples_per_second, s.samples_per_second);
    c.set(Field::estimate_step_seconds, s.step_seconds);
    c.set(Field::estimate_mfu_percent, s.mfu_percent);
    c.set(Field::estimate_ttft_ms, s.ttft_ms);
    c.set(Field::estimate_tpot_ms, s.tpot_ms);
    c.set(Field::estimate_relative, s.relative);
    const StepTerms& t = s.terms;
    const double links = t.tensor_comm + t.data_comm + t.expert_comm + t.context_comm;
    const double total =
        t.compute + t.attention + t.memory_traffic + t.pipeline_bubble + t.optimizer + t.host + t.data_loading + links;
    if (total > 0) {
      c.set(Field::estimate_communication_fraction, links / total);
      c.set(Field::estimate_tensor_comm_fraction, t.tensor_comm / total);
      c.set(Field::estimate_data_comm_fraction, t.data_comm / total);
      c.set(Field::estimate_expert_comm_fraction, t.expert_comm / total);
      c.set(Field::estimate_data_loading_fraction, t.data_loading / total);
    }
    if (s.step_seconds && *s.step_seconds > 0) {
      c.set(Field::estimate_waiting_fraction, std::clamp((links + t.pipeline_bubble) / *s.step_seconds, 0.0, 1.0));
    }
  }
  static constexpr std::string_view kConfidence[] = {"measured", "interpolated", "extrapolated", "unknown"};
  c.set(Field::estimate_confidence, kConfidence[static_cast<std::size_t>(e.confidence)]);
  c.set(Field::cost_known, e.cost.known);
  if (e.cost.why == "cost/other-currency") c.set(Field::cost_foreign_currency, e.cost.price->currency);
  if (e.cost.known) {
    c.set(Field::cost_currency, e.cost.currency);
    c.set(Field::cost_per_hour, e.cost.per_hour);
    c.set(Field::cost_per_hour_low, e.cost.per_hour_low);
    c.set(Field::cost_to_finish, e.cost.to_finish);
    if (e.cost.price_age_months) c.set(Field::cost_price_age_months, static_cast<double>(*e.cost.price_age_months));
    if (e.cost.price != nullptr) {
      const auto kind = e.cost.price->confidence;
      c.set(Field::cost_price_third_party, kind == SourceKind::third_party || kind == SourceKind::third_party_low);
    }
    if (e.cost.month) c.set(Field::cost_month_breakeven_hours, e.cost.month->hours_per_month);
  }
}

}  // namespace gpuadvise
