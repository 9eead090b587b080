#include <fmt/format.h>

#include "base/text.h"
#include "report/findings.h"

namespace gpuadvise::report {

namespace {

std::string paint(std::string_view text, Severity severity, bool colour) {
  if (!colour) return std::string(text);
  const std::string_view code = severity == Severity::error ? "31" : severity == Severity::warning ? "33" : "36";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void block(std::string& out, std::string_view text, std::string_view lead, std::size_t width) {
  constexpr std::size_t kIndent = 9;
  constexpr std::size_t kLeast = 40;
  const std::size_t room = width > kIndent + kLeast ? width - kIndent : kLeast;
  std::string first(kIndent, ' ');
  for (const auto& line : base::wrap(std::string(lead) + base::printable(text), room)) out += first + line + '\n';
}

}  // namespace

std::string findings_table(const FindingsView& view) {
  const CheckReport& report = view.report;
  const base::Texts& t = view.texts;
  std::string workloads;
  for (const auto& workload : report.workloads) {
    workloads += (workloads.empty() ? "" : t("screen/comma")) + base::printable(workload.name);
    std::string what = workload.task;
    if (!workload.model.empty()) what += (what.empty() ? "" : " ") + workload.model;
    if (!what.empty()) workloads += t("screen/aside", {{"text", base::printable(what)}});
  }
  std::string out =
      t("check/summary-head", {{"files", std::to_string(report.files)}, {"machines", std::to_string(report.machines)}});
  if (!workloads.empty()) out += t("screen/semicolon") + t("check/summary-workloads", {{"workloads", workloads}});
  out += "\n";
  int counts[3] = {0, 0, 0};
  for (const auto& finding : report.findings) {
    ++counts[static_cast<int>(finding.severity)];
    const std::string word = t(fmt::format("severity/{}", severity_word(finding.severity)));
    out += '\n' + paint(base::pad_right(word, 9), finding.severity, view.colour) +
           base::pad_right(base::printable(finding.rule), 26);
    std::string where = base::printable(finding.resource);
    if (!finding.resource.empty()) out += ' ' + where;
    const std::string place = place_words(finding.place);
    if (!place.empty()) out += "  " + place;
    out += '\n';
    block(out, message_words(finding), "", view.width);
    if (!finding.remedy.empty()) block(out, finding.remedy, t("check/fix") + " ", view.width);
  }
  out += '\n' + t("check/summary", {{"errors", std::to_string(counts[0])},
                                    {"warnings", std::to_string(counts[1])},
                                    {"notes", std::to_string(counts[2])}});
  if (!report.suppressed.empty()) {
    out += t("screen/comma") + t("check/summary-suppressed", {{"count", std::to_string(report.suppressed.size())}});
  }
  out += "        " + t("check/summary-exit", {{"code", std::to_string(view.exit_code)}, {"fail_on", view.fail_on}}) +
         '\n';
  return out;
}

}  // namespace gpuadvise::report
