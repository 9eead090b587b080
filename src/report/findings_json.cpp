#include <nlohmann/json.hpp>

#include "report/findings.h"

namespace gpuadvise::report {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(int value) { return value > 0 ? Json(value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

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
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace gpuadvise::report
