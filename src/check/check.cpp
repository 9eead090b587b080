#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

#include "gpuadvise/check.h"

#include "base/message.h"
#include "base/node.h"
#include "base/text.h"
#include "base/translate.h"
#include "check/config.h"
#include "check/judge.h"
#include "check/links.h"
#include "check/readers/reader.h"
#include "check/select.h"

namespace gpuadvise {

using check::Plan;
using check::PlanProblem;

namespace {

// FNV-1a: stable across runs, machines and versions, which std::hash is not.
std::uint64_t fnv(std::string_view text, std::uint64_t hash) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3U;
  }
  return (hash ^ 0xFFU) * 0x100000001B3U;
}

void set_fingerprints(std::vector<Finding>& findings) {
  std::unordered_map<std::string, int> seen;
  for (auto& finding : findings) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const std::string_view part :
         {std::string_view(finding.rule), std::string_view(finding.resource), std::string_view(finding.instance_type),
          std::string_view(finding.fingerprint)}) {
      hash = fnv(part, hash);
    }
    hash = fnv(std::filesystem::path(finding.place.file).filename().string(), hash);
    const std::string text = fmt::format("{:016x}", hash);
    const int again = seen[text]++;
    finding.fingerprint = again == 0 ? text : fmt::format("{}-{}", text, again);
  }
}

Finding problem_finding(const PlanProblem& problem, const base::Texts& texts, const Knowledge& knowledge) {
  Finding finding;
  finding.rule = problem.rule;
  finding.severity = problem.kind == PlanProblem::Kind::incomplete ? Severity::warning : Severity::error;
  finding.place = problem.place;
  std::string id = problem.message;
  if (const auto dot = id.find('.'); dot != std::string::npos) id[dot] = '/';
  std::replace(id.begin(), id.end(), '_', '-');
  std::vector<std::pair<std::string, std::string>> safe;
  for (const auto& [key, value] : problem.values) {
    const bool said = key == "why" || key == "expected";
    safe.emplace_back(key, base::printable(said ? base::translate(value, knowledge.messages, texts.lang()) : value));
  }
  std::vector<std::pair<std::string_view, std::string_view>> args(safe.begin(), safe.end());
  finding.message = base::fill(texts.raw(id), args);
  const std::string remedy = id + "-remedy";
  if (texts.has(remedy)) finding.remedy = base::fill(texts.raw(remedy), args);
  return finding;
}

void suppress(CheckReport& report, const check::Config& config, const CheckOptions& options, const base::Texts& texts) {
  std::vector<Finding> kept;
  std::unordered_set<const check::Suppression*> expired;
  for (auto& finding : report.findings) {
    const check::Suppression* by = nullptr;
    for (const auto& one : config.suppress) {
      if (!check::glob_match(one.rule, finding.rule)) continue;
      if (!one.match.empty() && !check::glob_match(one.match, finding.resource)) continue;
      if (!one.until.empty() && !options.today.empty() && one.until < options.today) {
        expired.insert(&one);
        continue;
      }
      by = &one;
      break;
    }
    if (by == nullptr) {
      kept.push_back(std::move(finding));
    } else {
      finding.suppressed = by->reason;
      report.suppressed.push_back(std::move(finding));
    }
  }
  for (const auto& one : config.suppress) {
    if (!expired.contains(&one)) continue;
    Finding finding;
    finding.rule = "config/suppression-expired";
    finding.severity = Severity::warning;
    finding.place = one.place;
    finding.message = texts("check/suppression-expired", {{"rule", base::printable(one.rule)}, {"until", one.until}});
    finding.fingerprint = one.rule + one.match + one.until;
    kept.push_back(std::move(finding));
  }
  report.findings = std::move(kept);
}

void override_severity(CheckReport& report, const check::Config& config) {
  if (config.severity.empty()) return;
  std::erase_if(report.findings, [&](Finding& finding) {
    for (const auto& [pattern, severity] : config.severity) {
      if (!check::glob_match(pattern, finding.rule)) continue;
      if (!severity) return true;
      finding.severity = *severity;
      return false;
    }
    return false;
  });
}

}  // namespace

std::vector<std::string_view> check_kinds() {
  std::vector<std::string_view> out;
  for (const auto& reader : check::readers()) out.push_back(reader.kind);
  return out;
}

std::vector<std::string> check_policies(const std::string& config_name, const std::string& config_bytes) {
  check::Config config;
  read_config(config_bytes, config_name, config);
  std::vector<std::string> out;
  for (const auto& policy : config.policies) {
    const std::filesystem::path path(policy);
    out.push_back(path.is_absolute() ? policy : (std::filesystem::path(config_name).parent_path() / path).string());
  }
  return out;
}

void apply_severities(const std::string& config_name, const std::string& config_bytes, RuleSet& rules) {
  check::Config config;
  read_config(config_bytes, config_name, config);
  for (const ActiveRule& rule : rules.rules()) {
    for (const auto& [pattern, severity] : config.severity) {
      if (!check::glob_match(pattern, rule.id())) continue;
      rules.set_severity(rule.id(), severity, config_name);
      break;
    }
  }
}

CheckReport check_plans(const std::vector<CheckInput>& inputs, const CheckOptions& options, const Knowledge& knowledge,
                        const RuleSet& rules) {
  const base::Texts texts(knowledge.messages, options.lang);
  check::Config config;
  if (!options.config_name.empty()) read_config(options.config_bytes, options.config_name, config);

  CheckReport report;
  Plan plan;
  bool config_read = false;
  const auto read = [&](const CheckInput& given) {
    const std::string& name = given.name;
    const check::Input input = check::open_input(name, given.bytes);
    const check::Reader* reader = check::find_reader(input, options.kind);
    if (reader == nullptr && given.found_in_folder) return;
    if (base::trim(input.text).empty()) throw InputError(Place{name}, texts("check/empty-input"));
    if (reader == nullptr) throw InputError(Place{name}, texts("check/unknown-kind"));
    // A gpuadvise.yaml that is given as a file to judge is the configuration too, unless another one is in force.
    if (reader->kind == "gpuadvise" && options.config_name.empty() && config.name.empty()) {
      read_config(input.text, name, config);
    }
    config_read = config_read || name == options.config_name;
    reader->read(input, knowledge.plans, {options.source_dir, options.changes_only}, plan);
    ++report.files;
  };
  for (const auto& input : inputs) read(input);
  // Plans that the configuration holds are judged with everything else.
  if (!options.config_name.empty() && !config_read) {
    const check::Input input = check::open_input(options.config_name, options.config_bytes);
    check::find_reader(input, "gpuadvise")->read(input, knowledge.plans, {}, plan);
  }

  check::link_resources(plan);
  auto judgement = judge(plan, config, knowledge, rules, options.lang);
  report.findings = std::move(judgement.findings);
  report.workloads = std::move(judgement.workloads);
  report.machines = judgement.machines;
  for (const auto& problem : plan.problems) {
    report.findings.push_back(problem_finding(problem, texts, knowledge));
    report.partial = report.partial || problem.kind != PlanProblem::Kind::incomplete;
  }
  override_severity(report, config);
  suppress(report, config, options, texts);
  std::stable_sort(report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.severity, a.place.file, a.place.line, a.place.column, a.rule, a.resource) <
           std::tie(b.severity, b.place.file, b.place.line, b.place.column, b.rule, b.resource);
  });
  set_fingerprints(report.findings);
  set_fingerprints(report.suppressed);
  return report;
}

void drop_known(CheckReport& report, std::string_view baseline, const std::string& name) {
  const base::Node root = base::parse_json(baseline, name, {.bytes = std::size_t{64} << 20U});
  const base::Node* findings = root.is(base::Node::Kind::map) ? root.find("findings") : nullptr;
  if (findings == nullptr || !findings->is(base::Node::Kind::list)) {
    throw InputError(Place{name, root.line, root.column},
                     "no findings[]: a baseline is the output of check --format json");
  }
  std::unordered_set<std::string> known;
  for (const auto& item : findings->items) {
    if (item.is(base::Node::Kind::map)) known.insert(check::text_of(item.find("fingerprint")));
  }
  std::erase_if(report.findings, [&](const Finding& finding) { return known.contains(finding.fingerprint); });
}

}  // namespace gpuadvise
