// Test Anything Protocol, version 13: errors and warnings are "not ok".
#include <fmt/format.h>

#include "base/text.h"
#include "report/findings.h"

namespace gpuadvise::report {

namespace {

// "#" starts a directive.
std::string description(std::string_view text) {
  std::string out;
  for (const char c : base::printable(text)) {
    if (c == '#' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string yaml_text(std::string_view text) {
  std::string out = "'";
  for (const char c : base::printable(text)) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

}  // namespace

std::string findings_tap(const FindingsView& view) {
  const auto& findings = view.report.findings;
  std::string out = fmt::format("TAP version 13\n1..{}\n", findings.size() + view.report.suppressed.size());
  int number = 0;
  for (const auto& finding : findings) {
    const bool ok = finding.severity == Severity::note;
    out += fmt::format("{} {} - {} {}\n", ok ? "ok" : "not ok", ++number, description(finding.rule),
                       description(finding.resource));
    out += fmt::format("  ---\n  severity: {}\n  message: {}\n", severity_word(finding.severity),
                       yaml_text(message_words(finding)));
    if (!finding.remedy.empty()) out += fmt::format("  remedy: {}\n", yaml_text(finding.remedy));
    const std::string place = place_words(finding.place);
    if (!place.empty()) out += fmt::format("  at: {}\n", yaml_text(place));
    out += "  ...\n";
  }
  for (const auto& finding : view.report.suppressed) {
    out += fmt::format("ok {} - {} {} # SKIP {}\n", ++number, description(finding.rule), description(finding.resource),
                       description(finding.suppressed));
  }
  return out;
}

}  // namespace gpuadvise::report
