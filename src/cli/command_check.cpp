#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fstream>

#include "gpuadvise/check.h"

#include "base/node.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/findings.h"

namespace gpuadvise::cli {

namespace {

namespace fs = std::filesystem;

// Plans of large estates run to hundreds of megabytes.
constexpr base::Limits kLimits{.bytes = std::size_t{1} << 30U};

class CheckCommand : public Command {
 public:
  void setup(CLI::App& app, const base::Texts& texts) override {
    std::vector<std::string> formats;
    for (const auto& format : report::findings_formats()) formats.emplace_back(format.name);
    std::vector<std::string> kinds;
    for (const auto kind : check_kinds()) kinds.emplace_back(kind);
    const auto many = CLI::MultiOptionPolicy::TakeAll;
    app.add_option("FILE", files_, texts("flag/check-files"));
    app.add_option("--kind", kind_, texts("flag/check-kind"))->check(CLI::IsMember(kinds));
    app.add_option("--config", config_, texts("flag/check-config"));
    app.add_option("--format", format_, texts("flag/format"))->check(CLI::IsMember(formats))->default_str("table");
    app.add_option("--output", outputs_, texts("flag/check-output"))->expected(1)->multi_option_policy(many);
    app.add_option("--fail-on", fail_on_, texts("flag/check-fail-on"))
        ->check(CLI::IsMember({"error", "warning", "note", "never"}))
        ->default_str("error");
    app.add_option("--baseline", baseline_, texts("flag/check-baseline"));
    app.add_flag("--diff", diff_, texts("flag/check-diff"));
    app.add_option("--source-dir", source_dir_, texts("flag/check-source-dir"));
    app.add_flag("--allow-partial", allow_partial_, texts("flag/check-allow-partial"));
  }

  int run(Context& context) override {
    const base::Texts& texts = context.texts();
    const auto outputs = parse_outputs(texts);

    CheckOptions options;
    options.kind = kind_;
    options.source_dir = source_dir_;
    options.changes_only = diff_;
    options.lang = context.lang;
    options.today = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now()));
    constexpr const char* kConfig = "gpuadvise.yaml";
    std::error_code error;
    if (!config_.empty()) {
      options.config_name = config_;
    } else if (fs::is_regular_file(kConfig, error)) {
      options.config_name = kConfig;
    }
    if (!options.config_name.empty()) options.config_bytes = base::read_bytes(options.config_name);

    const auto inputs = read_inputs();
    if (inputs.empty() && options.config_name.empty()) {
      context.err << "gpuadvise check: " << texts("check/nothing-to-read") << '\n';
      return kBadInput;
    }
    const Knowledge& knowledge = context.knowledge();
    // The configuration's policies come first, so that --rules has the last word.
    std::vector<std::string> policies;
    if (!options.config_name.empty()) {
      const auto named = check_policies(options.config_name, options.config_bytes);
      policies.insert(policies.end(), named.begin(), named.end());
    }
    policies.insert(policies.end(), context.rule_paths.begin(), context.rule_paths.end());
    const RuleSet rules = policies.empty() ? RuleSet(knowledge.rules) : RuleSet::load(policies, knowledge.rules);
    CheckReport report = check_plans(inputs, options, knowledge, rules);
    if (!baseline_.empty()) drop_known(report, base::read_bytes(baseline_, kLimits), baseline_);

    const int code = exit_code(report);
    const report::FindingsView view{report, rules, texts, context.colour, context.width, fail_on_, code};
    for (const auto& [format, file] : outputs) {
      report::FindingsView plain = view;
      plain.colour = false;
      write(file, format->write(plain));
    }
    context.out << report::find_findings_format(format_)->write(view);
    return code;
  }

 private:
  using Output = std::pair<const report::FindingsFormat*, std::string>;

  std::vector<Output> parse_outputs(const base::Texts& texts) const {
    std::vector<Output> out;
    for (const auto& given : outputs_) {
      const auto equals = given.find('=');
      const auto* format = report::find_findings_format(given.substr(0, equals));
      if (equals == std::string::npos || format == nullptr || equals + 1 == given.size()) {
        std::string names;
        for (const auto& known : report::findings_formats())
          names += (names.empty() ? "" : ", ") + std::string(known.name);
        throw InputError(Place{},
                         texts("check/format-output", {{"given", base::printable(given)}, {"formats", names}}));
      }
      out.emplace_back(format, given.substr(equals + 1));
    }
    return out;
  }

  std::vector<CheckInput> read_inputs() const {
    std::vector<CheckInput> out;
    for (const auto& file : files_) {
      std::error_code error;
      if (!fs::is_directory(file, error)) {
        out.push_back({file, base::read_bytes(file, kLimits), false});
        continue;
      }
      std::vector<std::string> found;
      for (fs::recursive_directory_iterator it(file, fs::directory_options::skip_permission_denied, error), last;
           !error && it != last; it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (it->is_directory(error)) {
          if (name.starts_with(".") || name == "node_modules") it.disable_recursion_pending();
          continue;
        }
        const auto extension = it->path().extension();
        if (extension == ".json" || extension == ".yaml" || extension == ".yml") found.push_back(it->path().string());
      }
      std::sort(found.begin(), found.end());
      for (const auto& path : found) out.push_back({path, base::read_bytes(path, kLimits), true});
    }
    return out;
  }

  int exit_code(const CheckReport& report) const {
    if (report.partial && !allow_partial_) return kBadInput;
    if (fail_on_ == "never") return kFine;
    const Severity least = fail_on_ == "error"     ? Severity::error
                           : fail_on_ == "warning" ? Severity::warning
                                                   : Severity::note;
    const bool any = std::any_of(report.findings.begin(), report.findings.end(),
                                 [&](const Finding& finding) { return finding.severity <= least; });
    return any ? kNo : kFine;
  }

  static void write(const std::string& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out.flush()) throw InputError(Place{file}, "cannot be written");
  }

  std::vector<std::string> files_;
  std::string kind_;
  std::string config_;
  std::string format_ = "table";
  std::vector<std::string> outputs_;
  std::string fail_on_ = "error";
  std::string baseline_;
  bool diff_ = false;
  std::string source_dir_;
  bool allow_partial_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check() { return std::make_unique<CheckCommand>(); }

}  // namespace gpuadvise::cli
