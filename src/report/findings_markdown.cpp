// A table for pull requests and job summaries. Markup in names is spelled out: a cell is text and nothing else.
#include <fmt/format.h>

#include "base/text.h"
#include "report/findings.h"

namespace gpuadvise::report {

namespace {

std::string cell(std::string_view text) {
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
      case '@':
        out += "&#64;";
        break;  // mentions nobody
      case '|':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '(':
      case ')':
      case '!':
      case '#':
      case '~':
      case '\\':
        out += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string findings_markdown(const FindingsView& view) {
  const auto& findings = view.report.findings;
  const base::Texts& t = view.texts;
  std::string out = "## gpuadvise check\n\n";
  int counts[3] = {0, 0, 0};
  for (const auto& finding : findings) ++counts[static_cast<int>(finding.severity)];
  out += t("check/summary", {{"errors", std::to_string(counts[0])},
                             {"warnings", std::to_string(counts[1])},
                             {"notes", std::to_string(counts[2])}}) +
         "\n";
  if (findings.empty()) return out;
  out += fmt::format("\n| {} | {} | {} | {} |\n| --- | --- | --- | --- |\n", t("check/column-severity"),
                     t("check/column-rule"), t("check/column-where"), t("check/column-what"));
  for (const auto& finding : findings) {
    std::string where = finding.resource;
    const std::string place = place_words(finding.place);
    if (!place.empty()) where += (where.empty() ? "" : " ") + place;
    std::string what = message_words(finding);
    if (!finding.remedy.empty()) what += t("screen/next-sentence") + t("check/fix") + " " + finding.remedy;
    out += fmt::format("| {} | {} | {} | {} |\n", t(fmt::format("severity/{}", severity_word(finding.severity))),
                       cell(finding.rule), cell(where), cell(what));
  }
  return out;
}

}  // namespace gpuadvise::report
