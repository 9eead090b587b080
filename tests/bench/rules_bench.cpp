// What a rule costs: one condition on one candidate, a pass over all candidate rules, and what either allocates.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "gpuadvise/knowledge.h"
#include "gpuadvise/rules.h"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* at = std::malloc(size)) return at;
  throw std::bad_alloc();
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }

namespace {

using namespace gpuadvise;

RuleContext candidate() {
  RuleContext c;
  c.set(Field::workload_kind, "llm_training").set(Field::workload_is_training, true);
  c.set(Field::workload_is_serving, false).set(Field::workload_is_graphics, false);
  c.set(Field::workload_task, "llm-finetune").set(Field::workload_precision, "bf16");
  c.set(Field::training_precision, "bf16").set(Field::training_method, "lora").set(Field::training_offload, "none");
  c.set(Field::accelerator_software_stack, "cuda").set(Field::accelerator_compute_capability, 8.6);
  c.set(Field::family_status, "current").set(Field::family_interconnect, "pcie").set(Field::instance_slice, false);
  c.set(Field::layout_accelerators_per_node, 4).set(Field::layout_accelerators, 4).set(Field::layout_nodes, 1);
  c.set(Field::layout_tensor, 1).set(Field::layout_data, 4).set(Field::layout_zero_stage, 3);
  c.set(Field::layout_idle_accelerators, 0).set(Field::estimate_memory_fits, true);
  c.set(Field::estimate_communication_fraction, 0.12).set(Field::estimate_data_comm_fraction, 0.12);
  return c;
}

// The best of five rounds: the machine may be busy.
template <class F>
void measure(const char* what, int times, double per, F f) {
  double best = 1e9;
  long allocated = 0;
  for (int round = 0; round < 5; ++round) {
    const long before = allocations;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) f();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / times);
    allocated = (allocations - before) / times;
  }
  std::printf("%-28s %9.1f ns   %7.1f ns per rule   %ld allocations\n", what, best, best / per, allocated);
}

}  // namespace

int main() {
  const RuleSet rules(builtin_knowledge().rules);
  RuleEvaluation evaluation;
  RuleContext context = candidate();
  const ActiveRule* rule = rules.find("network/no-nvlink");
  if (rule == nullptr) return 1;
  std::size_t fired = evaluation.apply(*rule, context).rule != nullptr ? 1 : 0;
  measure("one condition", 200000, 1, [&] { fired += evaluation.apply(*rule, context).undecided ? 1U : 0U; });
  const RuleList list = rules.of(RuleScope::candidate);
  (void)evaluation.apply(list, context);
  measure("all candidate rules", 2000, static_cast<double>(list.size()),
          [&] { fired += evaluation.apply(list, context).size(); });
  RuleList narrowed;
  evaluation.narrow(list, context, narrowed);
  std::printf("%zu of %zu rules left after narrowing\n", narrowed.size(), list.size());
  measure("narrowed rules", 2000, static_cast<double>(narrowed.size()),
          [&] { fired += evaluation.apply(narrowed, context).size(); });
  measure("rule set from the tables", 200, static_cast<double>(rules.rules().size()),
          [&] { fired += RuleSet(builtin_knowledge().rules).rules().size(); });
  return fired > 0 ? 0 : 1;
}
