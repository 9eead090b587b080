#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "gpuadvise/error.h"
#include "gpuadvise/rules.h"

#include "base/node.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/complaint.h"
#include "cli/format.h"
#include "report/rules.h"
#include "rules/cel/json.h"

namespace gpuadvise::cli {

namespace {

class RulesCommand : public Command {
 public:
  void setup(CLI::App& app, const base::Texts& texts) override {
    app.require_subcommand(1);
    list_ = app.add_subcommand("list", texts("rules/help-list"));
    list_->add_option("--area", area_, texts("rules/flag-area"));
    show_ = app.add_subcommand("show", texts("rules/help-show"));
    show_->add_option("id", id_, texts("rules/flag-id"))->required();
    test_ = app.add_subcommand("test", texts("rules/help-test"));
    test_->add_option("file", files_, texts("rules/flag-file"));
    fields_ = app.add_subcommand("fields", texts("rules/help-fields"));
    eval_ = app.add_subcommand("eval", texts("rules/help-eval"));
    eval_->add_option("--expr", expression_, texts("rules/flag-expr"));
    eval_->add_option("--bindings", bindings_, texts("rules/flag-bindings"));
    eval_->add_option("--batch", batch_, texts("rules/flag-batch"));
    eval_->add_flag("--typed", typed_, texts("rules/flag-typed"));
    for (CLI::App* sub : {list_, show_, test_, fields_, eval_}) {
      sub->fallthrough();
      sub->get_formatter()->label("OPTIONS", texts("cli/options"));
    }
    for (CLI::App* sub : {list_, show_, test_}) {
      add_format(*sub, format_, texts);
    }
    for (CLI::App* sub : {list_, show_}) sub->add_option("--config", config_, texts("flag/rules-config"));
    fields_->add_option("--format", format_, texts("flag/format"))
        ->check(CLI::IsMember({"table", "json", "markdown"}))
        ->default_str("table");
  }

  int run(Context& context) override {
    context.config = config_;
    if (eval_->parsed()) return evaluate(context);
    if (fields_->parsed()) {
      if (format_ == "json") {
        report::print_rule_fields_json(context.out);
      } else if (format_ == "markdown") {
        report::print_rule_fields_markdown(context.out);
      } else {
        report::print_rule_fields(context.out, context.texts());
      }
      return kFine;
    }
    if (test_->parsed()) return test(context);
    if (show_->parsed()) return show(context, context.rules());
    return list(context, context.rules());
  }

 private:
  int list(Context& context, const RuleSet& rules) const {
    std::vector<const ActiveRule*> shown;
    for (const ActiveRule& rule : rules.rules()) {
      if (area_.empty() || rule.id().substr(0, rule.id().find('/')) == area_) shown.push_back(&rule);
    }
    if (shown.empty()) {
      std::vector<std::string_view> areas;
      for (const ActiveRule& rule : rules.rules()) {
        const auto area = rule.id().substr(0, rule.id().find('/'));
        if (areas.empty() || areas.back() != area) areas.push_back(area);
      }
      throw InputError(Place{"--area"},
                       fmt::format("{}{}", context.texts()("rules/no-such-area", {{"area", base::printable(area_)}}),
                                   base::did_you_mean(area_, areas)));
    }
    if (format_ == "json") {
      report::print_rules_json(context.out, shown);
    } else {
      report::print_rules(context.out, shown, context.texts());
    }
    return kFine;
  }

  int show(Context& context, const RuleSet& rules) const {
    const ActiveRule* rule = rules.find(id_);
    if (rule == nullptr) {
      std::vector<std::string_view> ids;
      for (const ActiveRule& r : rules.rules()) ids.push_back(r.id());
      throw InputError(Place{},
                       fmt::format("{}{}", context.texts()("rules/no-such-rule", {{"id", base::printable(id_)}}),
                                   base::did_you_mean(id_, ids)));
    }
    if (format_ == "json") {
      report::print_rules_json(context.out, {rule});
    } else {
      report::print_rule(context.out, *rule, context.knowledge().catalog, context.texts());
    }
    return kFine;
  }

  // With files: the rules that they state or change. Without: all.
  int test(Context& context) const {
    std::vector<std::string> files = context.rule_paths;
    files.insert(files.end(), files_.begin(), files_.end());
    const RuleSet rules = RuleSet::load(files, context.knowledge().rules);
    int tested = 0;
    int failed = 0;
    for (const ActiveRule& rule : rules.rules()) {
      if (!files.empty() && rule.origin.empty()) continue;
      ++tested;
      const auto problems = test_rule(rule);
      failed += problems.empty() ? 0 : 1;
      for (const auto& problem : problems) context.out << in_language(problem, context.lang) << '\n';
    }
    context.out << context.texts()(failed == 0 ? "rules/tests-pass" : "rules/tests-fail",
                                   {{"rules", std::to_string(tested)}, {"failed", std::to_string(failed)}})
                << '\n';
    return failed == 0 ? kFine : kNo;
  }

  int evaluate(Context& context) const {
    if (expression_.has_value() == !batch_.empty()) {
      throw InputError(Place{}, context.texts()("rules/expr-or-batch"));
    }
    cel::Evaluator evaluator;
    if (!batch_.empty()) {
      const std::string bytes = base::read_bytes(batch_);
      std::string_view rest = bytes;
      while (!rest.empty()) {
        const auto end = rest.find('\n');
        std::string_view line = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (base::trim(line).empty()) continue;
        context.out << cel::answer_batch_line(line, evaluator) << '\n';
      }
      return kFine;
    }
    const auto bindings = cel::Bindings::parse(bindings_.empty() ? "{}" : bindings_, "--bindings");
    cel::Fault fault;
    const auto program = cel::compile(*expression_, {cel::Mode::dynamic, bindings.variables(), {}}, fault);
    if (!program) fail(fault.offset, fault.message);
    const cel::Value value = evaluator.evaluate(program->view(), bindings.values());
    if (value.is_failure()) fail(static_cast<std::size_t>(value.integer), std::string(value.text));
    context.out << (typed_ ? cel::to_typed_json(value) : cel::to_json(value)) << '\n';
    return kFine;
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
    const auto at = cel::position(*expression_, offset);
    throw InputError(Place{"--expr", at.line, at.column},
                     fmt::format("{}\n{}", message, cel::excerpt(*expression_, offset)));
  }

  CLI::App* list_ = nullptr;
  CLI::App* show_ = nullptr;
  CLI::App* test_ = nullptr;
  CLI::App* fields_ = nullptr;
  CLI::App* eval_ = nullptr;
  std::string format_ = "table";
  std::string area_;
  std::string config_;
  std::string id_;
  std::vector<std::string> files_;
  std::optional<std::string> expression_;
  std::string bindings_;
  std::string batch_;
  bool typed_ = false;
};

}  // namespace

std::unique_ptr<Command> make_rules() { return std::make_unique<RulesCommand>(); }

}  // namespace gpuadvise::cli
