#include <algorithm>

#include "gpuadvise/solve.h"

namespace gpuadvise {

namespace {

struct Trial {
  Workload workload;
  Layout layout;
};

bool training(const Workload& w) { return w.kind == TaskKind::llm_training || w.kind == TaskKind::media_training; }

void set(Trial& t, SolveFor what, std::int64_t value, const Machine& machine) {
  const int n = static_cast<int>(value);
  TrainingSpec& train = t.workload.profile.training;
  InferenceSpec& serve = t.workload.profile.inference;
  switch (what) {
    case SolveFor::max_context:
      if (training(t.workload)) {
        train.sequence_length = n;
      } else {
        // The answer's length stays; the prompt takes the rest.
        const int output = std::min(serve.output_tokens.value_or(0), n);
        serve.output_tokens = output;
        serve.input_tokens = n - output;
        serve.max_context = n;
      }
      break;
    case SolveFor::max_concurrency:
      serve.concurrency = static_cast<double>(value);
      // Every sequence must have room at once: the question is not what the engine starts with.
      serve.gpu_memory_utilization.reset();
      break;
    case SolveFor::max_micro_batch:
      t.layout.micro_batch = n;
      break;
    case SolveFor::min_accelerators: {
      const int node = std::max(1, static_cast<int>(machine.accelerators_per_node));
      if (training(t.workload)) {
        t.layout.zero_stage = 3;
        t.layout.data = std::max(1, n / (t.layout.tensor * t.layout.pipeline));
      } else {
        t.layout.tensor = std::min(n, node);
        t.layout.pipeline = std::max(1, n / t.layout.tensor);
      }
      break;
    }
  }
}

}  // namespace

Solution solve(SolveFor what, const Workload& workload, const Machine& machine, const Layout& layout,
               const Calibration& calibration, std::int64_t most) {
  Trial trial{workload, layout};
  const auto at = [&](std::int64_t value) {
    trial.layout = layout;
    set(trial, what, value, machine);
    return estimate_memory(trial.workload, machine, trial.layout, calibration);
  };
  Solution out;
  const auto take = [&](std::int64_t value, const MemoryEstimate& memory) {
    out.value = value;
    out.memory = memory;
    out.layout = trial.layout;
  };
  if (what == SolveFor::min_accelerators) {
    for (std::int64_t n = 1; n <= most; n *= 2) {
      const MemoryEstimate memory = at(n);
      if (!memory.known) return out;
      if (memory.fits) {
        take(n, memory);
        return out;
      }
    }
    return out;
  }
  std::int64_t fits = 0;
  std::int64_t fails = 0;
  for (std::int64_t n = 1; fails == 0; n = std::min(n * 2, most)) {
    const MemoryEstimate memory = at(n);
    if (!memory.known) return out;
    if (!memory.fits) {
      fails = n;
    } else {
      fits = n;
      take(n, memory);
      if (n >= most) {
        out.bounded = false;
        return out;
      }
    }
  }
  while (fits > 0 && fails - fits > 1) {
    const std::int64_t n = fits + (fails - fits) / 2;
    const MemoryEstimate memory = at(n);
    if (memory.fits) {
      fits = n;
      take(n, memory);
    } else {
      fails = n;
    }
  }
  return out;
}

}  // namespace gpuadvise
