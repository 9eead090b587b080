#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "gpuadvise/advise.h"

#include "advisor/candidates.h"
#include "advisor/confidence.h"
#include "advisor/judge.h"
#include "advisor/layouts.h"
#include "advisor/nearest_miss.h"
#include "advisor/notes.h"
#include "advisor/score.h"
#include "base/text.h"
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
        texts_(knowledge.messages, options.lang),
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
    for (std::size_t i = 0; i < advice.recommendations.size() && i < options_.top; ++i) {
      judge_.describe(advice.recommendations[i], i == 0);
    }
    if (!advice.recommendations.empty()) advice.recommendations.front().reasons = pick_reasons(advice, texts_);
    advice.nearest_miss = find_nearest_miss(advice.rejected, advice, k_);
  }

 private:
  void reject(Advice& advice, const Entry& e, std::string_view rule, std::string_view message, const NoteValues& values,
              double missing = 0) {
    Note note = judge_.wanted(rule) ? make_note(texts_, rule, message, values) : Note{rule, Severity::note, {}, {}, {}};
    advice.rejected.push_back({e.family, e.type, std::move(note), missing});
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
    for (auto& verdict : verdicts) advice.rejected.push_back({e.family, e.type, std::move(verdict), 0});
    if (!verdicts.empty() && !options_.exhaustive) return;
    const std::size_t failures = advice.rejected.size();
    const auto machine = machine_of(k_.catalog, k_.hardware, *e.family, *e.type, 1);
    if (!machine) {
      reject(advice, e, "catalog/unknown-card", "reject/unknown-card", {});
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
      reject(advice, e, "network/unknown", "reject/network-unknown", {});
      return;
    }
    if (!best) {
      reject_memory(advice, e, *machine, first_failure);
      return;
    }
    if (!carry_load(e, *best, most, advice)) return;
    if (best->estimate.speed.value && *best->estimate.speed.value <= 0) {
      reject(advice, e, "layout/nothing-done", "reject/nothing-done", {});
      return;
    }
    check_constraints(e, *best, advice);
    if (advice.rejected.size() > failures || !verdicts.empty()) return;
    CriterionFactors factors;
    if (auto verdict = judge_.candidate(*best, factors)) {
      advice.rejected.push_back({e.family, e.type, std::move(*verdict), 0});
      return;
    }
    factors_.push_back(factors);
    advice.recommendations.push_back(std::move(*best));
  }

  void reject_memory(Advice& advice, const Entry& e, const Machine& machine, const LayoutSearch* failure) {
    const MemoryEstimate* m = failure == nullptr ? nullptr : &failure->closest.memory;
    if (m == nullptr || m->device <= 0) {
      reject(advice, e, "layout/none", "reject/no-layout", {});
      return;
    }
    reject_memory(advice, e, machine, *m);
  }

  void reject_memory(Advice& advice, const Entry& e, const Machine& machine, const MemoryEstimate& memory) {
    const double needed = with_margin(memory);
    reject(advice, e, "memory/fit", "reject/memory",
           {{"needed", base::significant(needed)}, {"capacity", base::significant(machine.memory_gib)}},
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
        reject(advice, e, "serving/load", "reject/load", {});
        return false;
      }
      machines = (*r.fleet->peak + r.layout.data - 1) / r.layout.data;
      // Memory is judged with as many requests in flight as a replica will hold.
      Workload loaded = w_;
      loaded.profile.inference.concurrency = std::max(1.0, std::ceil(r.fleet->replica.concurrency));
      r.estimate.memory = estimate_memory(loaded, r.machine, r.layout, k_.calibration);
      if (r.estimate.memory.known && with_margin(r.estimate.memory) > r.machine.memory_gib) {
        reject_memory(advice, e, r.machine, r.estimate.memory);
        return false;
      }
    } else if (w_.kind == TaskKind::media_inference && r.estimate.speed.samples_per_second) {
      machines = static_cast<int>(std::min(1e6, std::ceil(*rate / *r.estimate.speed.samples_per_second)));
    }
    if (machines > most) {
      reject(advice, e, "serving/too-many", "reject/too-many",
             {{"nodes", fmt::format("{}", machines)}, {"most", fmt::format("{}", most)}});
      return false;
    }
    r.machine.nodes *= machines;
    r.layout.data *= machines;
    r.estimate.speed = estimator_.speed(r.machine, r.layout);
    return true;
  }

  // Adds a rejection for each limit of the request that the candidate breaks: the first one only, unless exhaustive.
  void check_constraints(const Entry& e, Recommendation& r, Advice& advice) {
    const Price* price = find_price(k_.catalog, find_vendor(k_.catalog, e.family->vendor), *e.type, w_);
    r.estimate.cost = estimate_cost(w_, r.estimate.speed, price, r.machine.nodes);
    r.estimate.confidence = confidence_of(w_, r.estimate);
    const ConstraintsSpec& c = w_.profile.constraints;
    const CostEstimate& cost = r.estimate.cost;
    bool failed = false;
    const auto limit = [&](std::string_view rule, std::string_view message, std::string_view name,
                           const std::optional<double>& value, std::string_view target_name,
                           const std::optional<double>& target) {
      if (!target || (failed && !options_.exhaustive) || (value && *value <= *target)) return;
      failed = true;
      reject(advice, e, rule, message,
             {{name, value ? base::significant(*value) : "?"}, {target_name, base::significant(*target)}});
    };
    if ((c.budget_per_hour || c.budget_total) && !cost.known) {
      failed = true;
      reject(advice, e, "constraint/price-unknown", "reject/price-unknown", {});
    } else {
      limit("constraint/budget-per-hour", "reject/budget-per-hour", "cost", cost.per_hour, "budget", c.budget_per_hour);
      limit("constraint/budget-total", "reject/budget-total", "cost", cost.to_finish, "budget", c.budget_total);
    }
    limit("constraint/deadline", "reject/deadline", "hours", r.hours_to_finish, "deadline", c.deadline_hours);
    const Slo slo = w_.profile.inference.slo.value_or(Slo{});
    limit("constraint/ttft", "reject/ttft", "value", r.estimate.speed.ttft_ms, "target", slo.ttft_ms);
    limit("constraint/tpot", "reject/tpot", "value", r.estimate.speed.tpot_ms, "target", slo.tpot_ms);
  }

  using Key = std::tuple<const Accelerator*, double, int, double, int, double, double, bool, double>;
  static constexpr int kDefaultMaxNodes = 64;
  static constexpr double kClusterCards = 4;  // machines with fewer cards are not what clusters are built from

  const Workload& w_;
  Estimator estimator_;
  const Knowledge& k_;
  const RecommendOptions& options_;
  base::Texts texts_;
  Judge judge_;
  std::map<Key, LayoutSearch> searched_;
  std::vector<CriterionFactors> factors_;
};

}  // namespace

Advice recommend(const Profile& profile, const Knowledge& knowledge, const RuleSet& rules,
                 const RecommendOptions& options) {
  Advice advice;
  advice.asked = profile;
  advice.workload = resolve(profile, knowledge.catalog);
  Recommender(advice.workload, knowledge, rules, options).run(advice);
  return advice;
}

}  // namespace gpuadvise
