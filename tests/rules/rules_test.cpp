#include <fmt/format.h>
#include <set>

#include "gpuadvise/error.h"
#include "gpuadvise/knowledge.h"
#include "gpuadvise/rules.h"

#include "catch.h"

using namespace gpuadvise;

namespace {

const RuleSet& builtin() {
  static const RuleSet rules(builtin_knowledge().rules);
  return rules;
}

// A rule file of one rule, with lines replaced or added.
std::string rule_file(std::string_view when, std::string_view rest = {}) {
  return fmt::format(R"(rules:
  - id: test/one
    severity: warning
    scope: candidate
    when: "{}"
    effect: warn
    message: {{en: "m", zh: "m"}}
    remedy: {{en: "r", zh: "r"}}
    tests:
      - {{fires: true, given: {{layout.nodes: 2}}}}
      - {{fires: false, given: {{layout.nodes: 1}}}}
{})",
                     when, rest);
}

std::string error_of(std::string_view text, std::span<const Rule> base = {}) {
  RuleSet rules(base);
  try {
    rules.lay_over(text, "user.yaml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("Every built-in rule passes the tests that it carries", "[rules]") {
  REQUIRE(builtin().rules().size() > 10);
  for (const ActiveRule& rule : builtin().rules()) {
    for (const auto& problem : test_rule(rule)) FAIL_CHECK(problem);
  }
}

TEST_CASE("A rule fires, stays quiet, or is undecided for want of a fact", "[rules]") {
  const ActiveRule* rule = builtin().find("numbers/bf16");
  REQUIRE(rule != nullptr);
  RuleEvaluation evaluation;
  RuleContext context;
  context.set(Field::workload_precision, "bf16").set(Field::accelerator_name, "NVIDIA T4");
  const Firing undecided = evaluation.apply(*rule, context);
  REQUIRE(undecided.rule == rule);
  CHECK(undecided.undecided);
  CHECK(undecided.missing == "accelerator.compute_capability");

  context.set(Field::accelerator_compute_capability, 7.5);
  const Firing fires = evaluation.apply(*rule, context);
  REQUIRE(fires.rule == rule);
  CHECK_FALSE(fires.undecided);
  CHECK(evaluation.message(*rule, context, Lang::en) == "NVIDIA T4 has no bf16 (compute capability 7.5, needs 8.0)");
  CHECK(contains(evaluation.message(*rule, context, Lang::zh), "不支持 bf16"));
  CHECK(evaluation.unfilled() == 0);

  context.set(Field::workload_precision, "fp16");
  CHECK(evaluation.apply(*rule, context).rule == nullptr);
}

TEST_CASE("Narrowing drops only what can no longer fire", "[rules]") {
  RuleEvaluation evaluation;
  RuleContext workload;
  workload.set(Field::workload_precision, "fp16")
      .set(Field::workload_is_training, true)
      .set(Field::workload_is_graphics, false);
  workload.set(Field::workload_kind, "llm_training");
  RuleList narrowed;
  const RuleList all = builtin().of(RuleScope::candidate);
  evaluation.narrow(all, workload, narrowed);
  CHECK(narrowed.size() < all.size());
  std::set<std::string_view> ids;
  for (const auto* rule : narrowed) ids.insert(rule->id());
  CHECK(ids.count("numbers/bf16") == 0);
  CHECK(ids.count("graphics/no-encoder") == 0);
  CHECK(ids.count("family/retired") == 1);
  // has() of a field that is not filled in yet decides nothing while narrowing.
  CHECK(ids.count("family/undocumented") == 1);
}

TEST_CASE("Faults in a condition have a place, a caret and a suggestion", "[rules]") {
  const auto unknown = error_of(rule_file("layout.nods > 1"));
  CHECK(contains(unknown, "unknown field \"layout.nods\"; did you mean \"layout.nodes\"?"));
  CHECK(contains(unknown, "  layout.nods > 1\n  ^"));
  CHECK(contains(error_of(rule_file("layout.nodes > 'x'")), "int > string has no meaning"));
  CHECK(contains(error_of(rule_file("layout.nodes")), "this must be bool, and is int"));
  CHECK(contains(error_of(rule_file("family.status == 'retird'")), "did you mean \"retired\"?"));
  CHECK(contains(error_of(rule_file("size(family.name, 2) > 1")), "size() takes 1 argument, not 2"));
  CHECK(contains(error_of(rule_file("family.name.startWith('g')")), "did you mean \"startsWith\"?"));
  CHECK(contains(error_of(rule_file("layout.nodes * 2.0 > 1.0")), "write 2.0 for 2"));
  CHECK(contains(error_of(rule_file("family.name == b'x'")), "bytes literals"));
  CHECK(contains(error_of(rule_file("family.name.matches('(')")), "not a regular expression"));
  CHECK(contains(error_of(rule_file("layout.nodes > 1")), "no error"));
}

TEST_CASE("A rule file is complete, bilingual and tested, or refused", "[rules]") {
  std::string text = rule_file("layout.nodes > 1");
  const auto without = [&](std::string_view line) {
    std::string out = text;
    const auto at = out.find(line);
    REQUIRE(at != std::string::npos);
    out.erase(at, line.size());
    return error_of(out);
  };
  CHECK(contains(without(", zh: \"m\""), "message.zh is missing"));
  CHECK(contains(without("    severity: warning\n"), "severity is missing"));
  CHECK(contains(without("      - {fires: false, given: {layout.nodes: 1}}\n"), "at least one test that fires"));
  CHECK(contains(without("test/"), "an id is area/name"));
  std::string placeholder = text;
  placeholder.replace(placeholder.find("en: \"m\""), 7, "en: \"{layout.node}\"");
  CHECK(contains(error_of(placeholder), "unknown placeholder {layout.node}; did you mean \"layout.nodes\"?"));
  placeholder = text;
  placeholder.replace(placeholder.find("en: \"m\""), 7, "en: \"{family.name:1}\"");
  CHECK(contains(error_of(placeholder), "format \"1\" is for numbers"));
  CHECK(contains(error_of("rule:\n  - id: a/b\n"), "did you mean \"rules\"?"));
  CHECK(contains(error_of(text + "    whenn: x\n"), "unknown key \"whenn\""));
}

TEST_CASE("Users add, override and disable rules", "[rules]") {
  RuleSet rules(builtin_knowledge().rules);
  rules.lay_over(rule_file("layout.nodes > 1", R"(
overrides:
  - id: numbers/bf16
    set: {min_compute_capability: 9}
    message: {en: "ours", zh: "我们的"}
  - id: network/no-rdma
    severity: error
  - id: family/retired
    disable: "we keep a reserved pool of gn5"
)"),
                 "user.yaml");
  REQUIRE(rules.find("test/one") != nullptr);
  CHECK(rules.find("test/one")->origin == "user.yaml");
  const ActiveRule* bf16 = rules.find("numbers/bf16");
  CHECK(bf16->origin == "user.yaml");
  RuleEvaluation evaluation;
  RuleContext context;
  context.set(Field::workload_precision, "bf16").set(Field::accelerator_compute_capability, 8.0);
  CHECK(evaluation.apply(*bf16, context).rule != nullptr);
  CHECK(evaluation.message(*bf16, context, Lang::en) == "ours");
  CHECK(rules.find("network/no-rdma")->severity == Severity::error);
  rules.lay_over("overrides:\n  - {id: numbers/bf16, set: {min_compute_capability: 7.0}}\n", "lower.yaml");
  CHECK(test_rule(*bf16).empty());  // its tests are about the parameters that it states
  for (const auto* rule : rules.of(RuleScope::candidate)) CHECK(rule->id() != "family/retired");

  const auto base = builtin_knowledge().rules;
  CHECK(contains(error_of("overrides:\n  - {id: numbers/bf61, severity: note}\n", base),
                 "did you mean \"numbers/bf16\"?"));
  CHECK(contains(error_of("overrides:\n  - {id: numbers/bf16, set: {min_compute: 1.0}}\n", base), "no parameter"));
  CHECK(contains(error_of("overrides:\n  - {id: family/retired, disable: ''}\n", base), "say why"));
}

TEST_CASE("A rule can extend another, and a circle of them is refused", "[rules]") {
  RuleSet rules(builtin_knowledge().rules);
  rules.lay_over("rules:\n  - id: numbers/bf16-strict\n    extends: numbers/bf16\n    unless: family.name == 'x'\n",
                 "u.yaml");
  REQUIRE(rules.find("numbers/bf16-strict") != nullptr);
  CHECK(rules.find("numbers/bf16-strict")->rule->spec.when == rules.find("numbers/bf16")->rule->spec.when);
  CHECK(contains(error_of("rules:\n  - {id: a/a, extends: a/b}\n  - {id: a/b, extends: a/a}\n"),
                 "cyclic override: a/a -> a/b -> a/a"));
}
