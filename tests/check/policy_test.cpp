// Suppressions, severities, baselines, differences, the user's own rules.
#include <algorithm>
#include <string>

#include "gpuadvise/check.h"

#include "builtin_rules.h"
#include "catch.h"
#include "report/findings.h"

using namespace gpuadvise;

namespace {

const std::string kPlan =
    R"({"format_version":"1.2","resource_changes":[{"address":"alicloud_instance.a","mode":"managed","type":"alicloud_instance","name":"a","change":{"actions":["no-op"],"after":{"instance_type":"ecs.gn6i-c16g1.3xlarge"}}},
    {"address":"alicloud_instance.b","mode":"managed","type":"alicloud_instance","name":"b","change":{"actions":["create"],"after":{"instance_type":"ecs.gn6i-c16g1.3xlarge"}}}]})";

using gpuadvise::test::rules;

CheckReport run(const std::string& config, bool changes_only = false, const RuleSet& set = rules()) {
  CheckOptions options;
  options.source_dir = "/nonexistent";
  options.today = "2026-11-30";
  options.changes_only = changes_only;
  if (!config.empty()) {
    options.config_name = "gpuadvise.yaml";
    options.config_bytes = config;
  }
  return check_plans({{"plan.json", kPlan, false}}, options, builtin_knowledge(), set);
}

}  // namespace

TEST_CASE("a suppression holds until its date", "[check][policy]") {
  CHECK(run("").findings.size() == 2);
  const auto held = run("suppress: [{rule: 'type/*', match: '*.a', reason: later, until: 2026-11-30}]\n");
  CHECK(held.findings.size() == 1);
  REQUIRE(held.suppressed.size() == 1);
  CHECK(held.suppressed[0].suppressed == "later");
  const auto over = run("suppress: [{rule: 'type/*', match: '*.a', reason: later, until: 2026-11-29}]\n");
  CHECK(over.suppressed.empty());
  CHECK(std::any_of(over.findings.begin(), over.findings.end(),
                    [](const Finding& f) { return f.rule == "config/suppression-expired"; }));
}

TEST_CASE("severities can be changed or turned off", "[check][policy]") {
  const auto notes = run("severity: {type/unknown: note}\n");
  REQUIRE(notes.findings.size() == 2);
  CHECK(notes.findings[0].severity == Severity::note);
  CHECK(run("severity: {type/unknown: off}\n").findings.empty());
}

TEST_CASE("a baseline leaves what is new, --diff what changes", "[check][policy]") {
  const auto before = run("");
  const base::Texts texts(builtin_knowledge().messages, Lang::en);
  auto now = run("");
  drop_known(now, report::findings_json({before, rules(), texts, false, 100, "error", 1}), "baseline.json");
  CHECK(now.findings.empty());
  CHECK_THROWS_AS(drop_known(now, "[]", "baseline.json"), InputError);
  CHECK(run("", true).findings.size() == 1);
  CHECK(before.findings[0].fingerprint != before.findings[1].fingerprint);
}

TEST_CASE("a user's rule over plan fields speaks like the built-in ones", "[check][policy]") {
  RuleSet own(builtin_knowledge().rules);
  own.lay_over(R"(
rules:
  - id: house/no-t4-names
    severity: error
    scope: plan
    when: plan.type.contains('gn6i')
    effect: reject
    message: {en: "{plan.type}: no T4 in this house", zh: "{plan.type}：本公司不用 T4"}
    remedy: {en: take an A10, zh: 改用 A10}
    sources: [vendor-pages]
    since: "0.1"
    tests:
      - {fires: true, given: {plan.type: ecs.gn6i-c4g1.xlarge}}
      - {fires: false, given: {plan.type: ecs.gn7i-c8g1.2xlarge}}
)",
               "house.yaml");
  const auto report = run("", false, own);
  CHECK(std::count_if(report.findings.begin(), report.findings.end(),
                      [](const Finding& f) { return f.rule == "house/no-t4-names"; }) == 2);
}

TEST_CASE("rules over plans pass the tests that they carry", "[check][policy]") {
  for (const ActiveRule* rule : rules().of(RuleScope::plan)) {
    for (const auto& fault : test_rule(*rule)) {
      INFO(rule->id() << ": " << fault);
      CHECK(false);
    }
  }
}
