// Every rule over plans speaks on some case: a rule whose fields no reader fills never would.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "check/case_runner.h"

using namespace gpuadvise;
using test::case_folders;
using test::run_case;

TEST_CASE("each rule over plans fires on a case", "[check][coverage]") {
  std::set<std::string> fired;
  for (const auto& folder : case_folders()) {
    for (const auto& finding : run_case(folder, Lang::en).findings) fired.insert(finding.rule);
  }
  for (const ActiveRule* rule : test::rules().of(RuleScope::plan)) {
    INFO(rule->id() << " fires on no folder of tests/check/cases");
    CHECK(fired.contains(std::string(rule->id())));
  }
}
