#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>

#include "gpuadvise/advise.h"
#include "gpuadvise/error.h"

#include "advisor/nearest_miss.h"
#include "base/text.h"
#include "catalog/lookup.h"
#include "estimate/price_choice.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

constexpr std::size_t kMostTypes = 3;    // of a family or card
constexpr std::size_t kMostChanges = 3;  // together

struct Target {
  const Family* family;
  const InstanceType* type;
};

// Of a family the smallest and the largest say most; of a card the first types in the catalog's order.
std::vector<Target> targets_of(std::string_view name, const Catalog& catalog) {
  std::vector<Target> out;
  const auto add = [&](const Family& family, const InstanceType& type) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const Target& t) { return t.type == &type; });
    if (!known && out.size() < kMostTypes) out.push_back({&family, &type});
  };
  const Family* family = nullptr;
  if (const InstanceType* type = find_type(catalog, name, &family)) return {{family, type}};
  for (const Family* f : find_families(catalog, name).families) {
    if (f->types.empty()) continue;
    add(*f, f->types.front());
    add(*f, f->types.back());
  }
  if (!out.empty()) return out;
  if (const Accelerator* card = find_accelerator(catalog, name)) {
    for (const auto& f : catalog.families) {
      for (const auto& t : f.types) {
        if (accelerator_of(catalog, t) == card && f.default_search) add(f, t);
      }
    }
  }
  if (!out.empty()) return out;
  std::string near;
  for (const auto real : nearest_names(catalog, name)) near += (near.empty() ? "" : ", ") + std::string(real);
  throw InputError(Place{"--why-not"},
                   fmt::format("\"{}\" is not in the catalog; nearest: {}", base::printable(name), near));
}

// Changes worth trying for a workload, one flag each.
std::vector<Change> changes_of(const Workload& w, const Profile& asked) {
  std::vector<Change> changes;
  const auto add = [&](std::string flags, auto&& edit) {
    Profile changed = asked;
    edit(changed);
    changes.push_back({std::move(flags), changed});
  };
  const bool training = w.kind == TaskKind::llm_training || w.kind == TaskKind::media_training;
  if (training && w.profile.training.precision != Precision::fp16) {
    add("--precision fp16", [](Profile& p) {
      p.training.precision = Precision::fp16;
      if (p.training.base_weights == Precision::bf16) p.training.base_weights = Precision::fp16;
    });
  }
  const bool serving = w.kind == TaskKind::llm_serving || w.kind == TaskKind::interactive;
  if (serving && w.profile.inference.weights != "fp16") {
    add("--weights fp16", [](Profile& p) {
      p.inference.weights = "fp16";
      p.inference.kv_cache.reset();
    });
  }
  for (auto& change : memory_changes(w, asked)) changes.push_back(std::move(change));
  if (training && !w.profile.hardware.nodes) {
    for (const int nodes : {2, 4, 8}) {
      add(fmt::format("--nodes {}", nodes), [&](Profile& p) { p.hardware.nodes = nodes; });
    }
  }
  if (w.profile.operations.charge_type != ChargePreference::on_demand) {
    add("--charge-type on_demand", [](Profile& p) { p.operations.charge_type = ChargePreference::on_demand; });
  }
  return changes;
}

class Explorer {
 public:
  Explorer(const Target& target, const Knowledge& knowledge, const RuleSet& rules, const RecommendOptions& options)
      : target_(target), knowledge_(knowledge), rules_(rules), options_(options), names_{target.type->name} {
    options_.exhaustive = true;
    options_.top = 1;
  }

  Advice ask(Profile profile) const {
    profile.constraints.instance_types = std::span<const std::string_view>(names_);
    profile.constraints.families.reset();
    profile.constraints.accelerators.reset();
    profile.constraints.vendors.reset();
    return recommend(profile, knowledge_, rules_, options_);
  }

  // Breadth first: the fewest changes that make it run.
  void search(const Profile& asked, WhyNot& out) const {
    struct Step {
      Profile profile;
      std::vector<std::string> flags;
    };
    std::deque<Step> open = {{asked, {}}};
    std::size_t tried = 0;
    constexpr std::size_t kMostTries = 1000;
    while (!open.empty()) {
      const Step step = std::move(open.front());
      open.pop_front();
      if (step.flags.size() >= kMostChanges) continue;
      const Workload w = resolve(step.profile, knowledge_.catalog);
      for (const auto& change : changes_of(w, step.profile)) {
        const std::string flag = change.flags.substr(0, change.flags.find(' '));
        const bool again = std::any_of(step.flags.begin(), step.flags.end(),
                                       [&](const std::string& f) { return f.starts_with(flag + " "); });
        if (again || ++tried > kMostTries) continue;
        Step next{change.profile, step.flags};
        next.flags.push_back(change.flags);
        Advice advice = ask(next.profile);
        if (!advice.recommendations.empty()) {
          out.changes = next.flags;
          out.with_changes = std::move(advice.recommendations.front());
          return;
        }
        open.push_back(std::move(next));
      }
    }
  }

 private:
  Target target_;
  const Knowledge& knowledge_;
  const RuleSet& rules_;
  RecommendOptions options_;
  std::vector<std::string_view> names_;
};

}  // namespace

namespace {

// What would put a type that runs before the pick: another objective, or a price of its own.
class Winner {
 public:
  Winner(const InstanceType& type, const Family& family, const Profile& profile, const Advice& advice,
         const Knowledge& knowledge, const RuleSet& rules, const RecommendOptions& options)
      : type_(type),
        family_(family),
        profile_(profile),
        advice_(advice),
        knowledge_(knowledge),
        rules_(rules),
        options_(options) {
    options_.top = 1;
    options_.brief = true;
    options_.explain = false;
  }

  void search(WhyNot& out) {
    static constexpr auto kObjectives = names(Objective{});
    for (std::size_t i = 0; i < kObjectives.size(); ++i) {
      RecommendOptions options = options_;
      options.objective = static_cast<Objective>(i);
      if (options.objective == options_.objective || !options.weights.empty()) continue;
      if (is_pick(recommend(profile_, knowledge_, rules_, options))) {
        out.wins_with.push_back("--optimize " + std::string(kObjectives[i]));
      }
    }
    out.wins_below = price();
    out.wins_below_currency = currency_of(advice_.workload, knowledge_.catalog);
  }

 private:
  bool is_pick(const Advice& advice) const {
    return !advice.recommendations.empty() && advice.recommendations.front().type == &type_;
  }

  bool wins_at(double amount) const {
    std::vector<Price> prices(knowledge_.catalog.prices.begin(), knowledge_.catalog.prices.end());
    Price own{};
    own.vendor = family_.vendor;
    own.type = type_.name;
    own.charge = charge_of(advice_.workload);
    own.currency = currency_of(advice_.workload, knowledge_.catalog);
    own.amount = amount;
    own.confidence = SourceKind::user;
    const auto at = std::lower_bound(prices.begin(), prices.end(), own.type,
                                     [](const Price& p, std::string_view name) { return p.type < name; });
    prices.insert(at, own);
    Knowledge changed = knowledge_;
    changed.catalog.prices = prices;
    return is_pick(recommend(profile_, changed, rules_, options_));
  }

  // The highest price at which it is the pick, to 1 %.
  std::optional<double> price() const {
    const auto per_machine = [](const Recommendation& r) {
      return r.estimate.cost.per_hour ? *r.estimate.cost.per_hour / r.machine.nodes : 0.0;
    };
    double most = 0;
    for (const auto& r : advice_.recommendations) most = std::max(most, per_machine(r));
    if (most <= 0) return std::nullopt;
    double high = most * hours_of(charge_of(advice_.workload)) * 4;
    constexpr double kNearlyFree = 1e-4;
    double low = high * kNearlyFree;
    if (!wins_at(low)) return std::nullopt;
    constexpr double kClose = 1.01;
    while (high > low * kClose) {
      const double middle = std::sqrt(low * high);
      (wins_at(middle) ? low : high) = middle;
    }
    return low;
  }

  const InstanceType& type_;
  const Family& family_;
  const Profile& profile_;
  const Advice& advice_;
  const Knowledge& knowledge_;
  const RuleSet& rules_;
  RecommendOptions options_;
};

}  // namespace

std::vector<WhyNot> why_not(std::string_view name, const Profile& profile, const Advice& advice,
                            const Knowledge& knowledge, const RuleSet& rules, const RecommendOptions& options) {
  std::vector<WhyNot> answers;
  for (const Target& target : targets_of(name, knowledge.catalog)) {
    WhyNot out;
    out.family = target.family;
    out.type = target.type;
    for (std::size_t i = 0; i < advice.recommendations.size(); ++i) {
      if (advice.recommendations[i].type == target.type) out.rank = i + 1;
    }
    const Explorer explorer(target, knowledge, rules, options);
    Advice alone = explorer.ask(profile);
    if (!alone.recommendations.empty()) {
      out.as_asked = std::move(alone.recommendations.front());
      if (out.rank && *out.rank > 1) {
        Winner(*target.type, *target.family, profile, advice, knowledge, rules, options).search(out);
      }
    } else {
      for (auto& r : alone.rejected) out.failures.push_back(std::move(r.reason));
      explorer.search(profile, out);
    }
    answers.push_back(std::move(out));
  }
  return answers;
}

}  // namespace gpuadvise
