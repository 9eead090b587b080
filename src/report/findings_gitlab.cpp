// GitLab Code Quality: an array, each entry with a fingerprint of its own.
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/findings.h"

namespace gpuadvise::report {

std::string findings_gitlab(const FindingsView& view) {
  using Json = nlohmann::ordered_json;
  Json root = Json::array();
  for (const auto& finding : view.report.findings) {
    std::string text =
        finding.resource.empty() ? message_words(finding) : finding.resource + ": " + message_words(finding);
    if (!finding.remedy.empty()) text += ". " + view.texts("check/fix") + " " + finding.remedy;
    const std::string_view severity = finding.severity == Severity::error     ? "critical"
                                      : finding.severity == Severity::warning ? "major"
                                                                              : "info";
    root.push_back({{"description", base::printable(text)},
                    {"check_name", finding.rule},
                    {"fingerprint", finding.fingerprint},
                    {"severity", severity},
                    {"location",
                     {{"path", base::printable(file_uri(finding.place.file))},
                      {"lines", {{"begin", finding.place.line > 0 ? finding.place.line : 1}}}}}});
  }
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace gpuadvise::report
