#include <algorithm>
#include <array>

#include "advisor/layouts.h"
#include "advisor/nearest_miss.h"
#include "advisor/trial.h"
#include "catalog/lookup.h"
#include "estimate/machine.h"

namespace gpuadvise {

std::vector<Change> memory_changes(const Workload& w, const Profile& asked) {
  std::vector<Change> changes;
  const Profile& p = w.profile;
  const auto add = [&](std::string flags, auto&& edit) {
    Profile changed = asked;
    edit(changed);
    changes.push_back({std::move(flags), changed});
  };
  if (w.kind == TaskKind::llm_training) {
    const TrainingSpec& t = p.training;
    if (t.activation_checkpointing && *t.activation_checkpointing != Checkpointing::full) {
      add("--activation-checkpointing full",
          [](Profile& q) { q.training.activation_checkpointing = Checkpointing::full; });
    }
    if (t.micro_batch && *t.micro_batch > 1) {
      add("--micro-batch 1", [](Profile& q) { q.training.micro_batch = 1; });
    }
    const auto with_method = [&](Method method, const char* flags) {
      add(flags, [&](Profile& q) {
        q.training.method = method;
        // What followed from the old method is worked out anew.
        q.training.base_weights.reset();
        q.training.master_weights.reset();
      });
    };
    if (t.method == Method::full || t.method == Method::freeze) with_method(Method::lora, "--method lora");
    if (t.method != Method::qlora) with_method(Method::qlora, "--method qlora");
    if (t.sequence_length.value_or(0) > 1024) {
      add("--sequence-length 1024", [](Profile& q) { q.training.sequence_length = 1024; });
    }
    return changes;
  }
  if (w.kind == TaskKind::llm_serving || w.kind == TaskKind::interactive) {
    const auto with_weights = [&](std::string_view format) {
      if (p.inference.weights == format) return;
      add("--weights " + std::string(format), [&](Profile& q) { q.inference.weights = format; });
    };
    if (p.inference.concurrency.value_or(1) > 1) {
      add("--concurrency 1", [](Profile& q) { q.inference.concurrency = 1; });
    }
    with_weights("int8");
    with_weights("awq-int4");
  }
  return changes;
}

namespace {

// What failed by memory, by how much of the card is missing: two gibibytes are little on 80 and much on 8.
std::vector<const Rejection*> nearest_first(const std::vector<Rejection>& rejected, const Catalog& catalog) {
  std::vector<std::pair<double, const Rejection*>> found;
  for (const auto& r : rejected) {
    if (r.missing_gib <= 0 || !r.type->accelerator_memory_gib) continue;
    const Accelerator* card = accelerator_of(catalog, *r.type);
    if (card == nullptr || !card->peak.fp16) continue;
    found.emplace_back(r.missing_gib / *r.type->accelerator_memory_gib, &r);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Rejection*> out;
  out.reserve(found.size());
  for (const auto& [share, rejection] : found) out.push_back(rejection);
  return out;
}

std::optional<NearestMiss> miss_of(const Rejection& rejection, const Knowledge& knowledge) {
  const auto machine = machine_of(knowledge.catalog, knowledge.hardware, *rejection.family, *rejection.type, 1);
  if (!machine) return std::nullopt;
  NearestMiss miss;
  miss.family = rejection.family;
  miss.type = rejection.type;
  miss.machine = *machine;
  miss.capacity_gib = machine->memory_gib;
  miss.needed_gib = machine->memory_gib + rejection.missing_gib;
  return miss;
}

// Limits that a type may fail although its memory is enough.
bool limited(const Profile& p) {
  const ConstraintsSpec& c = p.constraints;
  return c.budget_per_hour || c.budget_total || c.deadline_hours || p.inference.requests_per_second || p.inference.slo;
}

// The nearest type that a change makes run within every limit.
std::optional<NearestMiss> within_limits(std::span<const Rejection* const> nearest, const Advice& advice,
                                         const Knowledge& knowledge, const RuleSet& rules,
                                         const RecommendOptions& options) {
  constexpr std::size_t kMostTries = 12;
  const auto tried = nearest.first(std::min(nearest.size(), kMostTries));
  for (const auto& change : memory_changes(advice.workload, advice.asked)) {
    const Workload changed = resolve(change.profile, knowledge.catalog);
    Trials trials(changed, knowledge, rules, options);
    for (const Rejection* rejection : tried) {
      const Trial trial = trials.run(Entry{rejection->family, rejection->type, false, false});
      if (!trial.accepted || !trial.accepted->estimate.memory.known) continue;
      auto miss = miss_of(*rejection, knowledge);
      if (!miss) continue;
      miss->change = change.flags;
      miss->changed_gib = trial.accepted->estimate.memory.device;
      return miss;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<NearestMiss> find_nearest_miss(const Advice& advice, const Knowledge& knowledge, const RuleSet& rules,
                                             const RecommendOptions& options) {
  const std::vector<const Rejection*> nearest = nearest_first(advice.rejected, knowledge.catalog);
  if (nearest.empty()) return std::nullopt;
  if (limited(advice.asked)) {
    if (auto miss = within_limits(nearest, advice, knowledge, rules, options)) return miss;
    return miss_of(*nearest.front(), knowledge);
  }
  auto miss = miss_of(*nearest.front(), knowledge);
  if (!miss) return std::nullopt;
  for (const auto& change : memory_changes(advice.workload, advice.asked)) {
    const Workload changed = resolve(change.profile, knowledge.catalog);
    const LayoutSearch search =
        best_layout(Estimator(changed, knowledge.calibration), miss->machine, knowledge, Objective::balanced);
    if (!search.fits || !search.fits->memory.known) continue;
    miss->change = change.flags;
    miss->changed_gib = search.fits->memory.device;
    break;
  }
  return miss;
}

}  // namespace gpuadvise
