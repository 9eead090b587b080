#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <tuple>

#include "gpuadvise/advise.h"

#include "advisor/answer_facts.h"
#include "advisor/candidates.h"
#include "advisor/confidence.h"
#include "advisor/judge.h"
#include "advisor/layouts.h"
#include "advisor/nearest_miss.h"
#include "advisor/score.h"
#include "advisor/words.h"
#include "catalog/lookup.h"
#include "estimate/cost.h"
#include "estimate/machine.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

class Recommender {
 public:
  Recommender(const Workload& workload, const Knowledge& knowledge, const RuleSet& rules,
              const RecommendOptions& options)
      : w_(workload),
        estimator_(workload, knowledge.calibration),
        k_(knowledge),
        options_(options),
        rules_(rules),
        judge_(workload, knowledge.catalog, rules, options) {}

  void run(Advice& advice) {
    Selection selection = select(w_, k_.catalog, options_);
    advice.resolved_names = std::move(selection.resolved_names);
    advice.searched = selection.entries.size();
    advice.rejected.reserve(selection.entries.size());
    advice.recommendations.reserve(selection.entries.size());
    for (const auto& entry : selection.entries) try_entry(entry, advice);
    const ObjectiveWeights* weights = &k_.objectives.front();
    for (const auto& row : k_.objectives) {
      if (row.id == names(Objective{})[static_cast<std::size_t>(options_.objective)]) weights = &row;
    }
    score(advice.recommendations, factors_, w_, *weights);
    const AnswerFacts answer(advice, find_quantised_fit(advice, k_, rules_, options_));
    for (std::size_t i = 0; i < advice.recommendations.size() && i < options_.top; ++i) {
      judge_.describe(advice.recommendations[i], i == 0, answer);
    }
    advice.nearest_miss = find_nearest_miss(advice.rejected, advice, k_);
  }

 private:
  void reject(Advice& advice, const Entry& e, std::initializer_list<std::string_view> rules, double missing = 0) {
    advice.rejected.push_back({e.family, e.type, judge_.rejection(rules), missing});
  }

  // Types that carry the same cards in the same number on the same links run a workload alike: searched once.
  const LayoutSearch& search(const Machine& m) {
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

  std::optional<double> patience() const {
    std::optional<double> hours = w_.task->patience_hours;
    if (w_.profile.constraints.deadline_hours) hours = w_.profile.constraints.deadline_hours;
    return hours;
  }

  bool training() const { return w_.kind == TaskKind::llm_training || w_.kind == TaskKind::media_training; }

  void try_entry(const Entry& e, Advice& advice) {
    auto verdicts = judge_.type(e, options_.exhaustive);
    std::vector<std::string_view> said;
    for (auto& verdict : verdicts) {
      said.push_back(verdict.rule);
      advice.rejected.push_back({e.family, e.type, std::move(verdict), 0});
    }
    if (!verdicts.empty() && !options_.exhaustive) return;
    const auto machine = machine_of(k_.catalog, k_.hardware, *e.family, *e.type, 1);
    if (!machine) {
      judge_.outcome().set(Field::search_card_known, false);
      reject(advice, e, {"catalog/unknown-card"});
      return;
    }
    const int most = std::max(1, w_.profile.constraints.max_nodes.value_or(kDefaultMaxNodes));
    const int pinned = w_.profile.hardware.nodes.value_or(0);
    // A cluster is built from a family's largest machines; more of the smaller ones only with --nodes.
    const bool cluster = e.largest && machine->accelerators_per_node >= kClusterCards;
    const bool scales = (training() || w_.kind == TaskKind::llm_serving) && !e.type->slice && cluster;
    std::optional<Recommendation> best;
    const LayoutSearch* first_failure = nullptr;
    bool unknown_network = false;
    double last_merit = 0;
    for (int nodes = pinned > 0 ? pinned : 1; nodes <= std::max(most, pinned); nodes *= 2) {
      Machine m = *machine;
      m.nodes = nodes;
      if (nodes > 1 && m.inter_node_gbps <= 0) {  // an unknown network cannot be estimated
        unknown_network = true;
        break;
      }
      const LayoutSearch& found = search(m);
      if (!found.fits) {
        if (first_failure == nullptr) first_failure = &found;
        if (best || !scales || pinned > 0) break;
        continue;
      }
      const double value = merit(w_, found.fits->speed, options_.objective);
      // Machines that add less than a third of their own worth are not added.
      constexpr double kWorthAdding = 1.33;
      if (best && value < last_merit * kWorthAdding) break;
      last_merit = value;
      Recommendation r;
      r.family = e.family;
      r.type = e.type;
      r.named = e.named;
      r.machine = m;
      r.layout = found.fits->layout;
      r.estimate.memory = found.fits->memory;
      r.estimate.speed = found.fits->speed;
      r.hours_to_finish = hours_to_finish(w_, r.estimate.speed);
      best = std::move(r);
      if (!scales || pinned > 0) break;
      const bool in_time = !patience() || (best->hours_to_finish && *best->hours_to_finish <= *patience());
      if (in_time && options_.objective != Objective::speed) break;
      if (!training()) break;
    }
    if (!best && unknown_network) {
      judge_.outcome().set(Field::search_network_known, false);
      reject(advice, e, {"network/unknown"});
      return;
    }
    if (!best) {
      reject_memory(advice, e, *machine, first_failure);
      return;
    }
    if (best->machine.nodes > 1) compare_with_one(*best, *machine);
    if (!carry_load(e, *best, most, advice)) return;
    if (best->estimate.speed.value && *best->estimate.speed.value <= 0) {
      judge_.outcome().set(Field::search_work_done, *best->estimate.speed.value);
      reject(advice, e, {"layout/nothing-done"});
      return;
    }
    set_cost(e, *best);
    CriterionFactors factors;
    auto rejections = judge_.candidate(*best, factors, options_.exhaustive, said);
    for (auto& note : rejections) advice.rejected.push_back({e.family, e.type, std::move(note), 0});
    if (!rejections.empty() || !verdicts.empty()) return;
    factors_.push_back(factors);
    advice.recommendations.push_back(std::move(*best));
  }

  // What more machines are worth, where one of them would do.
  void compare_with_one(Recommendation& r, Machine machine) {
    machine.nodes = 1;
    const LayoutSearch& one = search(machine);
    const double alone = one.fits ? merit(w_, one.fits->speed, options_.objective) : 0;
    if (alone > 0) r.single_machine_ratio = merit(w_, r.estimate.speed, options_.objective) / alone;
  }

  void reject_memory(Advice& advice, const Entry& e, const Machine& machine, const LayoutSearch* failure) {
    if (failure == nullptr || failure->closest.memory.device <= 0) {
      judge_.outcome().set(Field::search_layout_found, false);
      reject(advice, e, {"layout/none"});
      return;
    }
    reject_memory(advice, e, machine, failure->closest.layout, failure->closest.memory);
  }

  void reject_memory(Advice& advice, const Entry& e, const Machine& machine, const Layout& layout,
                     const MemoryEstimate& memory) {
    const double needed = with_margin(memory);
    RuleContext& facts = judge_.outcome();
    set_layout(facts, machine, layout);
    facts.set(Field::estimate_memory_fits, false)
        .set(Field::estimate_memory_total_gib, needed)
        .set(Field::estimate_memory_capacity_gib, machine.memory_gib)
        .set(Field::estimate_memory_weights_gib, memory.weights);
    reject(advice, e, {"memory/data-parallel-does-not-pool", "memory/fit"},
           std::max(needed - machine.memory_gib, 1e-6));
  }

  double with_margin(const MemoryEstimate& memory) const { return memory.device * (1 + k_.hardware.memory_margin); }

  // Enough machines for the requests per second that are offered. False: rejected.
  bool carry_load(const Entry& e, Recommendation& r, int most, Advice& advice) {
    const auto rate = w_.profile.inference.requests_per_second;
    if (!rate) return true;
    int machines = 1;
    if (w_.kind == TaskKind::llm_serving) {
      Layout one = r.layout;
      one.data = 1;
      r.fleet = serving_fleet(w_, r.machine, one, k_.calibration, w_.profile.inference.slo.value_or(Slo{}), *rate,
                              w_.profile.inference.off_peak_requests_per_second);
      if (!r.fleet->peak) {
        judge_.outcome().set(Field::search_load_carried, false);
        reject(advice, e, {"serving/load"});
        return false;
      }
      machines = (*r.fleet->peak + r.layout.data - 1) / r.layout.data;
      // Memory is judged with as many requests in flight as a replica will hold.
      Workload loaded = w_;
      loaded.profile.inference.concurrency = std::max(1.0, std::ceil(r.fleet->replica.concurrency));
      r.estimate.memory = estimate_memory(loaded, r.machine, r.layout, k_.calibration);
      if (r.estimate.memory.known && with_margin(r.estimate.memory) > r.machine.memory_gib) {
        reject_memory(advice, e, r.machine, r.layout, r.estimate.memory);
        return false;
      }
    } else if (w_.kind == TaskKind::media_inference && r.estimate.speed.samples_per_second) {
      machines = static_cast<int>(std::min(1e6, std::ceil(*rate / *r.estimate.speed.samples_per_second)));
    }
    if (machines > most) {
      judge_.outcome().set(Field::search_machines_needed, machines).set(Field::search_most_machines, most);
      reject(advice, e, {"serving/too-many"});
      return false;
    }
    r.machine.nodes *= machines;
    r.layout.data *= machines;
    r.estimate.speed = estimator_.speed(r.machine, r.layout);
    return true;
  }

  void set_cost(const Entry& e, Recommendation& r) const {
    const Price* price = find_price(k_.catalog, find_vendor(k_.catalog, e.family->vendor), *e.type, w_);
    r.estimate.cost = estimate_cost(w_, r.estimate.speed, price, r.machine.nodes);
    r.estimate.confidence = confidence_of(w_, r.estimate);
  }

  using Key = std::tuple<const Accelerator*, double, int, double, int, double, double, bool, double>;
  static constexpr int kDefaultMaxNodes = 64;
  static constexpr double kClusterCards = 4;  // machines with fewer cards are not what clusters are built from

  const Workload& w_;
  Estimator estimator_;
  const Knowledge& k_;
  const RecommendOptions& options_;
  const RuleSet& rules_;
  Judge judge_;
  std::map<Key, LayoutSearch> searched_;
  std::vector<CriterionFactors> factors_;
};

}  // namespace

Advice recommend(const Profile& profile, const Knowledge& knowledge, const RuleSet& rules,
                 const RecommendOptions& options) {
  check_words(profile, knowledge.calibration);
  Advice advice;
  advice.asked = profile;
  advice.workload = resolve(profile, knowledge.catalog);
  Recommender(advice.workload, knowledge, rules, options).run(advice);
  return advice;
}

}  // namespace gpuadvise
