#include <algorithm>
#include <deque>
#include <fmt/format.h>

#include "gpuadvise/advise.h"
#include "gpuadvise/error.h"

#include "advisor/nearest_miss.h"
#include "base/text.h"
#include "catalog/lookup.h"

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
    } else {
      for (auto& r : alone.rejected) out.failures.push_back(std::move(r.reason));
      explorer.search(profile, out);
    }
    answers.push_back(std::move(out));
  }
  return answers;
}

}  // namespace gpuadvise
