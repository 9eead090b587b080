#include <algorithm>
#include <cmath>
#include <iterator>

#include "advisor/confidence.h"
#include "advisor/figures.h"
#include "advisor/trial.h"
#include "catalog/lookup.h"
#include "estimate/cost.h"
#include "estimate/machine.h"
#include "estimate/pieces.h"

namespace gpuadvise {

namespace {

constexpr int kMostMachines = 64;    // of one job, unless the request says
constexpr int kMostReplicas = 1000;  // of a fleet whose machines work alone
constexpr double kClusterCards = 4;  // machines with fewer cards are not what clusters are built from

// What so many equal runs at a time do in all; per accelerator and per step nothing changes.
void scale_rates(SpeedEstimate& speed, double times) {
  for (auto* rate : {&speed.tokens_per_second, &speed.samples_per_second, &speed.relative}) {
    if (*rate) **rate *= times;
  }
}

bool trains(const Workload& w) { return w.kind == TaskKind::llm_training || w.kind == TaskKind::media_training; }

}  // namespace

Trials::Trials(const Workload& workload, const Knowledge& knowledge, const RuleSet& rules,
               const RecommendOptions& options)
    : w_(workload),
      estimator_(workload, knowledge.calibration),
      k_(knowledge),
      options_(options),
      judge_(workload, knowledge.catalog, rules, options) {}

Trial Trials::run(const Entry& e) {
  Trial out;
  for (auto& verdict : judge_.type(e, options_.exhaustive)) out.failures.push_back({std::move(verdict), 0});
  const bool barred = !out.failures.empty();
  if (barred && !options_.exhaustive) return out;
  const auto machine = machine_of(k_.catalog, k_.hardware, *e.family, *e.type, 1);
  if (machine) {
    across_machines(e, *machine, out);
  } else {
    judge_.outcome().set(Field::search_card_known, false);
    out.failures.push_back({judge_.rejection({"catalog/unknown-card"}), 0});
  }
  if (barred) out.accepted.reset();
  return out;
}

void Trials::across_machines(const Entry& e, const Machine& one, Trial& out) {
  const int most = most_machines();
  const int pinned = w_.profile.hardware.nodes.value_or(0);
  const bool fixed = pinned > 0 || !scales(e, one);
  std::vector<std::string_view> said;
  for (const auto& f : out.failures) said.push_back(f.reason.rule);
  std::vector<Failure> told;  // what says most about the type
  double last_merit = 0;
  for (int nodes = std::max(pinned, 1); nodes <= std::max(most, pinned); nodes *= 2) {
    Machine m = one;
    m.nodes = nodes;
    if (nodes > 1 && m.inter_node_gbps <= 0) {  // an unknown network cannot be estimated
      const bool too_small = told.empty() || told.front().missing_gib > 0 || told.front().no_layout;
      if (too_small) {
        drop(told);
        judge_.outcome().set(Field::search_network_known, false);
        told.push_back({judge_.rejection({"network/unknown"}), 0});
      }
      break;
    }
    Attempt tried = attempt(e, m, said);
    if (!tried.accepted) {
      // Too little memory is told of the fewest machines; whatever failed after that, of the most.
      if (told.empty() || tried.fits) {
        drop(told);
        told = std::move(tried.failures);
      } else {
        drop(tried.failures);
      }
      if (out.accepted || fixed || !tried.more_may_help) break;
      continue;
    }
    const double value = merit(w_, tried.accepted->estimate.speed, options_.objective);
    // Machines that add less than a third of their own worth are not added.
    constexpr double kWorthAdding = 1.33;
    if (out.accepted && value < last_merit * kWorthAdding) break;
    last_merit = value;
    out.accepted = std::move(tried.accepted);
    out.factors = tried.factors;
    if (fixed || enough(*out.accepted)) break;
  }
  if (out.accepted) {
    drop(told);
  } else {
    std::move(told.begin(), told.end(), std::back_inserter(out.failures));
  }
}

void Trials::drop(std::vector<Failure>& failures) {
  for (const auto& f : failures) judge_.withdraw(f.reason);
  failures.clear();
}

// A cluster is built from a family's largest machines; more of the smaller ones only with --nodes.
bool Trials::scales(const Entry& e, const Machine& machine) const {
  const bool cluster = e.largest && machine.accelerators_per_node >= kClusterCards;
  return (trains(w_) || w_.kind == TaskKind::llm_serving) && !e.type->slice && cluster;
}

// Only training that is known to be still too slow, or that is to be as fast as can be, is given more machines than it
// needs.
bool Trials::enough(const Recommendation& best) const {
  if (!trains(w_)) return true;
  const auto patience = time_allowed();
  const bool in_time = !patience || !best.hours_to_finish || *best.hours_to_finish <= *patience;
  return in_time && options_.objective != Objective::speed;
}

std::optional<double> Trials::time_allowed() const {
  const auto& deadline = w_.profile.constraints.deadline_hours;
  return deadline ? deadline : w_.task->patience_hours;
}

int Trials::most_machines() const { return std::max(1, w_.profile.constraints.max_nodes.value_or(kMostMachines)); }
int Trials::most_replicas() const { return std::max(1, w_.profile.constraints.max_nodes.value_or(kMostReplicas)); }

Trials::Attempt Trials::attempt(const Entry& e, const Machine& m, std::span<const std::string_view> said) {
  Attempt out;
  const LayoutSearch& found = search(m);
  if (!found.fits) {
    out.failures.push_back(no_layout(m, found));
    return out;
  }
  out.fits = true;
  Recommendation r;
  r.family = e.family;
  r.type = e.type;
  r.named = e.named;
  r.machine = m;
  r.layout = found.fits->layout;
  r.estimate.memory = found.fits->memory;
  r.estimate.speed = found.fits->speed;
  r.machines_together = machines_together(w_, m, r.layout);
  if (m.nodes > 1) compare_with_one(r);
  if (!carry_load(r, out)) return out;
  r.hours_to_finish = hours_to_finish(w_, r.estimate.speed, k_.catalog, r.machine.nodes / r.runs_at_once);
  if (r.estimate.speed.value && *r.estimate.speed.value <= 0) {
    judge_.outcome().set(Field::search_work_done, *r.estimate.speed.value);
    out.failures.push_back({judge_.rejection({"layout/nothing-done"}), 0});
    return out;
  }
  set_cost(r);
  // More machines cost more an hour, and are priced no better.
  const ConstraintsSpec& c = w_.profile.constraints;
  const CostEstimate& cost = r.estimate.cost;
  const bool priced = cost.known || !(c.budget_per_hour || c.budget_total);
  out.more_may_help = priced && !(c.budget_per_hour && cost.per_hour && *cost.per_hour > *c.budget_per_hour);
  for (auto& note : judge_.candidate(r, out.factors, options_.exhaustive, said)) {
    out.failures.push_back({std::move(note), 0});
  }
  if (out.failures.empty()) out.accepted = std::move(r);
  return out;
}

// What more machines are worth, where one of them would do.
void Trials::compare_with_one(Recommendation& r) {
  Machine machine = r.machine;
  machine.nodes = 1;
  const LayoutSearch& one = search(machine);
  const double alone = one.fits ? merit(w_, one.fits->speed, options_.objective) : 0;
  if (alone > 0) r.single_machine_ratio = merit(w_, r.estimate.speed, options_.objective) / alone;
}

void Trials::set_cost(Recommendation& r) const {
  const auto price = choose_price(k_.catalog, find_vendor(k_.catalog, r.family->vendor), *r.type, w_);
  r.estimate.cost =
      estimate_cost(w_, r.estimate.speed, price, k_.catalog, r.machine.nodes, r.machine.nodes / r.runs_at_once);
  r.estimate.confidence = confidence_of(w_, r.estimate);
}

// Types that carry the same cards in the same number on the same links run a workload alike: searched once.
const LayoutSearch& Trials::search(const Machine& m) {
  const Key key{m.accelerator,
                m.accelerators_per_node,
                m.nodes,
                m.memory_gib,
                static_cast<int>(m.link),
                m.link_gb_per_s,
                m.nodes > 1 ? m.inter_node_gbps : 0,
                m.nodes > 1 && m.rdma,
                m.vcpus};
  const auto [at, fresh] = searched_.try_emplace(key);
  if (fresh) at->second = best_layout(estimator_, m, k_, options_.objective);
  return at->second;
}

Failure Trials::too_large(const Machine& machine, const Layout& layout, const MemoryEstimate& memory) {
  const MemoryVerdict verdict = memory_verdict(memory, w_, machine.memory_gib, k_.hardware.memory_margin);
  RuleContext& facts = judge_.outcome();
  set_layout(facts, machine, layout);
  facts.set(Field::estimate_memory_fits, false)
      .set(Field::estimate_memory_total_gib, verdict.needed)
      .set(Field::estimate_memory_capacity_gib, verdict.limit);
  if (memory.known) facts.set(Field::estimate_memory_weights_gib, memory.weights);
  return {judge_.rejection({"memory/at-least", "memory/data-parallel-does-not-pool", "memory/fit"}),
          std::max(verdict.needed - verdict.limit, 1e-6)};
}

Failure Trials::no_layout(const Machine& machine, const LayoutSearch& found) {
  if (found.closest.memory.device > 0 || found.closest.memory.at_least > 0)
    return too_large(machine, found.closest.layout, found.closest.memory);
  judge_.outcome().set(Field::search_layout_found, false);
  return {judge_.rejection({"layout/none"}), 0, true};
}

// How many pieces the machines of one candidate work on: one a card, or of training one in all.
double Trials::pieces_at_once(const Recommendation& r) const {
  return trains(w_) ? 1 : std::max(1.0, std::floor(r.machine.accelerators_per_node) * r.machine.nodes);
}

// Machines that carry the load together, beside those that one replica or job takes. Empty: rejected.
std::optional<int> Trials::machines_for_load(Recommendation& r, Attempt& out) {
  const InferenceSpec& asked = w_.profile.inference;
  const auto of = [](double load, double each) {
    return static_cast<int>(std::min(1e6, std::ceil(load / each - 1e-9)));
  };
  if (w_.kind == TaskKind::llm_serving && asked.requests_per_second) {
    Layout one = r.layout;
    one.data = 1;
    r.fleet = serving_fleet(w_, r.machine, one, k_.calibration, asked.slo.value_or(Slo{}), *asked.requests_per_second,
                            asked.off_peak_requests_per_second);
    if (!r.fleet->peak) {
      judge_.outcome().set(Field::search_load_carried, false);
      out.failures.push_back({judge_.rejection({"serving/load"}), 0});
      return std::nullopt;
    }
    // Memory is judged with as many requests in flight as a replica will hold.
    Workload loaded = w_;
    loaded.profile.inference.concurrency = std::max(1.0, std::ceil(r.fleet->replica.concurrency));
    r.estimate.memory = estimate_memory(loaded, r.machine, r.layout, k_.calibration);
    if (r.estimate.memory.known &&
        !memory_verdict(r.estimate.memory, w_, r.machine.memory_gib, k_.hardware.memory_margin).fits()) {
      out.failures.push_back(too_large(r.machine, r.layout, r.estimate.memory));
      return std::nullopt;
    }
    return (*r.fleet->peak + r.layout.data - 1) / r.layout.data;
  }
  const SpeedEstimate& speed = r.estimate.speed;
  if (w_.kind == TaskKind::llm_serving && asked.slo && !asked.concurrency && speed.requests_per_second &&
      speed.latency_ms) {
    // The largest load within the target fills the cache with the requests in flight of each replica.
    Workload loaded = w_;
    const double in_flight = *speed.requests_per_second * *speed.latency_ms / 1e3 / std::max(1, r.layout.data);
    loaded.profile.inference.concurrency = std::max(1.0, std::floor(in_flight));
    const MemoryEstimate memory = estimate_memory(loaded, r.machine, r.layout, k_.calibration);
    if (memory.fits) r.estimate.memory = memory;
  }
  if (w_.kind == TaskKind::media_inference && asked.requests_per_second && speed.samples_per_second) {
    return of(*asked.requests_per_second, *speed.samples_per_second);
  }
  if (const auto pieces = independent_pieces(w_)) {
    const auto hours = hours_to_finish(w_, speed, k_.catalog, r.machine.nodes);
    const auto allowed = time_allowed();
    if (!hours || !allowed) return 1;
    // No more rounds than there is time for; where there is not time for one, the deadline turns the type away.
    const double at_once = pieces_at_once(r);
    const double each = *hours / piece_rounds(*pieces, at_once);
    const double rounds = std::max(1.0, std::floor(*allowed / each + 1e-9));
    return of(*pieces, at_once * rounds);
  }
  if (carries_load(w_) && speed.value && *speed.value > 0) return of(*asked.concurrency, *speed.value);
  return 1;
}

// Enough machines for the load that is offered. False: rejected.
bool Trials::carry_load(Recommendation& r, Attempt& out) {
  const auto machines = machines_for_load(r, out);
  if (!machines) return false;
  if (*machines <= 1) return true;
  const int most = most_replicas();
  if (*machines * r.machine.nodes > most) {
    out.more_may_help = false;
    judge_.outcome()
        .set(Field::search_machines_needed, *machines * r.machine.nodes)
        .set(Field::search_most_machines, most);
    out.failures.push_back({judge_.rejection({"serving/too-many"}), 0});
    return false;
  }
  r.machine.nodes *= *machines;
  if (trains(w_)) {  // the runs of a sweep do not talk to each other
    r.runs_at_once = *machines;
    const double runs = independent_pieces(w_).value_or(1);
    scale_rates(r.estimate.speed, runs / piece_rounds(runs, *machines));  // the last round may leave machines idle
    return true;
  }
  r.layout.data *= *machines;
  r.estimate.speed = estimate_speed(w_, r.machine, r.layout, k_.calibration);
  return true;
}

}  // namespace gpuadvise
