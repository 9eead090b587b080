// Memory of training and of serving against memory_train.jsonl and memory_inference.jsonl.
#include <fmt/format.h>

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

// What the meter that the source read would show. A stated figure may be any of them: it is compared with the total.
double by_kind(const MemoryEstimate& m, std::string_view kind) {
  if (kind == "allocated" || kind == "total-allocated") return m.allocated;
  if (kind == "weights") return m.weights;
  if (kind == "kv-capacity") return m.kv_cache;
  return m.total;
}

void verdicts(const Row& row, const Setup& setup, const MemoryEstimate& m, Sample& sample) {
  const auto status = row.word("status");
  if (status.empty()) return;
  sample.measured_verdict = status == "oom" ? Verdict::does_not_fit : Verdict::fits;
  if (setup.machine.memory_gib <= 0) return;
  sample.predicted_verdict = m.device <= setup.machine.memory_gib ? Verdict::fits : Verdict::does_not_fit;
}

void fill(const Row& row, const Context& context, const Setup& setup, std::string_view key, Sample& sample) {
  const MemoryEstimate m = estimate_memory(setup.workload, setup.machine, setup.layout, context.calibration);
  sample.measured = row.number(key);
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
  verdicts(row, setup, m, sample);
}

void training(const Row& row, const Context& context, Sample& sample) {
  const Setup setup = setup_of(row, context);
  const TrainingSpec& t = row.profile.training;
  fill(row, context, setup, "peak_gib", sample);
  const Layout& l = setup.layout;
  sample.classes = {
      {"meter", std::string(row.word("kind"))},
      {"method", word(t.method.value_or(Method::full))},
      {"precision", word(t.precision.value_or(Precision::bf16))},
      {"framework", std::string(t.framework.value_or(""))},
      {"parallelism", l.pipeline > 1     ? "pipeline"
                      : l.tensor > 1     ? "tensor"
                      : l.zero_stage > 0 ? "zero"
                                         : "one card or plain data"},
      {"checkpointing", word(l.checkpointing)},
      {"accelerator", std::string(row.profile.hardware.accelerator.value_or(""))},
      {"size", size_class(setup.workload.params)},
  };
  const double p = setup.workload.params;
  const double gib = 1024.0 * 1024.0 * 1024.0;
  if (t.method.value_or(Method::full) == Method::full && p > 0) {
    const double cards = static_cast<double>(l.tensor) * l.pipeline * (l.zero_stage >= 3 ? l.data : 1);
    sample.peers = {{"HF accelerate: weights x 4", 4 * p * 4 / gib / cards},
                    {"16 bytes a parameter", 16 * p / gib / cards}};
  }
}

void serving(const Row& row, const Context& context, Sample& sample) {
  const Setup setup = setup_of(row, context);
  const InferenceSpec& i = row.profile.inference;
  fill(row, context, setup, "per_accelerator_gib", sample);
  const Layout& l = setup.layout;
  sample.classes = {
      {"meter", std::string(row.word("kind"))},
      {"engine", std::string(i.engine.value_or(""))},
      {"weights", std::string(i.weights.value_or(""))},
      {"parallelism", l.pipeline > 1 ? "pipeline"
                      : l.tensor > 1 ? "tensor"
                                     : "one card"},
      {"accelerator", std::string(row.profile.hardware.accelerator.value_or(""))},
      {"size", size_class(setup.workload.params)},
  };
}

}  // namespace

extern const Study memory_training;
extern const Study memory_serving;
const Study memory_training{"memory-training", "memory_train.jsonl", "Memory of training", "GiB", training, true};
const Study memory_serving{"memory-serving", "memory_inference.jsonl", "Memory of serving", "GiB", serving, true};

}  // namespace gpuadvise::accuracy
