#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/findings.h"

namespace gpuadvise::report {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(int value) { return value > 0 ? Json(value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// Marks that turn the direction of a line around are data like any other, but a terminal that shows the file must not
// obey them: they are written as escapes.
std::string without_direction_marks(const std::string& json) {
  static constexpr std::string_view kLead = "\xE2";
  std::string out;
  std::size_t done = 0;
  for (auto at = json.find(kLead); at != std::string::npos && at + 2 < json.size(); at = json.find(kLead, at + 1)) {
    const auto second = static_cast<unsigned char>(json[at + 1]);
    const auto third = static_cast<unsigned char>(json[at + 2]);
    const unsigned code = 0x2000U | (static_cast<unsigned>(second & 0x3FU) << 6U) | (third & 0x3FU);
    const bool turns =
        (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F;
    if (!turns) continue;
    out.append(json, done, at - done);
    out += fmt::format("\\u{:04x}", code);
    done = at + 3;
  }
  return out.append(json, done);
}

Json one(const Finding& finding) {
  Json out;
  out["rule"] = finding.rule;
  out["severity"] = severity_word(finding.severity);
  out["resource"] = text_or_null(finding.resource);
  out["file"] = text_or_null(finding.place.file);
  out["line"] = number_or_null(finding.place.line);
  out["column"] = number_or_null(finding.place.column);
  out["message"] = finding.message;
  out["remedy"] = text_or_null(finding.remedy);
  out["instance_type"] = text_or_null(finding.instance_type);
  out["sources"] = finding.sources;
  out["fingerprint"] = finding.fingerprint;
  if (!finding.suppressed.empty()) out["suppressed"] = finding.suppressed;
  return out;
}

}  // namespace

std::string findings_json(const FindingsView& view) {
  const CheckReport& report = view.report;
  Json root;
  root["schema_version"] = 1;
  root["files"] = report.files;
  root["machines"] = report.machines;
  root["partial"] = report.partial;
  root["workloads"] = Json::array();
  for (const auto& workload : report.workloads) {
    root["workloads"].push_back({{"name", workload.name},
                                 {"task", text_or_null(workload.task)},
                                 {"model", text_or_null(workload.model)},
                                 {"inferred", workload.inferred},
                                 {"machines", workload.machines}});
  }
  root["findings"] = Json::array();
  int counts[3] = {0, 0, 0};
  for (const auto& finding : report.findings) {
    ++counts[static_cast<int>(finding.severity)];
    root["findings"].push_back(one(finding));
  }
  root["suppressed"] = Json::array();
  for (const auto& finding : report.suppressed) root["suppressed"].push_back(one(finding));
  root["summary"] = {{"error", counts[0]}, {"warning", counts[1]}, {"note", counts[2]}};
  return without_direction_marks(root.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

}  // namespace gpuadvise::report
