// Memory of training and of serving against memory_train.jsonl and memory_inference.jsonl.
#include <fmt/format.h>

#include "estimate/kv_cache.h"
#include "estimate/memory_lookup.h"
#include "workload.h"
#include "workload/profile_fields.h"

namespace gpuadvise::accuracy {

namespace {

template <class E>
std::string word(E value) {
  return std::string(names(value)[static_cast<std::size_t>(value)]);
}

std::string size_class(double params) {
  if (params < 1e9) return "below 1B";
  if (params < 5e9) return "1B to 5B";
  if (params < 20e9) return "5B to 20B";
  if (params < 100e9) return "20B to 100B";
  return "100B and more";
}

// A published calculator, re-derived: model states by ZeRO stage (Rajbhandari et al. 2020, section 3) and activations
// of s b h (34 + 5 a s / h) a layer divided by tensor parallelism, or 2 s b h with full recompute (Korthikanti et al.
// 2022, table 2), one micro-batch in flight a stage.
std::optional<double> korthikanti(const Workload& w, const Layout& l) {
  if (!w.has_architecture || !w.profile.training.sequence_length) return std::nullopt;
  const Architecture& a = w.architecture;
  const double cards = static_cast<double>(l.tensor) * l.pipeline;
  const double d = l.data;
  const double states =
      w.params / cards *
      ((l.zero_stage >= 3 ? 2 / d : 2) + (l.zero_stage >= 2 ? 2 / d : 2) + (l.zero_stage >= 1 ? 12 / d : 12));
  const double s = *w.profile.training.sequence_length;
  const double sbh = s * l.micro_batch * a.hidden;
  const double layer = l.checkpointing == Checkpointing::full ? 2 * sbh
                       : l.checkpointing == Checkpointing::selective
                           ? 34 * sbh / l.tensor
                           : sbh * (34 + 5 * a.heads * s / a.hidden) / l.tensor;
  return (states + layer * a.layers) / kGib;
}

// Two bytes for each key and value of each layer and token of all sequences.
double plain_cache(const Workload& w, const Layout& l) {
  if (!w.has_architecture) return 0;
  const InferenceSpec& i = w.profile.inference;
  const double tokens = static_cast<double>(i.input_tokens.value_or(0)) + i.output_tokens.value_or(0);
  return i.concurrency.value_or(1) * tokens * kv_cache(w.architecture, 2, l.tensor, l.pipeline).per_token;
}

// What the meter that the source read would show. A stated figure may be any of them: it is compared with the total.
double by_kind(const MemoryEstimate& m, std::string_view kind) {
  if (kind == "allocated" || kind == "total-allocated") return m.allocated;
  if (kind == "weights") return m.weights;
  if (kind == "kv-capacity") return m.kv_cache;
  return m.total;
}

void fill(const Row& row, const Context& context, const Setup& setup, std::string_view key, Sample& sample) {
  sample.measured = row.number(key);
  const MemoryEstimate m = estimate_memory(setup.workload, setup.machine, setup.layout, context.calibration);
  if (!m.known) {
    sample.why = m.why;
    return;
  }
  sample.predicted = context.by_total ? m.total : by_kind(m, row.word("kind"));
  sample.band_low_percent = m.band_low_percent;
  sample.band_high_percent = m.band_high_percent;
  if (context.verbose) {
    fmt::print(
        "{}: w {:.2f} g {:.2f} o {:.2f} act {:.2f} log {:.2f} kv {:.2f} ad {:.2f} comm {:.2f} run {:.2f} frag "
        "{:.2f} total {:.2f} measured {:.2f}\n",
        row.id, m.weights, m.gradients, m.optimizer, m.activations, m.logits, m.kv_cache, m.adapters, m.communication,
        m.runtime, m.fragmentation, m.total, sample.measured.value_or(0));
  }
  if (const auto status = row.word("status"); !status.empty()) {
    sample.measured_verdict = status == "oom" ? Verdict::does_not_fit : Verdict::fits;
    sample.predicted_verdict = m.fits ? Verdict::fits : Verdict::does_not_fit;
  }
}

std::string parallelism(const Layout& l) {
  if (l.pipeline > 1) return "pipeline";
  if (l.tensor > 1) return "tensor";
  return l.zero_stage > 0 ? "zero" : "one card or plain data";
}

void training(const Row& row, const Context& context, Sample& sample) {
  const TrainingSpec& t = row.profile.training;
  sample.measured = row.number("peak_gib");
  const Setup setup = product_setup(row, context);
  fill(row, context, setup, "peak_gib", sample);
  const Layout& l = setup.layout;
  const double p = setup.workload.params;
  sample.classes = {
      {"meter", std::string(row.word("kind"))},
      {"method", word(t.method.value_or(Method::full))},
      {"precision", word(t.precision.value_or(Precision::bf16))},
      {"framework", std::string(t.framework.value_or(""))},
      {"parallelism", parallelism(l)},
      {"checkpointing", word(l.checkpointing)},
      {"accelerator", std::string(row.profile.hardware.accelerator.value_or(""))},
      {"size", size_class(p)},
  };
  if (t.method.value_or(Method::full) != Method::full || p <= 0) return;
  const double cards = static_cast<double>(l.tensor) * l.pipeline * (l.zero_stage >= 3 ? l.data : 1);
  // Rules of thumb, divided over the cards that share one copy of the model.
  sample.peers = {{"HF accelerate estimate-memory: 4 x weights in fp32", 4 * 4 * p / kGib / cards},
                  {"16 bytes a parameter (ZeRO paper)", 16 * p / kGib / cards},
                  {"states and Korthikanti's activations", korthikanti(setup.workload, l)}};
}

void serving(const Row& row, const Context& context, Sample& sample) {
  const InferenceSpec& i = row.profile.inference;
  sample.measured = row.number("per_accelerator_gib");
  const Setup setup = product_setup(row, context);
  fill(row, context, setup, "per_accelerator_gib", sample);
  const Layout& l = setup.layout;
  const double p = setup.workload.params;
  sample.classes = {
      {"meter", std::string(row.word("kind"))},
      {"engine", std::string(i.engine.value_or(""))},
      {"weights", std::string(i.weights.value_or(""))},
      {"parallelism", parallelism(l)},
      {"accelerator", std::string(row.profile.hardware.accelerator.value_or(""))},
      {"size", size_class(p)},
  };
  const auto kind = row.word("kind");
  if (kind == "weights" || kind == "kv-capacity" || p <= 0) return;
  const auto* format =
      find_weight_format(context.calibration.memory, setup.workload.profile.inference.weights.value_or(""));
  if (format == nullptr) return;
  const double cards = static_cast<double>(l.tensor) * l.pipeline;
  sample.peers = {{"HF accelerate: weights x 1.2", 1.2 * p * format->bytes / kGib / cards},
                  {"weights + KV cache", (p * format->bytes / cards + plain_cache(setup.workload, l)) / kGib}};
}

}  // namespace

extern const Study memory_training;
extern const Study memory_serving;
const Study memory_training{"memory-training", "memory_train.jsonl", "Memory of training", "GiB", training, true, true};
const Study memory_serving{"memory-serving", "memory_inference.jsonl", "Memory of serving", "GiB", serving, true, true};

}  // namespace gpuadvise::accuracy
