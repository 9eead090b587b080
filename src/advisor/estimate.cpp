#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gpuadvise/advise.h"
#include "gpuadvise/error.h"
#include "gpuadvise/serving.h"

#include "advisor/confidence.h"
#include "advisor/judge.h"
#include "advisor/words.h"
#include "catalog/lookup.h"
#include "estimate/cost.h"
#include "estimate/machine.h"

namespace gpuadvise {

namespace {

// A service whose layout and load are both left open is divided into the replicas that serve most.
bool layout_is_open(const Workload& w) {
  const ParallelismSpec& p = w.profile.parallelism;
  const InferenceSpec& i = w.profile.inference;
  return w.kind == TaskKind::llm_serving && !p.tensor && !p.pipeline && !p.data && !p.expert && !i.concurrency &&
         !i.requests_per_second;
}

// A layout that needs more accelerators than the hardware has is a contradiction, not a small estimate.
void check_layout(const ParallelismSpec& p, const Machine& m) {
  const double wanted =
      static_cast<double>(p.tensor.value_or(1)) * p.pipeline.value_or(1) * p.context.value_or(1) * p.data.value_or(1);
  const double cards = std::ceil(m.accelerators_per_node) * m.nodes;
  if (wanted <= cards) return;
  throw InputError(Place{}, fmt::format("parallelism: tensor {} x pipeline {} x context {} x data {} is {:g} "
                                        "accelerators, and the hardware has {:g}",
                                        p.tensor.value_or(1), p.pipeline.value_or(1), p.context.value_or(1),
                                        p.data.value_or(1), wanted, cards));
}

}  // namespace

ProfileEstimate estimate(const Profile& profile, const Knowledge& knowledge) {
  check_words(profile, knowledge.calibration);
  ProfileEstimate out;
  out.workload = resolve(profile, knowledge.catalog);
  const HardwareSpec& hardware = out.workload.profile.hardware;
  out.machine = machine_of(knowledge.catalog, knowledge.hardware, hardware);
  check_layout(out.workload.profile.parallelism, out.machine);
  out.layout = layout_of(out.workload, out.machine);
  if (layout_is_open(out.workload)) {
    const auto best = best_serving_layout(out.workload, out.machine, knowledge.calibration);
    if (best) out.layout = *best;
  }
  out.estimate.memory = estimate_memory(out.workload, out.machine, out.layout, knowledge.calibration);
  out.estimate.speed = estimate_speed(out.workload, out.machine, out.layout, knowledge.calibration);
  PriceChoice price;
  price.why = "cost/no-type";
  if (hardware.instance_type) {
    out.type = find_type(knowledge.catalog, *hardware.instance_type, &out.family);
    price =
        choose_price(knowledge.catalog, find_vendor(knowledge.catalog, out.family->vendor), *out.type, out.workload);
  }
  out.estimate.cost = estimate_cost(out.workload, out.estimate.speed, price, knowledge.catalog, out.machine.nodes);
  split_token_cost(out.workload, out.machine, out.layout, knowledge.calibration, out.estimate);
  out.estimate.confidence = confidence_of(out.workload, out.estimate);
  return out;
}

std::vector<Note> what_rejects(const ProfileEstimate& estimate, const Knowledge& knowledge, const RuleSet& rules,
                               Lang lang) {
  RecommendOptions options;
  options.lang = lang;
  Judge judge(estimate.workload, knowledge.catalog, rules, options);
  constexpr bool kNamed = true;  // by the profile: its status is no reason
  if (estimate.type != nullptr) return judge.type({estimate.family, estimate.type, kNamed, false}, true);
  if (estimate.machine.accelerator == nullptr) return {};
  return judge.card(*estimate.machine.accelerator);
}

}  // namespace gpuadvise
