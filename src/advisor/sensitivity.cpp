#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <utility>

#include "gpuadvise/sensitivity.h"

#include "base/text.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

// The pick as far as it can change: the type and the number of machines.
struct Pick {
  const Family* family = nullptr;
  const InstanceType* type = nullptr;
  int nodes = 0;
};

Pick pick_of(const Advice& advice) {
  if (advice.recommendations.empty()) return {};
  const Recommendation& r = advice.recommendations.front();
  return {r.family, r.type, r.machine.nodes};
}

class Prober {
 public:
  Prober(const Profile& profile, const Advice& advice, const Knowledge& knowledge, const RuleSet& rules,
         const RecommendOptions& options)
      : asked_(profile), w_(advice.workload), k_(knowledge), rules_(rules), options_(options), pick_(pick_of(advice)) {
    options_.top = 1;
    options_.brief = true;
    options_.explain = false;
  }

  std::vector<Turn> run() {
    const Profile& p = w_.profile;
    if (w_.kind == TaskKind::llm_training) {
      number(
          "training.sequence_length", p.training.sequence_length,
          [](Profile& q, double v) { q.training.sequence_length = static_cast<int>(std::lround(v)); }, true);
      number(
          "training.global_batch", p.training.global_batch,
          [](Profile& q, double v) { q.training.global_batch = static_cast<int>(std::lround(v)); }, true);
      words("training.method", p.training.method, {Method::full, Method::lora, Method::qlora},
            [](Profile& q, Method m) {
              q.training.method = m;
              q.training.base_weights.reset();
              q.training.master_weights.reset();
            });
    }
    if (w_.kind == TaskKind::llm_serving || w_.kind == TaskKind::interactive) {
      number(
          "inference.input_tokens", p.inference.input_tokens,
          [](Profile& q, double v) { q.inference.input_tokens = static_cast<int>(std::lround(v)); }, true);
      number(
          "inference.output_tokens", p.inference.output_tokens,
          [](Profile& q, double v) { q.inference.output_tokens = static_cast<int>(std::lround(v)); }, true);
      formats();
    }
    number("inference.requests_per_second", p.inference.requests_per_second,
           [](Profile& q, double v) { q.inference.requests_per_second = v; });
    if (!p.inference.requests_per_second) {
      number(
          "inference.concurrency", p.inference.concurrency,
          [](Profile& q, double v) { q.inference.concurrency = std::max(1.0, std::round(v)); }, true);
    }
    number("constraints.deadline_hours", p.constraints.deadline_hours,
           [](Profile& q, double v) { q.constraints.deadline_hours = v; });
    number("constraints.budget_per_hour", p.constraints.budget_per_hour,
           [](Profile& q, double v) { q.constraints.budget_per_hour = v; });
    number("constraints.budget_total", p.constraints.budget_total,
           [](Profile& q, double v) { q.constraints.budget_total = v; });
    price();
    rdma();
    return std::move(out_);
  }

 private:
  // A fleet of another size is the same answer; a cluster of another size is not.
  bool same_pick(const Pick& other) const {
    const bool cluster = w_.kind == TaskKind::llm_training || w_.kind == TaskKind::media_training;
    return other.type == pick_.type && (!cluster || other.nodes == pick_.nodes);
  }

  using Set = std::function<void(Profile&, double)>;

  Pick ask(const Profile& profile, const Knowledge& knowledge) const {
    return pick_of(recommend(profile, knowledge, rules_, options_));
  }

  void add(std::string input, std::string from, std::string looked,
           const std::optional<std::pair<std::string, Pick>>& to) {
    Turn turn{std::move(input), std::move(from), {}, std::move(looked), nullptr, nullptr, 0};
    if (to) {
      turn.to = to->first;
      turn.family = to->second.family;
      turn.type = to->second.type;
      turn.nodes = to->second.nodes;
    }
    out_.push_back(std::move(turn));
  }

  // The value nearest to `from` in one direction at which `pick_at` is no longer the pick.
  std::optional<std::pair<double, Pick>> turn_towards(double from, double factor, int steps,
                                                      const std::function<Pick(double)>& pick_at) const {
    double kept = from;
    for (int i = 0; i < steps; ++i) {
      double other = kept * factor;
      Pick there = pick_at(other);
      if (same_pick(there)) {
        kept = other;
        continue;
      }
      constexpr double kClose = 1.05;
      while (std::max(kept, other) > std::min(kept, other) * kClose) {
        const double middle = std::sqrt(kept * other);
        const Pick at = pick_at(middle);
        if (same_pick(at)) {
          kept = middle;
        } else {
          other = middle;
          there = at;
        }
      }
      return std::pair(other, there);
    }
    return std::nullopt;
  }

  template <class T>
  void number(std::string_view input, const std::optional<T>& value, const Set& set, bool whole = false) {
    if (!value || *value <= 0) return;
    const auto from = static_cast<double>(*value);
    constexpr int kSteps = 2;
    constexpr double kFactor = 2;
    const auto text = [&](double v) { return whole ? fmt::format("{:.0f}", std::round(v)) : base::significant(v); };
    const auto pick_at = [&](double v) {
      Profile changed = asked_;
      set(changed, v);
      return ask(changed, k_);
    };
    const std::string looked = text(from / std::pow(kFactor, kSteps)) + ".." + text(from * std::pow(kFactor, kSteps));
    bool any = false;
    for (const double factor : {kFactor, 1 / kFactor}) {
      const auto turn = turn_towards(from, factor, kSteps, pick_at);
      if (!turn) continue;
      any = true;
      add(std::string(input), text(from), looked, std::pair(text(turn->first), turn->second));
    }
    if (!any) add(std::string(input), text(from), looked, std::nullopt);
  }

  template <class E, class F>
  void words(std::string_view input, const std::optional<E>& value, std::initializer_list<E> others, F&& set) {
    if (!value) return;
    static constexpr auto kNames = names(E{});
    const auto name = [](E e) { return std::string(kNames[static_cast<std::size_t>(e)]); };
    for (const E other : others) {
      if (other == *value) continue;
      Profile changed = asked_;
      set(changed, other);
      const Pick there = ask(changed, k_);
      if (same_pick(there)) {
        add(std::string(input), name(*value), name(other), std::nullopt);
      } else {
        add(std::string(input), name(*value), name(other), std::pair(name(other), there));
      }
    }
  }

  void formats() {
    const auto now = w_.profile.inference.weights.value_or("");
    for (const std::string_view format : {"fp8", "int8", "awq-int4"}) {
      if (format == now) continue;
      Profile changed = asked_;
      changed.inference.weights = format;
      changed.inference.kv_cache.reset();
      const Pick there = ask(changed, k_);
      if (same_pick(there)) {
        add("inference.weights", std::string(now), std::string(format), std::nullopt);
      } else {
        add("inference.weights", std::string(now), std::string(format), std::pair(std::string(format), there));
      }
    }
  }

  // The pick's own price, the others' as they are: dearer until another wins.
  void price() {
    const bool priced = std::any_of(k_.catalog.prices.begin(), k_.catalog.prices.end(),
                                    [&](const Price& p) { return p.type == pick_.type->name; });
    if (!priced) return;
    const auto pick_at = [&](double factor) {
      std::vector<Price> prices(k_.catalog.prices.begin(), k_.catalog.prices.end());
      for (auto& p : prices) {
        if (p.type == pick_.type->name) p.amount *= factor;
      }
      Knowledge changed = k_;
      changed.catalog.prices = prices;
      return ask(asked_, changed);
    };
    const auto text = [](double factor) { return fmt::format("{:+.0f} %", 100 * (factor - 1)); };
    constexpr double kStep = 1.2;
    constexpr int kSteps = 4;
    const auto turn = turn_towards(1, kStep, kSteps, pick_at);
    add("price", std::string(pick_.type->name), ".." + text(std::pow(kStep, kSteps)),
        turn ? std::optional(std::pair(text(turn->first), turn->second)) : std::nullopt);
  }

  // Without RDMA anywhere: what a pick of several machines owes to it.
  void rdma() {
    if (pick_.nodes <= 1) return;
    std::vector<Family> families(k_.catalog.families.begin(), k_.catalog.families.end());
    std::vector<std::vector<InstanceType>> types(families.size());
    for (std::size_t i = 0; i < families.size(); ++i) {
      families[i].rdma = "none";
      types[i].assign(families[i].types.begin(), families[i].types.end());
      for (auto& t : types[i]) t.rdma_gbps.reset();
      families[i].types = types[i];
    }
    Knowledge changed = k_;
    changed.catalog.families = families;
    Pick there = ask(asked_, changed);
    // Back from the copy to the catalog's own rows.
    for (std::size_t i = 0; i < families.size(); ++i) {
      for (std::size_t t = 0; t < types[i].size(); ++t) {
        if (there.type != &types[i][t]) continue;
        there.family = &k_.catalog.families[i];
        there.type = &k_.catalog.families[i].types[t];
      }
    }
    add("rdma", {}, "none", same_pick(there) ? std::nullopt : std::optional(std::pair(std::string("none"), there)));
  }

  const Profile& asked_;
  const Workload& w_;
  const Knowledge& k_;
  const RuleSet& rules_;
  RecommendOptions options_;
  Pick pick_;
  std::vector<Turn> out_;
};

}  // namespace

std::vector<Turn> sensitivity(const Profile& profile, const Advice& advice, const Knowledge& knowledge,
                              const RuleSet& rules, const RecommendOptions& options) {
  if (advice.recommendations.empty()) return {};
  return Prober(profile, advice, knowledge, rules, options).run();
}

}  // namespace gpuadvise
