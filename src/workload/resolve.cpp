#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string>

#include "gpuadvise/catalog.h"
#include "gpuadvise/workload.h"

#include "base/text.h"
#include "catalog/lookup.h"
#include "workload/architecture.h"
#include "workload/model_lookup.h"
#include "workload/profile.h"
#include "workload/profile_fields.h"
#include "workload/reconcile.h"

namespace gpuadvise {

namespace {

[[noreturn]] void fail(std::string_view field, std::string_view message) {
  throw InputError(Place{}, fmt::format("{}: {}", field, message));
}

template <class T>
void at_least(const std::optional<T>& value, double least, double most, std::string_view field) {
  if (!value) return;
  const auto number = static_cast<double>(*value);
  if (number < least || number > most)
    fail(field, fmt::format("{} is out of range; {:g} to {:g} is possible", number, least, most));
}

// Beyond these a number is a slip, and products of them still fit every type used.
void check_ranges(const Profile& p) {
  constexpr double kCount = 1e6;
  constexpr double kTokens = 1e8;
  constexpr double kWhole = std::numeric_limits<int>::max();
  at_least(p.model.params, 1e3, 1e15, "model.params");
  at_least(p.model.active_params, 1e3, 1e15, "model.active_params");
  at_least(p.training.lora_rank, 1, 65536, "training.lora_rank");
  at_least(p.training.sequence_length, 1, kTokens, "training.sequence_length");
  at_least(p.training.micro_batch, 1, kTokens, "training.micro_batch");
  at_least(p.training.global_batch, 1, kTokens, "training.global_batch");
  at_least(p.training.frames, 1, kCount, "training.frames");
  at_least(p.inference.input_tokens, 0, kTokens, "inference.input_tokens");
  at_least(p.inference.output_tokens, 0, kTokens, "inference.output_tokens");
  at_least(p.inference.concurrency, 1e-3, kTokens, "inference.concurrency");
  at_least(p.inference.requests_per_second, 1e-9, kTokens, "inference.requests_per_second");
  at_least(p.inference.off_peak_requests_per_second, 0, kTokens, "inference.off_peak_requests_per_second");
  at_least(p.inference.max_context, 1, kTokens, "inference.max_context");
  at_least(p.inference.gpu_memory_utilization, 0.01, 1, "inference.gpu_memory_utilization");
  at_least(p.inference.beam_width, 1, 1024, "inference.beam_width");
  at_least(p.inference.frames, 1, kCount, "inference.frames");
  at_least(p.inference.steps, 1, kCount, "inference.steps");
  at_least(p.inference.audio_seconds, 0.01, kTokens, "inference.audio_seconds");
  at_least(p.inference.prefix_cache_hit_rate, 0, 1, "inference.prefix_cache_hit_rate");
  at_least(p.inference.speculative_acceptance, 1, 64, "inference.speculative_acceptance");
  if (p.inference.slo) {
    at_least(p.inference.slo->ttft_ms, 1e-3, 1e9, "inference.slo.ttft_ms");
    at_least(p.inference.slo->tpot_ms, 1e-3, 1e9, "inference.slo.tpot_ms");
  }
  at_least(p.parallelism.tensor, 1, kCount, "parallelism.tensor");
  at_least(p.parallelism.pipeline, 1, kCount, "parallelism.pipeline");
  at_least(p.parallelism.virtual_pipeline, 1, kCount, "parallelism.virtual_pipeline");
  at_least(p.parallelism.data, 1, kCount, "parallelism.data");
  at_least(p.parallelism.expert, 1, kCount, "parallelism.expert");
  at_least(p.parallelism.context, 1, kCount, "parallelism.context");
  at_least(p.parallelism.zero_stage, 0, 3, "parallelism.zero_stage");
  at_least(p.hardware.accelerators_per_node, 1.0 / 64, 1024, "hardware.accelerators_per_node");
  at_least(p.hardware.nodes, 1, kCount, "hardware.nodes");
  at_least(p.operations.hours_per_month, 0, 744, "operations.hours_per_month");
  at_least(p.hardware.inter_node_gbps, 0, 1e5, "hardware.inter_node_gbps");
  at_least(p.data.dataset_tokens, 1, 1e18, "data.dataset_tokens");
  at_least(p.data.dataset_samples, 1, 1e18, "data.dataset_samples");
  at_least(p.data.samples_per_vcpu, 1e-6, 1e9, "data.samples_per_vcpu");
  at_least(p.data.storage_mb_per_s, 1e-6, 1e9, "data.storage_mb_per_s");
  at_least(p.data.epochs, 1e-6, kCount, "data.epochs");
  at_least(p.constraints.min_headroom, 0, 0.9, "constraints.min_headroom");
  at_least(p.constraints.max_nodes, 1, kCount, "constraints.max_nodes");
  at_least(p.constraints.budget_per_hour, 1e-6, 1e12, "constraints.budget_per_hour");
  at_least(p.constraints.budget_total, 1e-6, 1e15, "constraints.budget_total");
  at_least(p.constraints.deadline_hours, 1e-6, 1e7, "constraints.deadline_hours");
  at_least(p.hpc.arithmetic_intensity, 1e-6, 1e9, "hpc.arithmetic_intensity");
  at_least(p.hpc.memory_gib, 1e-3, 1e9, "hpc.memory_gib");
  at_least(p.rendering.samples, 1, kWhole, "rendering.samples");
  at_least(p.rendering.frames, 1, kWhole, "rendering.frames");
  at_least(p.rendering.minutes_per_frame, 1e-6, 1e6, "rendering.minutes_per_frame");
  at_least(p.hpc.hours_per_run, 1e-6, 1e6, "hpc.hours_per_run");
  at_least(p.operations.runs, 1, kCount, "operations.runs");
  at_least(p.rendering.scene_gib, 1e-3, 1e6, "rendering.scene_gib");
  at_least(p.transcoding.frame_rate, 1, 1e4, "transcoding.frame_rate");
  if (p.model.architecture) {
    if (const auto wrong = out_of_range(*p.model.architecture); !wrong.empty()) fail("model.architecture", wrong);
  }
}

// Regions and currencies are words of the catalog: one that it does not know finds nothing, so it is a slip.
void check_words(ConstraintsSpec& c, const Catalog& catalog) {
  if (c.currency) {
    const Currency* currency = find_currency(catalog, *c.currency);
    if (currency == nullptr) {
      std::vector<std::string_view> codes;
      std::string all;
      for (const auto& known : catalog.currencies) {
        codes.push_back(known.code);
        all += (all.empty() ? "" : ", ") + std::string(known.code);
      }
      fail("constraints.currency", fmt::format("unknown currency \"{}\"{}; known: {}", base::printable(*c.currency),
                                               base::did_you_mean(*c.currency, codes), all));
    }
    c.currency = currency->code;
  }
  if (!c.regions || c.regions->empty()) return;
  const std::vector<std::string_view> regions = known_regions(catalog);
  if (regions.empty()) return;
  for (const auto asked : *c.regions) {
    if (std::any_of(regions.begin(), regions.end(), [&](auto known) { return region_matches(asked, known); })) continue;
    std::string near;
    for (const auto name : base::nearest(asked, regions, 3, false)) {
      near += (near.empty() ? "" : ", ") + std::string(name);
    }
    fail("constraints.regions",
         fmt::format("the catalog knows no region \"{}\"; nearest: {}", base::printable(asked), near));
  }
}

const TaskPreset& find_task(std::string_view id, const Catalog& catalog) {
  std::vector<std::string_view> ids;
  for (const auto& task : catalog.tasks) {
    if (base::equal_ignoring_case(task.id, id)) return task;
    ids.push_back(task.id);
  }
  std::string all;
  for (const auto known : ids) all += (all.empty() ? "" : ", ") + std::string(known);
  fail("task", fmt::format("unknown task \"{}\"{}; known: {}", base::printable(id), base::did_you_mean(id, ids), all));
}

class Resolver {
 public:
  Resolver(const Profile& profile, const Catalog& catalog) : catalog_(catalog) { w_.profile = profile; }

  Workload run() {
    Profile& p = w_.profile;
    if (!p.task) fail("task", "is missing; gpuadvise tasks lists what is known");
    w_.task = &find_task(*p.task, catalog_);
    p.task = w_.task->id;
    w_.kind = w_.task->kind;
    check_ranges(p);
    check_words(p.constraints, catalog_);
    pick_model();
    Profile defaults = w_.task->defaults;
    if (p.model.name || p.model.params || p.model.architecture) defaults.model = {};
    // An offered load says how many requests are in flight; a default must not say otherwise.
    if (p.inference.requests_per_second) defaults.inference.concurrency.reset();
    // A stated mode without a load asks for what the machine can do, not for the preset's few users; so does a latency
    // target, within it.
    if (p.inference.mode || p.inference.slo) defaults.inference.concurrency.reset();
    // Samples of a stated length are so many tokens, whatever the preset assumes.
    if (w_.kind == TaskKind::llm_training && p.data.dataset_samples) defaults.data.dataset_tokens.reset();
    if (p.hpc.app) set_application(*p.hpc.app, defaults.hpc);
    // A stated context bounds the lengths that the preset assumes.
    if (p.inference.max_context) {
      InferenceSpec& d = defaults.inference;
      const int most = *p.inference.max_context;
      if (d.input_tokens) d.input_tokens = std::clamp(most - p.inference.output_tokens.value_or(0), 0, *d.input_tokens);
      const int input = p.inference.input_tokens.value_or(d.input_tokens.value_or(0));
      if (d.output_tokens) d.output_tokens = std::clamp(most - input, 0, *d.output_tokens);
    }
    fill_in(p, defaults, Assumption::Origin::task_preset, w_.assumptions);
    shape_model();
    if (w_.kind == TaskKind::llm_training || w_.kind == TaskKind::media_training) finish_training();
    if (w_.kind == TaskKind::llm_serving || w_.kind == TaskKind::interactive) finish_serving();
    return std::move(w_);
  }

 private:
  void set_application(std::string_view app, HpcSpec& defaults) const {
    for (const auto& known : w_.task->applications) {
      const bool named = std::any_of(known.names.begin(), known.names.end(),
                                     [&](std::string_view name) { return base::holds_ignoring_case(app, name); });
      if (!named) continue;
      defaults.precision = known.precision;
      defaults.bound = known.bound;
      return;
    }
  }

  template <class T>
  void assume(std::optional<T>& field, T value, std::string_view name, std::string text) {
    if (field) return;
    field = value;
    w_.assumptions.push_back({std::string(name), std::move(text), Assumption::Origin::inferred});
  }

  void pick_model() {
    ModelSpec& spec = w_.profile.model;
    if (!spec.name && !spec.params && !spec.architecture && !w_.task->default_model.empty()) {
      spec.name = w_.task->default_model;
      w_.assumptions.push_back({"model.name", std::string(*spec.name), Assumption::Origin::task_preset});
    }
    if (!spec.name) return;
    w_.model = find_model(catalog_, *spec.name).model;
    if (w_.model != nullptr || spec.params || spec.architecture) return;
    const auto near = nearest_models(catalog_, *spec.name);
    std::string names;
    for (const auto name : near) names += (names.empty() ? "" : ", ") + std::string(name);
    fail("model.name", fmt::format("\"{}\" is not in the model library; nearest: {}. Give params or an architecture to "
                                   "use another model",
                                   base::printable(*spec.name), names));
  }

  // A name and a count that cannot be of one model. Of a model of several parts the count may be of one of them, as
  // that of a diffusion model is of its denoising network.
  void check_size() const {
    const ModelSpec& spec = w_.profile.model;
    if (w_.model == nullptr || !spec.params || w_.model->params <= 0) return;
    constexpr double kSame = 1.5;  // counts with and without embeddings, encoders, pruned layers
    const auto same = [&](double known) { return *spec.params <= known * kSame && known <= *spec.params * kSame; };
    if (same(w_.model->params)) return;
    const auto& parts = w_.model->components;
    if (std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return same(part.params); })) return;
    fail("model.params",
         fmt::format("{} parameters are not those of {}, which has {}; leave out the name or the count",
                     base::format_count(*spec.params), w_.model->id, base::format_count(w_.model->params)));
  }

  void shape_model() {
    ModelSpec& spec = w_.profile.model;
    check_size();
    if (w_.model != nullptr) {
      if (!spec.params) {
        spec.params = w_.model->params;
        note("model.params", base::format_count(*spec.params), Assumption::Origin::model_library);
      }
      if (!spec.active_params && w_.model->active_params > 0 && spec.params == w_.model->params) {
        spec.active_params = w_.model->active_params;
      }
      if (!spec.architecture && w_.model->architecture) {
        spec.architecture = w_.model->architecture;
        note("model.architecture", std::string(w_.model->id), Assumption::Origin::model_library);
      }
    }
    const bool language =
        w_.kind == TaskKind::llm_training || w_.kind == TaskKind::llm_serving || w_.kind == TaskKind::interactive;
    if (!spec.architecture && spec.params && language) {
      spec.architecture =
          infer_architecture(*spec.params, spec.active_params.value_or(*spec.params), catalog_.typical_shapes);
      w_.architecture_inferred = true;
      note("model.architecture",
           fmt::format("{} layers of width {}", spec.architecture->layers, spec.architecture->hidden),
           Assumption::Origin::inferred);
    }
    if (spec.architecture) {
      w_.architecture = completed(reconciled(*spec.architecture, spec.params.value_or(0), w_.model));
      w_.has_architecture = true;
      const ParameterCount count = count_parameters(w_.architecture);
      if (!spec.params) {
        spec.params = count.total;
        note("model.params", base::format_count(*spec.params), Assumption::Origin::inferred);
      }
      if (!spec.active_params) {
        // The published total and the computed one may differ a little: keep their ratio.
        spec.active_params = count.total > 0 ? *spec.params * std::min(1.0, count.active / count.total) : *spec.params;
      }
    }
    w_.params = spec.params.value_or(0);
    w_.active_params = spec.active_params.value_or(w_.params);
    if (w_.active_params > w_.params * 1.0001 && w_.params > 0) {
      fail("model.active_params", fmt::format("{} is more than the model's {} parameters",
                                              base::format_count(w_.active_params), base::format_count(w_.params)));
    }
  }

  void note(std::string_view field, std::string value, Assumption::Origin origin) {
    w_.assumptions.push_back({std::string(field), std::move(value), origin});
  }

  void finish_training() {
    TrainingSpec& t = w_.profile.training;
    DataSpec& d = w_.profile.data;
    if (w_.kind == TaskKind::llm_training && d.dataset_samples && t.sequence_length) {
      const double tokens = *d.dataset_samples * *t.sequence_length;
      assume(d.dataset_tokens, tokens, "data.dataset_tokens", base::format_count(tokens));
    }
    if (w_.kind == TaskKind::llm_training && w_.profile.model.params) {
      // Hoffmann et al. 2022: about 20 tokens a parameter is where compute is spent best.
      constexpr double kTokensPerParameter = 20;
      const double tokens = kTokensPerParameter * *w_.profile.model.params;
      assume(d.dataset_tokens, tokens, "data.dataset_tokens", base::format_count(tokens));
    }
    const Precision compute = t.precision.value_or(Precision::bf16);
    assume(t.method, Method::full, "training.method", "full");
    const bool frozen = *t.method == Method::lora || *t.method == Method::qlora;
    // The weights that a 16-bit run holds are 16 bit; QLoRA's are 4 bit by definition.
    const Precision stored = *t.method == Method::qlora                                 ? Precision::nf4
                             : compute == Precision::tf32 || compute == Precision::fp32 ? Precision::fp32
                             : compute == Precision::fp8                                ? Precision::bf16
                                                                                        : compute;
    assume(t.base_weights, stored, "training.base_weights", name_of(stored));
    if (*t.method == Method::qlora && !four_bit(*t.base_weights)) {
      fail("training.base_weights",
           fmt::format("qlora trains over 4-bit weights (nf4, int4, fp4), and {0} is none; over {0} it is lora",
                       name_of(*t.base_weights)));
    }
    const bool half = *t.base_weights == Precision::bf16 || *t.base_weights == Precision::fp16;
    const Precision master = !frozen && half ? Precision::fp32 : Precision::none;
    assume(t.master_weights, master, "training.master_weights", name_of(master));
    if (frozen) assume(t.lora_rank, 16, "training.lora_rank", "16");
    assume(t.flash_attention, true, "training.flash_attention", "true");
  }

  void finish_serving() {
    InferenceSpec& s = w_.profile.inference;
    if (!s.weights) {
      // A model is served in the precision that it was published in.
      const std::string_view trained = w_.model != nullptr ? w_.model->trained_in : std::string_view();
      const std::string_view format = trained == "fp8" || trained == "mxfp4" || trained == "fp16" ? trained : "bf16";
      s.weights = format;
      note("inference.weights", std::string(format),
           trained.empty() ? Assumption::Origin::inferred : Assumption::Origin::model_library);
    }
    if (!s.kv_cache) {
      const std::string_view cache = *s.weights == "fp16" || *s.weights == "fp32" ? *s.weights : "bf16";
      s.kv_cache = cache;
      note("inference.kv_cache", std::string(cache), Assumption::Origin::inferred);
    }
    const int tokens = s.input_tokens.value_or(0) + s.output_tokens.value_or(0);
    assume(s.max_context, std::max(1, tokens), "inference.max_context", fmt::format("{}", tokens));
    if (s.max_context && tokens > *s.max_context) {
      fail("inference.max_context",
           fmt::format("{} is less than input_tokens + output_tokens = {}", *s.max_context, tokens));
    }
  }

  static bool four_bit(Precision p) { return p == Precision::nf4 || p == Precision::int4 || p == Precision::fp4; }
  static std::string name_of(Precision p) { return std::string(names(Precision{})[static_cast<std::size_t>(p)]); }

  const Catalog& catalog_;
  Workload w_;
};

}  // namespace

Workload resolve(const Profile& profile, const Catalog& catalog) { return Resolver(profile, catalog).run(); }

}  // namespace gpuadvise
