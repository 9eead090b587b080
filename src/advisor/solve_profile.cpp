// The largest or smallest setting that fits, asked by a profile.
#include <fmt/format.h>

#include "gpuadvise/error.h"
#include "gpuadvise/solve.h"

#include "advisor/confidence.h"
#include "catalog/lookup.h"
#include "estimate/cost.h"
#include "estimate/machine.h"

namespace gpuadvise {

namespace {

constexpr std::int64_t kMostTokens = 100'000'000;  // what a profile may state
constexpr std::int64_t kMostSequences = 1'000'000;
constexpr std::int64_t kMostCards = 65'536;

bool training(const Workload& w) { return w.kind == TaskKind::llm_training || w.kind == TaskKind::media_training; }

std::string_view name_of(SolveFor what) { return solve_names()[static_cast<std::size_t>(what)]; }

// What a profile states of the very setting that is looked for; empty: nothing.
std::string_view stated(SolveFor what, const Profile& p, bool trains) {
  switch (what) {
    case SolveFor::max_context:
      return trains ? (p.training.sequence_length ? "training.sequence_length" : "")
                    : (p.inference.max_context ? "inference.max_context" : "");
    case SolveFor::max_concurrency:
      return p.inference.concurrency ? "inference.concurrency" : "";
    case SolveFor::max_micro_batch:
      return p.training.micro_batch ? "training.micro_batch" : "";
    case SolveFor::min_accelerators:
      if (p.parallelism.data) return "parallelism.data";
      if (!trains && p.parallelism.tensor) return "parallelism.tensor";
      return !trains && p.parallelism.pipeline ? "parallelism.pipeline" : "";
  }
  return "";
}

void check(SolveFor what, const Profile& asked, const Workload& w) {
  const bool trains = training(w);
  const bool serves = w.kind == TaskKind::llm_serving || w.kind == TaskKind::media_inference;
  const bool possible = what == SolveFor::max_micro_batch   ? trains
                        : what == SolveFor::max_concurrency ? serves
                        : what == SolveFor::max_context     ? (trains || serves) && w.has_architecture
                                                            : trains || serves;
  if (!possible) {
    throw InputError(Place{}, fmt::format("task: {} has no {} to solve for", w.task->id, name_of(what)));
  }
  if (const auto field = stated(what, asked, trains); !field.empty()) {
    throw InputError(Place{}, fmt::format("{}: is what --solve {} looks for; leave it out", field, name_of(what)));
  }
}

std::int64_t most_of(SolveFor what) {
  switch (what) {
    case SolveFor::max_context:
      return kMostTokens;
    case SolveFor::min_accelerators:
      return kMostCards;
    case SolveFor::max_concurrency:
    case SolveFor::max_micro_batch:
      break;
  }
  return kMostSequences;
}

// The machine that cards are counted out from: of the size that the profile states, else of the usual one.
Machine node_of(const Profile& p, const Knowledge& k) {
  HardwareSpec node = p.hardware;
  if (!node.instance_type && !node.accelerators_per_node) {
    node.accelerators_per_node = k.hardware.usual_accelerators_per_node;
  }
  node.nodes = 1;
  return machine_of(k.catalog, k.hardware, node);
}

}  // namespace

ProfileSolution solve(SolveFor what, const Profile& profile, const Knowledge& k) {
  ProfileSolution out{what, {}, estimate(profile, k)};
  check(what, profile, out.at.workload);
  Run run{out.at.workload, out.at.machine, out.at.layout};
  if (what == SolveFor::min_accelerators) run.machine = node_of(out.at.workload.profile, k);
  out.solution = solve(what, run, k.calibration, most_of(what));

  const auto at = with_value(run, what, out.solution.value.value_or(1));
  if (at) {
    out.at.workload = at->workload;
    out.at.machine = at->machine;
    out.at.layout = at->layout;
  }
  out.at.estimate.memory = out.solution.memory;
  out.at.estimate.speed = estimate_speed(out.at.workload, out.at.machine, out.at.layout, k.calibration);
  PriceChoice price;
  price.why = "cost/no-type";
  if (out.at.type != nullptr) {
    price = choose_price(k.catalog, find_vendor(k.catalog, out.at.family->vendor), *out.at.type, out.at.workload);
  }
  out.at.estimate.cost = estimate_cost(out.at.workload, out.at.estimate.speed, price, k.catalog, out.at.machine.nodes);
  split_token_cost(out.at.workload, out.at.machine, out.at.layout, k.calibration, out.at.estimate);
  out.at.estimate.confidence = confidence_of(out.at.workload, out.at.estimate);
  return out;
}

}  // namespace gpuadvise
