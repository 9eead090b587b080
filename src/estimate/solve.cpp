#include <algorithm>
#include <array>
#include <cmath>

#include "gpuadvise/solve.h"

#include "estimate/memory_plan.h"

namespace gpuadvise {

namespace {

bool training(const Workload& w) { return w.kind == TaskKind::llm_training || w.kind == TaskKind::media_training; }

void set_context(Run& run, int tokens) {
  if (training(run.workload)) {
    run.workload.profile.training.sequence_length = tokens;
    return;
  }
  // The answer's length stays; the prompt takes the rest.
  InferenceSpec& serve = run.workload.profile.inference;
  const int output = std::min(serve.output_tokens.value_or(0), tokens);
  serve.output_tokens = output;
  serve.input_tokens = tokens - output;
  serve.max_context = tokens;
}

// Whole nodes once there is more than one.
bool set_cards(Run& run, int cards) {
  const Architecture& a = run.workload.architecture;
  const int node = std::max(1, static_cast<int>(std::lround(run.machine.accelerators_per_node)));
  Layout& l = run.layout;
  if (training(run.workload)) {
    const int model_parallel = std::max(1, l.tensor * l.pipeline * l.context);
    if (cards % model_parallel != 0) return false;
    l.data = cards / model_parallel;
    l.zero_stage = run.workload.profile.parallelism.zero_stage.value_or(3);
  } else {
    l.tensor = std::min(cards, node);
    while (l.tensor > 1 && (cards % l.tensor != 0 || (a.heads > 0 && a.heads % l.tensor != 0))) --l.tensor;
    l.pipeline = cards / l.tensor;
    l.data = 1;
    if (run.workload.has_architecture && l.pipeline > a.layers) return false;
  }
  run.machine.nodes = (cards + node - 1) / node;
  run.machine.accelerators_per_node = std::min(cards, node);
  return true;
}

class Search {
 public:
  Search(SolveFor what, const Run& run, const Calibration& calibration, std::int64_t most)
      : what_(what), run_(run), calibration_(calibration), most_(most) {}

  Solution smallest() {
    for (std::int64_t n = 1; n <= most_; n *= 2) {
      const auto fits = try_value(n);
      if (fits == Outcome::unknown || fits == Outcome::yes) break;
    }
    return out_;
  }

  Solution largest() {
    std::int64_t n = 1;
    while (try_value(n) == Outcome::yes) {
      if (n >= most_) {
        out_.bounded = false;
        return out_;
      }
      n = std::min(n * 2, most_);
    }
    while (out_.value && out_.beyond && *out_.beyond - *out_.value > 1) {
      try_value(*out_.value + (*out_.beyond - *out_.value) / 2);
    }
    return out_;
  }

 private:
  enum class Outcome : std::uint8_t { yes, no, impossible, unknown };

  MemoryEstimate estimate(const Run& at) const {
    MemoryPlan plan = memory_plan(at.workload, calibration_.memory);
    // Every sequence must have room at once: the question is not what the engine starts with.
    auto* serving = std::get_if<ServingMemoryPlan>(&plan.terms);
    if (serving != nullptr && what_ == SolveFor::max_concurrency) serving->room_for_all = true;
    return estimate_memory(plan, at.machine, at.layout);
  }

  Outcome try_value(std::int64_t n) {
    const std::optional<Run> at = with_value(run_, what_, n);
    if (!at) return Outcome::impossible;
    const MemoryEstimate memory = estimate(*at);
    if (memory.known && !memory.fits) {
      out_.beyond = n;
      out_.beyond_memory = memory;
    }
    const bool first = !out_.value && !shown_;
    if (first || (memory.known && memory.fits)) {
      out_.memory = memory;
      out_.layout = at->layout;
      shown_ = true;
    }
    if (!memory.known) return Outcome::unknown;
    if (!memory.fits) return Outcome::no;
    out_.value = n;
    return Outcome::yes;
  }

  SolveFor what_;
  const Run& run_;
  const Calibration& calibration_;
  std::int64_t most_;
  bool shown_ = false;
  Solution out_;
};

}  // namespace

std::span<const std::string_view> solve_names() {
  static constexpr std::array<std::string_view, 4> kNames = {"max-context", "max-concurrency", "max-micro-batch",
                                                             "min-accelerators"};
  return kNames;
}

std::optional<Run> with_value(const Run& run, SolveFor what, std::int64_t value) {
  Run out = run;
  const int n = static_cast<int>(value);
  switch (what) {
    case SolveFor::max_context:
      set_context(out, n);
      break;
    case SolveFor::max_concurrency:
      out.workload.profile.inference.concurrency = static_cast<double>(value);
      break;
    case SolveFor::max_micro_batch:
      out.layout.micro_batch = n;
      out.workload.profile.training.micro_batch = n;
      break;
    case SolveFor::min_accelerators:
      if (!set_cards(out, n)) return std::nullopt;
      break;
  }
  return out;
}

Solution solve(SolveFor what, const Run& run, const Calibration& calibration, std::int64_t most) {
  Search search(what, run, calibration, most);
  return what == SolveFor::min_accelerators ? search.smallest() : search.largest();
}

}  // namespace gpuadvise
