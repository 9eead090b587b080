// Speed of serving language models against inference.jsonl: throughput, time to first token, time per output token.
#include "gpuadvise/serving.h"
#include "gpuadvise/workload.h"

#include "accuracy.h"
#include "workload.h"
#include "workload/profile_fields.h"

namespace gpuadvise::accuracy {

namespace {

std::string size_class(double params) {
  if (params < 5e9) return "below 5B";
  if (params < 20e9) return "5B to 20B";
  if (params < 100e9) return "20B to 100B";
  return "100B and more";
}

std::string mode_of(const InferenceSpec& i) {
  return std::string(names(ServingMode{})[static_cast<std::size_t>(i.mode.value_or(ServingMode::online))]);
}

// The workload as a user's profile resolves, on the machine of the row. A row that leaves the layout open gets the
// best.
SpeedEstimate answer(const Row& row, const Context& context, Sample& sample) {
  Setup setup = setup_of(row, context);
  Profile profile = setup.workload.profile;
  setup.workload = resolve(profile, *context.catalog);
  Machine& m = setup.machine;
  const HardwareSpec& h = row.profile.hardware;
  if (m.accelerator != nullptr && m.accelerators_per_node > 1) {
    const Accelerator& a = *m.accelerator;
    m.link = h.interconnect.value_or(a.link_gb_per_s.value_or(0) > 0 ? LinkKind::nvlink : LinkKind::pcie);
    if (m.link != LinkKind::pcie) m.link_gb_per_s = a.link_gb_per_s.value_or(0);
  }
  m.inter_node_gbps = h.inter_node_gbps.value_or(0);
  Layout layout = setup.layout;
  if (!row.profile.parallelism.tensor) {
    if (const auto best = best_serving_layout(setup.workload, m, context.calibration)) layout = *best;
  }
  const InferenceSpec& i = row.profile.inference;
  sample.classes = {
      {"engine", std::string(i.engine.value_or(""))},
      {"accelerator", std::string(h.accelerator.value_or(""))},
      {"weights", std::string(i.weights.value_or(""))},
      {"mode", mode_of(i)},
      {"size", size_class(setup.workload.params)},
      {"experts", setup.workload.architecture.experts > 0 ? "mixture of experts" : "dense"},
  };
  return estimate_speed(setup.workload, m, layout, context.calibration);
}

void fill(const SpeedEstimate& speed, const std::optional<double>& predicted, Sample& sample) {
  if (!speed.known) {
    sample.why = speed.why;
    return;
  }
  sample.predicted = predicted;
  sample.band_low_percent = speed.band_low_percent;
  sample.band_high_percent = speed.band_high_percent;
}

void throughput(const Row& row, const Context& context, Sample& sample) {
  const SpeedEstimate speed = answer(row, context, sample);
  if (const auto output = row.number("output_tokens_per_second")) {
    sample.measured = output;
    fill(speed, speed.output_tokens_per_second, sample);
  } else if (const auto total = row.number("total_tokens_per_second")) {
    sample.measured = total;
    fill(speed, speed.total_tokens_per_second, sample);
  } else if (const auto requests = row.number("requests_per_second")) {
    sample.measured = requests;
    fill(speed, speed.requests_per_second, sample);
  }
}

void first_token(const Row& row, const Context& context, Sample& sample) {
  sample.measured = row.number("ttft_ms");
  if (!sample.measured) return;
  const SpeedEstimate speed = answer(row, context, sample);
  fill(speed, speed.ttft_ms, sample);
}

void per_token(const Row& row, const Context& context, Sample& sample) {
  sample.measured = row.number("tpot_ms");
  if (!sample.measured) return;
  const SpeedEstimate speed = answer(row, context, sample);
  fill(speed, speed.tpot_ms, sample);
}

}  // namespace

extern const Study serving_throughput;
extern const Study serving_ttft;
extern const Study serving_tpot;
const Study serving_throughput{"serving-throughput", "inference.jsonl", "Throughput of language-model serving",
                               "tokens/s", throughput};
const Study serving_ttft{"serving-ttft", "inference.jsonl", "Time to first token", "ms", first_token};
const Study serving_tpot{"serving-tpot", "inference.jsonl", "Time per output token", "ms", per_token};

}  // namespace gpuadvise::accuracy
