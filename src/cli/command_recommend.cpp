#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fstream>

#include "gpuadvise/advise.h"
#include "gpuadvise/emit.h"
#include "gpuadvise/error.h"
#include "gpuadvise/sensitivity.h"

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/profile_flags.h"
#include "report/advice.h"

namespace gpuadvise::cli {

namespace {

template <class E>
std::vector<std::string> words_of(E) {
  const auto words = names(E{});
  return {words.begin(), words.end()};
}

template <class E>
E word(const std::string& text) {
  const auto words = names(E{});
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) return static_cast<E>(i);
  }
  return E{};
}

class RecommendCommand : public Command {
 public:
  void setup(CLI::App& app, const base::Texts& texts) override {
    flags_.add(app, texts, arguments_);
    app.add_option("--optimize", objective_, texts("flag/optimize"))->check(CLI::IsMember(words_of(Objective{})));
    app.add_option("--weight", weights_, texts("flag/weight"))
        ->delimiter(',')
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--include", include_, texts("flag/include"))
        ->delimiter(',')
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->check(CLI::IsMember(words_of(Status{})));
    app.add_option("--top", top_, texts("flag/top"))->check(CLI::Range(1, 1000));
    app.add_flag("--explain", explain_, texts("flag/explain"));
    app.add_flag("--sensitivity", sensitivity_, texts("flag/sensitivity"));
    app.add_option("--why-not", why_not_, texts("flag/why-not"));
    app.add_option("--config", config_, texts("flag/rules-config"));
    const auto formats = emit_formats();
    auto* emit_flag = app.add_option("--emit", emit_, texts("flag/emit"))
                          ->check(CLI::IsMember(std::vector<std::string>(formats.begin(), formats.end())));
    app.add_option("--emit-to", emit_to_, texts("flag/emit-to"))->needs(emit_flag);
    add_format(app, format_, texts);
  }

  int run(Context& context) override {
    try {
      return reply(context);
    } catch (const InputError& error) {
      throw flags_.placed(error);
    }
  }

 private:
  // "cost=3"; the name is checked where the criteria are known.
  static CriterionWeight weight(const std::string& text) {
    const auto equals = text.find('=');
    const auto value = equals == std::string::npos ? std::nullopt : base::parse_count(text.substr(equals + 1));
    if (!value || *value < 0 || *value > 1e6) {
      throw InputError(Place{"--weight"},
                       fmt::format("\"{}\" is not CRITERION=NUMBER, such as cost=3", base::printable(text)));
    }
    return {std::string_view(text).substr(0, equals), *value};
  }

  int reply(Context& context) {
    context.config = config_;
    RecommendOptions options;
    options.objective = word<Objective>(objective_);
    options.top = static_cast<std::size_t>(top_);
    for (const auto& text : weights_) options.weights.push_back(weight(text));
    for (const auto& status : include_) options.include.push_back(word<Status>(status));
    const Knowledge& knowledge = context.knowledge();
    options.lang = context.lang;
    options.explain = explain_;
    options.brief = format_ == "table" && !explain_ && why_not_.empty();
    const Profile profile = flags_.read(context);
    ProfileFlags::warn_unmeasured(profile, context);
    const Advice advice = recommend(profile, knowledge, context.rules(), options);
    const bool screen = emit_.empty() && format_ == "table";
    ProfileFlags::warn_unused(advice.workload, screen ? context.out : context.err, context.texts());
    if (!emit_.empty()) return write_file(context, advice);
    const report::TableOptions table{context.width, options.top, explain_, context.colour};
    if (!why_not_.empty()) {
      const auto answers = why_not(why_not_, profile, advice, knowledge, context.rules(), options);
      if (format_ == "json") {
        report::print_why_not_json(context.out, answers, advice, knowledge, context.texts());
      } else {
        report::print_why_not(context.out, answers, advice, knowledge, context.texts(), table);
      }
      return kFine;
    }
    std::vector<Turn> turns;
    if (sensitivity_) turns = sensitivity(profile, advice, knowledge, context.rules(), options);
    if (format_ == "json") {
      report::print_advice_json(context.out, advice, knowledge, context.texts(), options.top, options.objective,
                                sensitivity_ ? &turns : nullptr);
    } else {
      report::print_advice(context.out, advice, knowledge, context.texts(), table);
      if (sensitivity_ && !turns.empty()) report::print_sensitivity(context.out, turns, context.texts(), table);
    }
    return advice.recommendations.empty() ? kNo : kFine;
  }

  int write_file(Context& context, const Advice& advice) {
    if (advice.recommendations.empty()) {
      context.err << "gpuadvise: " << context.texts()("emit/nothing") << '\n';
      return kNo;
    }
    const std::string text = emit(emit_, advice, context.knowledge(), context.lang);
    if (emit_to_.empty()) {
      context.out << text;
      return kFine;
    }
    std::ofstream file(emit_to_, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw InputError(Place{emit_to_}, context.texts()("emit/cannot-write"));
    return kFine;
  }

  ProfileFlags flags_;
  std::string emit_;
  std::string emit_to_;
  std::string objective_ = "balanced";
  std::vector<std::string> include_;
  std::vector<std::string> weights_;
  std::string why_not_;
  bool sensitivity_ = false;
  std::string config_;
  int top_ = 5;
  bool explain_ = false;
  std::string format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_recommend() { return std::make_unique<RecommendCommand>(); }

}  // namespace gpuadvise::cli
