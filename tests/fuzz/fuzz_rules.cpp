// Any bytes as a rule file: it is laid over the rules or refused with a message; what is accepted is tested, narrowed
// and rendered.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gpuadvise/error.h"
#include "gpuadvise/knowledge.h"
#include "gpuadvise/rules.h"

using namespace gpuadvise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT
  static const auto base = builtin_knowledge().rules;
  RuleSet rules(base.first(std::min<std::size_t>(base.size(), 12)));
  try {
    rules.lay_over(text, "fuzz.yaml");
  } catch (const InputError& e) {
    if (e.message().empty()) std::abort();
    return 0;
  }
  RuleEvaluation evaluation;
  RuleContext context;
  RuleList narrowed;
  for (const auto scope : {RuleScope::candidate, RuleScope::recommendation, RuleScope::plan}) {
    evaluation.narrow(rules.of(scope), context, narrowed);
    (void)evaluation.apply(narrowed, context, true);
  }
  for (const ActiveRule& rule : rules.rules()) {
    if (rule.origin.empty()) continue;
    (void)test_rule(rule);
    (void)evaluation.message(rule, context, Lang::zh);
    (void)rule_values(rule, context);
  }
  return 0;
}
