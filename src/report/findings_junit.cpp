// JUnit XML as GitLab and Jenkins read it: one case a finding; notes pass, with their text as output. GitLab keeps only
// the first of two cases with one class and name, so the name carries rule, resource and fingerprint.
#include <fmt/format.h>

#include "base/text.h"
#include "report/findings.h"

namespace gpuadvise::report {

namespace {

// XML 1.0 has no way to write most control characters; base::printable has spelled them out before.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : base::printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
  // U+FFFE and U+FFFF are no XML characters either.
  for (const std::string_view bad : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (auto at = out.find(bad); at != std::string::npos; at = out.find(bad)) out.replace(at, bad.size(), "?");
  }
  return out;
}

}  // namespace

std::string findings_junit(const FindingsView& view) {
  const auto& findings = view.report.findings;
  int failures = 0;
  for (const auto& finding : findings) failures += finding.severity == Severity::note ? 0 : 1;
  const std::size_t tests = findings.size() + view.report.suppressed.size() + (findings.empty() ? 1 : 0);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", tests, failures,
                                         view.report.suppressed.size());
  out += fmt::format("<testsuites name=\"gpuadvise check\" {}>\n",
                     fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\"", tests, failures));
  out += fmt::format("  <testsuite name=\"gpuadvise check\" {} time=\"0\">\n", counts);
  const auto open = [&](const Finding& finding) {
    std::string name = finding.rule;
    if (!finding.resource.empty()) name += " " + finding.resource;
    if (!finding.instance_type.empty()) name += " " + finding.instance_type;
    name += " [" + finding.fingerprint + "]";
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" time=\"0\">\n", xml(finding.rule),
                       xml(name), xml(file_uri(finding.place.file)));
  };
  for (const auto& finding : findings) {
    open(finding);
    const std::string place = place_words(finding.place);
    const std::string body =
        xml(place) + (place.empty() ? "" : "&#10;") + xml(message_words(finding)) +
        (finding.remedy.empty() ? "" : "&#10;" + xml(view.texts("check/fix") + " " + finding.remedy));
    if (finding.severity == Severity::note) {
      out += fmt::format("      <system-out>{}</system-out>\n", body);
    } else {
      out += fmt::format("      <failure message=\"{}\" type=\"{}\">{}</failure>\n", xml(message_words(finding)),
                         severity_word(finding.severity), body);
    }
    out += "    </testcase>\n";
  }
  for (const auto& finding : view.report.suppressed) {
    open(finding);
    out += fmt::format("      <skipped message=\"{}\"/>\n    </testcase>\n", xml(finding.suppressed));
  }
  if (findings.empty()) {
    out += fmt::format("    <testcase classname=\"gpuadvise\" name=\"{}\" time=\"0\"/>\n",
                       xml(view.texts("check/nothing-found")));
  }
  out += "  </testsuite>\n</testsuites>\n";
  return out;
}

}  // namespace gpuadvise::report
