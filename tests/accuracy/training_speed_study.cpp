// Speed of LLM training against the llm-pretrain and llm-finetune rows of throughput_train.jsonl.
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
  if (params < 10e9) return "1B to 10B";
  if (params < 50e9) return "10B to 50B";
  return "50B and more";
}

std::string parallelism(const Layout& l, const Machine& m) {
  std::string out = l.expert > 1       ? "expert"
                    : l.pipeline > 1   ? "pipeline"
                    : l.tensor > 1     ? "tensor"
                    : l.zero_stage > 1 ? "sharded data"
                    : l.data > 1       ? "data"
                                       : "one card";
  return m.nodes > 1 ? out + ", several nodes" : out;
}

void evaluate(const Row& row, const Context& context, Sample& sample) {
  if (!row.profile.task.value_or("").starts_with("llm-")) return;
  Setup setup = setup_of(row, context);
  const auto task = *row.profile.task;
  setup.workload = resolve(setup.workload.profile, *context.catalog);
  const HardwareSpec& h = row.profile.hardware;
  setup.machine.link = h.interconnect.value_or(LinkKind::none);
  setup.machine.inter_node_gbps = h.inter_node_gbps.value_or(0);
  constexpr double kSlowestRdma = 100;  // Gbit/s: the collection states RDMA networks from here on
  setup.machine.rdma = setup.machine.inter_node_gbps >= kSlowestRdma;
  const SpeedEstimate e = estimate_speed(setup.workload, setup.machine, setup.layout, context.calibration);
  struct Answer {
    std::string_view key;
    std::optional<double> predicted;
  };
  for (const Answer& answer :
       {Answer{"tokens_per_second_per_accelerator", e.tokens_per_second_per_accelerator},
        Answer{"samples_per_second", e.samples_per_second}, Answer{"tflops_per_accelerator", e.tflops_per_accelerator},
        Answer{"mfu_percent", e.mfu_percent}}) {
    sample.measured = row.number(answer.key);
    if (!sample.measured) continue;
    sample.predicted = e.known ? answer.predicted : std::nullopt;
    break;
  }
  sample.why = e.why;
  sample.band_low_percent = e.band_low_percent;
  sample.band_high_percent = e.band_high_percent;
  if (context.verbose && e.known) {
    const StepTerms& t = e.terms;
    const double step = *e.step_seconds;
    fmt::print(
        "{}: step {:.4g} s; percent of it: compute {:.0f} attention {:.0f} traffic {:.0f} tensor {:.0f} pipeline "
        "{:.0f} data {:.0f} expert {:.0f} context {:.0f} optimizer {:.0f} host {:.0f}\n",
        row.id, step, 100 * t.compute / step, 100 * t.attention / step, 100 * t.memory_traffic / step,
        100 * t.tensor_comm / step, 100 * t.pipeline_bubble / step, 100 * t.data_comm / step,
        100 * t.expert_comm / step, 100 * t.context_comm / step, 100 * t.optimizer / step, 100 * t.host / step);
  }
  const TrainingSpec& t = row.profile.training;
  sample.classes = {
      {"task", std::string(task)},
      {"method", word(t.method.value_or(Method::full))},
      {"framework", std::string(t.framework.value_or(""))},
      {"accelerator", std::string(h.accelerator.value_or(""))},
      {"precision", word(t.precision.value_or(Precision::bf16))},
      {"parallelism", parallelism(setup.layout, setup.machine)},
      {"size", size_class(setup.workload.params)},
  };
}

}  // namespace

extern const Study training_speed;
const Study training_speed{"training-speed", "throughput_train.jsonl", "Speed of LLM training",
                           "tokens/s a card, or samples/s", evaluate};

}  // namespace gpuadvise::accuracy
