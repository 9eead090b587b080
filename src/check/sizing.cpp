#include <algorithm>
#include <array>
#include <cmath>

#include "advisor/layouts.h"
#include "catalog/catalog_fields.h"
#include "catalog/lookup.h"
#include "check/sizing.h"
#include "estimate/cost.h"
#include "estimate/machine.h"

namespace gpuadvise::check {

namespace {

// The split that a serving command line states, with as many replicas as the machines hold; empty: states none, or one
// that needs more cards than there are.
std::optional<Layout> stated_layout(const Workload& workload, const Machine& machine) {
  const auto& stated = workload.profile.parallelism;
  if (workload.kind != TaskKind::llm_serving || (!stated.tensor && !stated.pipeline)) return std::nullopt;
  Layout layout;
  layout.tensor = stated.tensor.value_or(1);
  layout.pipeline = stated.pipeline.value_or(1);
  layout.expert = stated.expert.value_or(1);
  const int cards = std::max(1, static_cast<int>(std::lround(machine.accelerators_per_node))) * machine.nodes;
  // A stated number that is a slip may be large enough to overflow the product.
  if (layout.tensor > cards || layout.pipeline > cards || layout.tensor * layout.pipeline > cards) return std::nullopt;
  layout.data = cards / (layout.tensor * layout.pipeline);
  return layout;
}

bool divides_heads(const Workload& workload, const Layout& layout) {
  if (!workload.has_architecture || workload.architecture_inferred) return true;
  return workload.architecture.heads == 0 || workload.architecture.heads % layout.tensor == 0;
}

}  // namespace

std::optional<Sizing> Sizer::work_out(const Workload& workload, const Family& family, const InstanceType& type,
                                      int nodes) const {
  const auto machine = machine_of(knowledge_.catalog, knowledge_.hardware, family, type, nodes);
  if (!machine) return std::nullopt;
  const Estimator estimator(workload, knowledge_.calibration);
  const auto search = best_layout(estimator, *machine, knowledge_, Objective::balanced);
  LayoutChoice choice = search.fits ? *search.fits : search.closest;
  Sizing out;
  // What is stated is judged as it stands, even where a search would not consider it.
  if (const auto stated = stated_layout(workload, *machine); stated && !search.fits) {
    choice = {*stated, estimator.memory(*machine, *stated), estimator.speed(*machine, *stated)};
    out.heads_divided = divides_heads(workload, *stated);
  }
  out.machine = *machine;
  out.layout = choice.layout;
  out.estimate.memory = choice.memory;
  out.estimate.speed = choice.speed;
  out.estimate.cost =
      estimate_cost(workload, choice.speed,
                    choose_price(knowledge_.catalog, find_vendor(knowledge_.catalog, family.vendor), type, workload),
                    knowledge_.catalog, nodes);
  if (workload.kind == TaskKind::llm_serving) {
    Machine one = *machine;
    one.nodes = 1;
    Layout whole;
    whole.tensor = workload.profile.parallelism.tensor.value_or(1);
    const MemoryEstimate memory = estimate_memory(workload, one, whole, knowledge_.calibration);
    if (memory.known) out.needed_gib = memory.total * whole.tensor;
  }
  return out;
}

const Sizing* Sizer::size(const Workload& workload, const Family& family, const InstanceType& type, int nodes) {
  const auto key = std::make_tuple(&workload, &type, nodes);
  auto found = known_.find(key);
  if (found == known_.end()) {
    found = known_.emplace(key, work_out(workload, family, type, nodes)).first;
    if (found->second && nodes > 1) {
      const Sizing* single = size(workload, family, type, 1);
      found = known_.find(key);
      const auto& many = found->second->estimate.speed;
      if (single != nullptr && single->estimate.memory.fits && many.known && single->estimate.speed.known) {
        const auto rate = [](const SpeedEstimate& s) {
          return s.tokens_per_second ? *s.tokens_per_second : s.samples_per_second.value_or(0);
        };
        if (rate(single->estimate.speed) > 0) {
          found->second->single_node_ratio = rate(many) / rate(single->estimate.speed);
        }
      }
    }
  }
  return found->second ? &*found->second : nullptr;
}

std::vector<std::string> Sizer::fixes(const Workload& workload, const Family& family, const InstanceType& type,
                                      int nodes) {
  struct Change {
    std::string_view text;
    void (*apply)(Profile&);
    bool (*makes_sense)(const Workload&, double cards);
  };
  static constexpr auto serving = [](const Workload& w, double) { return w.kind == TaskKind::llm_serving; };
  static constexpr auto training = [](const Workload& w) { return w.kind == TaskKind::llm_training; };
  // From the gentlest to the harshest; each is tried by itself.
  static constexpr std::array kChanges = std::to_array<Change>({
      {"inference.weights: fp8", [](Profile& p) { p.inference.weights = "fp8"; },
       [](const Workload& w, double n) { return serving(w, n) && w.profile.inference.weights != "fp8"; }},
      {"inference.weights: int8", [](Profile& p) { p.inference.weights = "int8"; },
       [](const Workload& w, double n) { return serving(w, n) && w.profile.inference.weights != "int8"; }},
      {"inference.weights: awq-int4", [](Profile& p) { p.inference.weights = "awq-int4"; }, serving},
      {"parallelism.zero_stage: 3", [](Profile& p) { p.parallelism.zero_stage = 3; },
       [](const Workload& w, double n) {
         return training(w) && n > 1 && w.profile.parallelism.zero_stage.value_or(-1) != 3;
       }},
      {"training.activation_checkpointing: full",
       [](Profile& p) { p.training.activation_checkpointing = Checkpointing::full; },
       [](const Workload& w, double) {
         return training(w) && w.profile.training.activation_checkpointing == Checkpointing::none;
       }},
      {"training.method: qlora",
       [](Profile& p) {
         p.training.method = Method::qlora;
         p.training.base_weights = Precision::nf4;
       },
       [](const Workload& w, double) { return training(w) && w.profile.training.method == Method::lora; }},
      {"training.method: lora", [](Profile& p) { p.training.method = Method::lora; },
       [](const Workload& w, double) { return training(w) && w.profile.training.method == Method::full; }},
  });
  std::vector<std::string> out;
  const auto machine = machine_of(knowledge_.catalog, knowledge_.hardware, family, type, nodes);
  const Accelerator* card = accelerator_of(knowledge_.catalog, type);
  if (!machine) return out;
  for (const auto& change : kChanges) {
    if (!change.makes_sense(workload, machine->accelerators_per_node * nodes)) continue;
    Profile profile = workload.profile;
    change.apply(profile);
    // A card that cannot compute in the format is no help.
    if (profile.inference.weights == "fp8" && card != nullptr && card->peak.fp8.value_or(0) <= 0) continue;
    try {
      const Workload changed = resolve(profile, knowledge_.catalog);
      const auto search =
          best_layout(Estimator(changed, knowledge_.calibration), *machine, knowledge_, Objective::balanced);
      if (search.fits) out.emplace_back(change.text);
    } catch (const InputError&) {
      continue;  // the change contradicts something that the profile pins
    }
  }
  return out;
}

PriceChoice Sizer::price(const Family& family, const InstanceType& type, const Workload* workload,
                         std::string_view charge) const {
  static const Workload kNone;
  const Workload& asked = workload == nullptr ? kNone : *workload;
  const auto& words = names(ChargeType{});
  const auto said = std::find(std::begin(words), std::end(words), charge);
  const ChargeType type_of_charge =
      said == std::end(words) ? charge_of(asked) : static_cast<ChargeType>(said - std::begin(words));
  return choose_price(knowledge_.catalog, find_vendor(knowledge_.catalog, family.vendor), type, asked, type_of_charge);
}

}  // namespace gpuadvise::check
