// SARIF 2.1.0 with what GitHub code scanning asks for beyond the schema: help on every rule, a location on every
// result, fingerprints that outlive line numbers.
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/findings.h"

namespace gpuadvise::report {

namespace {

using Json = nlohmann::ordered_json;

std::string shorter(std::string text) {
  constexpr std::size_t kMost = 1000;  // GitHub takes 1024 characters
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return text.substr(0, end);
}

// A rule's message without its values: what the rule is about.
std::string plain(std::string_view text) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    if (c == '{') {
      ++depth;
    } else if (c == '}') {
      if (depth > 0) --depth;
      if (depth == 0) out += "...";
    } else if (depth == 0) {
      out += c;
    }
  }
  return out;
}

// A path inside a URI: what is not allowed there is escaped.
std::string uri_of(std::string_view file) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : file_uri(file)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view("-._~/@").find(c) != std::string_view::npos;
    if (fine) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

Json rule_json(const std::string& id, const FindingsView& view) {
  Json out;
  out["id"] = id;
  const ActiveRule* rule = view.rules.find(id);
  const Lang lang = view.texts.lang();
  std::string about = rule == nullptr ? view.texts("check/rule-input") : shorter(plain(rule->message.in(lang)));
  if (about.empty()) about = id;
  std::string help = rule == nullptr ? about : shorter(plain(rule->remedy.in(lang)));
  if (help.empty()) help = about;
  out["name"] = id;
  out["shortDescription"] = {{"text", about}};
  out["fullDescription"] = {{"text", about}};
  out["help"] = {{"text", help}, {"markdown", help}};
  out["defaultConfiguration"] = {{"level", rule == nullptr ? "warning" : severity_word(rule->severity)}};
  Json tags = Json::array({"gpu"});
  if (rule != nullptr) {
    for (const auto tag : rule->rule->spec.tags) tags.push_back(tag);
  }
  out["properties"] = {{"tags", tags}, {"precision", "high"}};
  return out;
}

Json result_json(const Finding& finding, int rule_index) {
  Json out;
  out["ruleId"] = finding.rule;
  out["ruleIndex"] = rule_index;
  out["level"] = severity_word(finding.severity);
  std::string text = base::printable(message_words(finding));
  if (!finding.resource.empty()) text = base::printable(finding.resource) + ": " + text;
  if (!finding.remedy.empty()) text += ". " + base::printable(finding.remedy);
  out["message"] = {{"text", text}};
  Json region = {{"startLine", finding.place.line > 0 ? finding.place.line : 1},
                 {"startColumn", finding.place.column > 0 ? finding.place.column : 1}};
  region["endLine"] = region["startLine"];
  Json location;
  location["physicalLocation"] = {{"artifactLocation", {{"uri", uri_of(finding.place.file)}}}, {"region", region}};
  if (!finding.resource.empty()) {
    location["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", base::printable(finding.resource)}, {"kind", "resource"}}});
  }
  out["locations"] = Json::array({location});
  out["partialFingerprints"] = {{"primaryLocationLineHash", finding.fingerprint},
                                {"gpuadvise/v1", finding.fingerprint}};
  if (!finding.suppressed.empty()) {
    out["suppressions"] = Json::array({{{"kind", "external"}, {"justification", base::printable(finding.suppressed)}}});
  }
  return out;
}

}  // namespace

std::string findings_sarif(const FindingsView& view) {
  std::map<std::string, int> index;
  Json rules = Json::array();
  Json results = Json::array();
  const auto add = [&](const Finding& finding) {
    const auto [at, fresh] = index.emplace(finding.rule, static_cast<int>(rules.size()));
    if (fresh) rules.push_back(rule_json(finding.rule, view));
    results.push_back(result_json(finding, at->second));
  };
  for (const auto& finding : view.report.findings) add(finding);
  for (const auto& finding : view.report.suppressed) add(finding);
  Json driver;
  driver["name"] = "gpuadvise";
  driver["semanticVersion"] = GPUADVISE_VERSION;
  driver["rules"] = std::move(rules);
  Json run;
  run["tool"] = {{"driver", std::move(driver)}};
  run["automationDetails"] = {{"id", "gpuadvise/"}};
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = std::move(results);
  Json root;
  root["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  root["version"] = "2.1.0";
  root["runs"] = Json::array({std::move(run)});
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace gpuadvise::report
