// Plans that people really make, one folder each: small inputs and the verdict that they must get. expected.yaml lists
// findings that must be there, findings that must not, and severities that must not occur.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "gpuadvise/check.h"

#include "base/node.h"
#include "catch.h"
#include "check/case_runner.h"
#include "check/config.h"
#include "check/select.h"
#include "report/findings.h"

using namespace gpuadvise;
using test::case_folders;
using test::run_case;

namespace {

std::string listing(const CheckReport& report) {
  std::string out;
  for (const auto& f : report.findings) {
    out += fmt::format("  {} {} {} [{}] {} | {}\n", report::severity_word(f.severity), f.rule, f.resource,
                       f.instance_type, f.message, f.remedy);
  }
  return out.empty() ? "  nothing\n" : out;
}

bool matches(const Finding& finding, const base::Node& wanted) {
  const auto text = [&](std::string_view key) { return check::text_of(wanted.find(key)); };
  const auto contains = [](const std::string& whole, const std::string& part) {
    return part.empty() || whole.find(part) != std::string::npos;
  };
  const std::string rule = text("rule");
  const std::string severity = text("severity");
  const std::string resource = text("resource");
  const std::string type = text("type");
  return (rule.empty() || check::glob_match(rule, finding.rule)) &&
         (severity.empty() || severity == report::severity_word(finding.severity)) &&
         (resource.empty() || resource == finding.resource) && (type.empty() || type == finding.instance_type) &&
         contains(finding.message, text("message")) && contains(finding.remedy, text("remedy"));
}

}  // namespace

TEST_CASE("each case gets its verdict", "[check][cases]") {
  const auto folders = case_folders();
  REQUIRE(folders.size() >= 35);
  for (const auto& folder : folders) {
    DYNAMIC_SECTION(folder.filename().string()) {
      const CheckReport report = run_case(folder, Lang::en);
      const auto expected = base::parse_yaml(base::read_bytes((folder / "expected.yaml").string()), "expected.yaml");
      INFO(folder.filename().string() << " found:\n" << listing(report));
      for (const base::Node* wanted : check::select(expected, "expect")) {
        INFO("wanted: rule " << check::text_of(wanted->find("rule")) << " "
                             << check::text_of(wanted->find("resource")));
        CHECK(std::any_of(report.findings.begin(), report.findings.end(),
                          [&](const Finding& finding) { return matches(finding, *wanted); }));
      }
      for (const base::Node* unwanted : check::select(expected, "absent")) {
        INFO("unwanted: rule " << check::text_of(unwanted->find("rule")) << " "
                               << check::text_of(unwanted->find("resource")));
        CHECK(std::none_of(report.findings.begin(), report.findings.end(),
                           [&](const Finding& finding) { return matches(finding, *unwanted); }));
      }
      for (const base::Node* none : check::select(expected, "none")) {
        INFO("no " << none->text << " is expected");
        CHECK(std::none_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
          return none->text == report::severity_word(finding.severity);
        }));
      }
      CHECK(report.partial == check::truthy(expected.find("partial")));
    }
  }
}

TEST_CASE("every finding of every case reads in both languages", "[check][cases]") {
  for (const auto& folder : case_folders()) {
    const CheckReport en = run_case(folder, Lang::en);
    const CheckReport zh = run_case(folder, Lang::zh);
    INFO(folder.filename().string());
    REQUIRE(en.findings.size() == zh.findings.size());
    for (std::size_t i = 0; i < en.findings.size(); ++i) {
      CHECK(en.findings[i].rule == zh.findings[i].rule);
      CHECK(en.findings[i].message != zh.findings[i].message);
      // Nothing that a rule speaks of may be unknown to it.
      CHECK(en.findings[i].message.find("unknown") == std::string::npos);
    }
  }
}
