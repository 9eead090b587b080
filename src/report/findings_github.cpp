// GitHub workflow commands. GitHub shows ten annotations of a kind a step and drops the rest without a word, so the
// gravest come first and a last line counts all.
#include <fmt/format.h>

#include "base/text.h"
#include "report/findings.h"

namespace gpuadvise::report {

namespace {

std::string message(std::string_view text) {
  std::string out;
  for (const char c : base::printable(text)) {
    if (c == '%') {
      out += "%25";
    } else {
      out += c;
    }
  }
  return out;
}

std::string property(std::string_view text) {
  std::string out;
  for (const char c : message(text)) {
    if (c == ':') {
      out += "%3A";
    } else if (c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string findings_github(const FindingsView& view) {
  std::string out;
  int counts[3] = {0, 0, 0};
  for (const auto& finding : view.report.findings) {
    ++counts[static_cast<int>(finding.severity)];
    const std::string_view command = finding.severity == Severity::note ? "notice" : severity_word(finding.severity);
    out += fmt::format("::{} file={}", command, property(file_uri(finding.place.file)));
    if (finding.place.line > 0) out += fmt::format(",line={}", finding.place.line);
    if (finding.place.column > 0) out += fmt::format(",col={}", finding.place.column);
    out += fmt::format(",title={}::", property("gpuadvise " + finding.rule));
    std::string text =
        finding.resource.empty() ? message_words(finding) : finding.resource + ": " + message_words(finding);
    if (!finding.remedy.empty()) text += ". " + view.texts("check/fix") + " " + finding.remedy;
    out += message(text) + '\n';
  }
  out += "gpuadvise check: " +
         view.texts("check/summary", {{"errors", std::to_string(counts[0])},
                                      {"warnings", std::to_string(counts[1])},
                                      {"notes", std::to_string(counts[2])}}) +
         '\n';
  return out;
}

}  // namespace gpuadvise::report
