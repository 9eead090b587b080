// Judging a candidate allocates nothing once the buffers have grown: every operator new of this program is counted.
#include <atomic>
#include <cstdlib>
#include <new>

#include "gpuadvise/knowledge.h"
#include "gpuadvise/rules.h"

#include "catch.h"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* at = std::malloc(size)) return at;  // NOLINT: what operator new is made of
  throw std::bad_alloc();
}
// std::stable_sort asks with this one, and gives back by the same operator delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }  // NOLINT
void operator delete(void* at) noexcept { std::free(at); }                                          // NOLINT
void operator delete(void* at, std::size_t) noexcept { std::free(at); }                             // NOLINT

using namespace gpuadvise;

TEST_CASE("Judging a candidate allocates nothing per rule", "[rules]") {
  const RuleSet rules(builtin_knowledge().rules);
  RuleEvaluation evaluation;
  for (const auto scope : {RuleScope::candidate, RuleScope::recommendation, RuleScope::plan}) {
    const RuleList list = rules.of(scope);
    for (const ActiveRule* rule : list) {
      INFO(rule->id());
      for (const RuleTest& test : rule->rule->spec.tests) {
        RuleContext context = test_context(test);
        (void)evaluation.apply(*rule, context);  // the buffers grow
        const long before = allocations;
        const Firing firing = evaluation.apply(*rule, context);
        CHECK(allocations - before == 0);
        CHECK((firing.rule != nullptr && !firing.undecided) == test.fires);
      }
    }
    RuleContext context;
    context.set(Field::layout_nodes, 2).set(Field::workload_is_training, true);
    RuleList narrowed;
    evaluation.narrow(list, context, narrowed);
    (void)evaluation.apply(list, context);
    const long before = allocations;
    evaluation.narrow(list, context, narrowed);
    (void)evaluation.apply(list, context);
    CHECK(allocations - before == 0);
  }
}
