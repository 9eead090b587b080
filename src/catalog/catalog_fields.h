// How the catalog's structs are written in data/: see base/fields.h. The order is that of the declarations.
#pragma once

#include <array>

#include "gpuadvise/catalog.h"

#include "base/fields.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

using base::Need;

constexpr auto names(SourceKind) {
  return std::to_array<std::string_view>({"vendor", "vendor_code", "paper", "third_party", "third_party_low", "user"});
}
constexpr auto names(Confidence) { return std::to_array<std::string_view>({"high", "medium", "low"}); }
constexpr auto names(Status) {
  return std::to_array<std::string_view>(
      {"current", "restricted", "preview", "unconfirmed", "not_recommended", "retired", "undocumented"});
}
constexpr auto names(NamedBy) {
  return std::to_array<std::string_view>({"vendor", "vendor_code", "third_party", "inferred"});
}
constexpr auto names(ChargeType) { return std::to_array<std::string_view>({"on_demand", "month", "year", "spot"}); }
constexpr auto names(ModelKind) {
  return std::to_array<std::string_view>(
      {"llm", "vlm", "encoder", "encoder_decoder", "diffusion", "speech", "vision", "recsys"});
}
constexpr auto names(TaskKind) {
  return std::to_array<std::string_view>({"llm_training", "llm_serving", "media_training", "media_inference",
                                          "rendering", "streaming", "transcoding", "hpc", "interactive"});
}

constexpr auto names(CostUnit) {
  return std::to_array<std::string_view>(
      {"none", "image", "clip", "passage", "audio_hour", "frame", "session_hour", "stream_hour"});
}

template <class T, class S>
concept Is = std::same_as<std::remove_const_t<T>, S>;

template <class V, Is<Text> S>
void fields(V& v, S& s) {
  v("en", s.en, Need::required);
  v("zh", s.zh, Need::required);
}

template <class V, Is<Message> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("en", s.en, Need::required);
  v("zh", s.zh, Need::required);
}

template <class V, Is<Source> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("kind", s.kind, Need::required);
  v("title", s.title, Need::required);
  v("where", s.where);
  v("date", s.date);
  v("licence", s.licence);
  v("note", s.note);
}

template <class V, Is<PriceArea> S>
void fields(V& v, S& s) {
  v("name", s.name, Need::required);
  v("regions", s.regions, Need::required);
}

template <class V, Is<Vendor> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("name", s.name, Need::required);
  v("aliases", s.aliases);
  v("name_prefixes", s.name_prefixes);
  v("home_regions", s.home_regions);
  v("other_regions", s.other_regions);
  v("price_areas", s.price_areas);
  v("terraform_provider", s.terraform_provider);
  v("spot_range", s.spot_range);
  v("spot_min_fraction", s.spot_min_fraction);
  v("sources", s.sources, Need::required);
}

template <class V, Is<PeakRates> S>
void fields(V& v, S& s) {
  v("fp64", s.fp64);
  v("fp64_tensor", s.fp64_tensor);
  v("fp32", s.fp32);
  v("fp32_matrix", s.fp32_matrix);
  v("tf32", s.tf32);
  v("fp16_vector", s.fp16_vector);
  v("fp16", s.fp16);
  v("bf16", s.bf16);
  v("fp8", s.fp8);
  v("fp4", s.fp4);
  v("int8", s.int8);
  v("int4", s.int4);
  v("fp16_fp16_accumulate", s.fp16_fp16_accumulate);
}

template <class V, Is<Accelerator> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("name", s.name, Need::required);
  v("maker", s.maker, Need::required);
  v("aliases", s.aliases);
  v("architecture", s.architecture);
  v("chip_class", s.chip_class);
  v("form_factor", s.form_factor);
  v("software_stack", s.software_stack, Need::required);
  v("compute_capability", s.compute_capability);
  v("release_year", s.release_year);
  v("memory_gib", s.memory_gib);
  v("usable_memory_gib", s.usable_memory_gib);
  v("memory_type", s.memory_type);
  v("memory_bandwidth_gb_per_s", s.memory_bandwidth_gb_per_s);
  v("ecc", s.ecc);
  v("tdp_w", s.tdp_w);
  v("chips_per_board", s.chips_per_board);
  v("peak", s.peak);
  v("l2_mib", s.l2_mib);
  v("sm_count", s.sm_count);
  v("boost_clock_mhz", s.boost_clock_mhz);
  v("link", s.link);
  v("link_generation", s.link_generation);
  v("link_gb_per_s", s.link_gb_per_s);
  v("pcie_gen", s.pcie_gen);
  v("pcie_lanes", s.pcie_lanes);
  v("mig_max_instances", s.mig_max_instances);
  v("vgpu", s.vgpu);
  v("rt_core_generation", s.rt_core_generation);
  v("rt_core_count", s.rt_core_count);
  v("opengl", s.opengl);
  v("vulkan", s.vulkan);
  v("directx", s.directx);
  v("graphics_note", s.graphics_note);
  v("nvenc_count", s.nvenc_count);
  v("nvenc_generation", s.nvenc_generation);
  v("nvenc_av1", s.nvenc_av1);
  v("nvdec_count", s.nvdec_count);
  v("nvdec_av1", s.nvdec_av1);
  v("media_note", s.media_note);
  v("export_rules", s.export_rules);
  v("export_note", s.export_note);
  v("confidence", s.confidence, Need::required);
  v("sources", s.sources, Need::required);
  v("date", s.date, Need::required);
  v("derived", s.derived);
  v("conflicts", s.conflicts);
  v("notes", s.notes);
}

template <class V, Is<ExportRule> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("date", s.date, Need::required);
  v("authority", s.authority, Need::required);
  v("effect", s.effect, Need::required);
  v("items", s.items);
  v("scope", s.scope);
  v("status", s.status);
  v("sources", s.sources, Need::required);
}

template <class V, Is<InstanceType> S>
void fields(V& v, S& s) {
  v("name", s.name, Need::required);
  v("status", s.status);
  v("vcpus", s.vcpus);
  v("memory_gib", s.memory_gib);
  v("accelerator", s.accelerator);
  v("accelerators", s.accelerators);
  v("accelerator_memory_gib", s.accelerator_memory_gib);
  v("accelerator_memory_total_gib", s.accelerator_memory_total_gib);
  v("slice", s.slice);
  v("network_gbps", s.network_gbps);
  v("network_burst_gbps", s.network_burst_gbps);
  v("rdma_gbps", s.rdma_gbps);
  v("packets_per_second", s.packets_per_second);
  v("local_storage_gib", s.local_storage_gib);
  v("disk_iops", s.disk_iops);
  v("disk_gb_per_s", s.disk_gb_per_s);
  v("suspect", s.suspect);
  v("sources", s.sources, Need::required);
  v("notes", s.notes);
  v("accelerator_index", s.accelerator_index, Need::derived);
}

template <class V, Is<Family> S>
void fields(V& v, S& s) {
  v("vendor", s.vendor, Need::required);
  v("name", s.name, Need::required);
  v("title", s.title, Need::required);
  v("product", s.product);
  v("platform", s.platform);
  v("status", s.status, Need::required);
  v("default_search", s.default_search, Need::required);
  v("caveat", s.caveat);
  v("status_note", s.status_note);
  v("accelerator", s.accelerator);
  v("accelerator_named_by", s.accelerator_named_by, Need::required);
  v("accelerator_note", s.accelerator_note);
  v("cpu", s.cpu);
  v("cpu_base_ghz", s.cpu_base_ghz);
  v("cpu_turbo_ghz", s.cpu_turbo_ghz);
  v("cpu_arch", s.cpu_arch);
  v("interconnect", s.interconnect);
  v("interconnect_gb_per_s", s.interconnect_gb_per_s);
  v("interconnect_note", s.interconnect_note);
  v("rdma", s.rdma);
  v("local_disk", s.local_disk);
  v("disks", s.disks);
  v("vgpu_licence", s.vgpu_licence);
  v("graphics", s.graphics);
  v("scenarios", s.scenarios);
  v("released", s.released);
  v("regions", s.regions);
  v("regions_date", s.regions_date);
  v("successors", s.successors);
  v("often_said", s.often_said);
  v("sources", s.sources, Need::required);
  v("date", s.date, Need::required);
  v("notes", s.notes);
  v("types", s.types);
}

template <class V, Is<MoreTypes> S>
void fields(V& v, S& s) {
  v("vendor", s.vendor, Need::required);
  v("family", s.family, Need::required);
  v("types", s.types, Need::required);
}

template <class V, Is<Price> S>
void fields(V& v, S& s) {
  v("vendor", s.vendor, Need::required);
  v("type", s.type, Need::required);
  v("region", s.region);
  v("charge", s.charge, Need::required);
  v("currency", s.currency, Need::required);
  v("amount", s.amount, Need::required);
  v("amount_min", s.amount_min);
  v("amount_max", s.amount_max);
  v("as_of", s.as_of);
  v("source", s.source, Need::required);
  v("confidence", s.confidence, Need::required);
  v("suspect", s.suspect);
  v("note", s.note);
}

template <class V, Is<Currency> S>
void fields(V& v, S& s) {
  v("code", s.code, Need::required);
  v("name", s.name, Need::required);
  v("source", s.source, Need::required);
}

template <class V, Is<SpotInterruptions> S>
void fields(V& v, S& s) {
  v("hours_between", s.hours_between, Need::required);
  v("checkpoint_hours", s.checkpoint_hours, Need::required);
  v("restart_hours", s.restart_hours, Need::required);
  v("most_lost", s.most_lost, Need::required);
  v("note", s.note, Need::required);
}

template <class V, Is<NameNote> S>
void fields(V& v, S& s) {
  v("name", s.name, Need::required);
  v("vendor", s.vendor, Need::required);
  v("documented", s.documented, Need::required);
  v("said", s.said, Need::required);
  v("truth", s.truth, Need::required);
  v("nearest", s.nearest, Need::required);
  v("sources", s.sources, Need::required);
}

template <class V, Is<ModelComponent> S>
void fields(V& v, S& s) {
  v("name", s.name, Need::required);
  v("params", s.params, Need::count);
}

template <class V, Is<Model> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("name", s.name, Need::required);
  v("aliases", s.aliases);
  v("kind", s.kind, Need::required);
  v("params", s.params, Need::required);
  v("active_params", s.active_params, Need::required);
  v("architecture", s.architecture);
  v("components", s.components);
  v("gflops_per_sample", s.gflops_per_sample);
  v("resolution", s.resolution);
  v("activations_per_sample", s.activations_per_sample);
  v("trained_in", s.trained_in);
  v("hf_id", s.hf_id);
  v("verified", s.verified, Need::required);
  v("sources", s.sources, Need::required);
  v("note", s.note);
}

template <class V, Is<TypicalShape> S>
void fields(V& v, S& s) {
  v("like", s.like, Need::required);
  v("layers", s.layers, Need::required);
  v("hidden", s.hidden, Need::required);
  v("intermediate", s.intermediate, Need::required);
  v("heads", s.heads, Need::required);
  v("kv_heads", s.kv_heads, Need::required);
  v("head_dim", s.head_dim, Need::required);
  v("vocab", s.vocab, Need::required);
  v("tie_embeddings", s.tie_embeddings, Need::required);
  v("sources", s.sources, Need::required);
}

template <class V, Is<ModelType> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("aliases", s.aliases);
  v("kind", s.kind, Need::required);
  v("gated_mlp", s.gated_mlp, Need::required);
  v("tie_embeddings", s.tie_embeddings, Need::required);
  v("attention_bias", s.attention_bias, Need::required);
  v("learned_positions", s.learned_positions);
  v("position_offset", s.position_offset);
  v("intermediate_halved", s.intermediate_halved);
  v("window_every", s.window_every);
  v("defaults", s.defaults);
  v("sources", s.sources, Need::required);
  v("note", s.note);
}

template <class V, Is<ConfigKey> S>
void fields(V& v, S& s) {
  v("field", s.field, Need::required);
  v("keys", s.keys, Need::required);
}

template <class V, Is<ApplicationPreset> S>
void fields(V& v, S& s) {
  v("names", s.names, Need::required);
  v("precision", s.precision, Need::required);
  v("bound", s.bound, Need::required);
}

template <class V, Is<TaskPreset> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("title_en", s.title_en, Need::required);
  v("title_zh", s.title_zh, Need::required);
  v("kind", s.kind, Need::required);
  v("default_model", s.default_model);
  v("reference_card", s.reference_card);
  v("patience_hours", s.patience_hours);
  v("cost_unit", s.cost_unit);
  v("defaults", s.defaults);
  v("applications", s.applications);
}

}  // namespace gpuadvise
