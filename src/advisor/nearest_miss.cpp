#include <array>

#include "advisor/layouts.h"
#include "advisor/nearest_miss.h"
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

std::optional<NearestMiss> find_nearest_miss(const std::vector<Rejection>& rejected, const Advice& advice,
                                             const Knowledge& knowledge) {
  const Rejection* nearest = nullptr;
  double least = 0;
  for (const auto& r : rejected) {
    if (r.missing_gib <= 0 || !r.type->accelerator_memory_gib) continue;
    const Accelerator* card = accelerator_of(knowledge.catalog, *r.type);
    if (card == nullptr || !card->peak.fp16) continue;
    // By how much of the card is missing: two gibibytes are little on 80 and much on 8.
    const double share = r.missing_gib / *r.type->accelerator_memory_gib;
    if (nearest == nullptr || share < least) nearest = &r, least = share;
  }
  if (nearest == nullptr) return std::nullopt;
  const auto machine = machine_of(knowledge.catalog, knowledge.hardware, *nearest->family, *nearest->type, 1);
  if (!machine) return std::nullopt;
  NearestMiss miss;
  miss.family = nearest->family;
  miss.type = nearest->type;
  miss.machine = *machine;
  miss.capacity_gib = machine->memory_gib;
  miss.needed_gib = machine->memory_gib + nearest->missing_gib;
  for (const auto& change : memory_changes(advice.workload, advice.asked)) {
    const Workload changed = resolve(change.profile, knowledge.catalog);
    const LayoutSearch search =
        best_layout(Estimator(changed, knowledge.calibration), *machine, knowledge, Objective::balanced);
    if (!search.fits) continue;
    miss.change = change.flags;
    miss.changed_gib = search.fits->memory.device;
    break;
  }
  return miss;
}

}  // namespace gpuadvise
