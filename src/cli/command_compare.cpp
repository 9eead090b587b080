#include <CLI/CLI.hpp>

#include "gpuadvise/compare.h"
#include "gpuadvise/error.h"

#include "cli/command.h"
#include "cli/format.h"
#include "cli/profile_flags.h"
#include "report/advice.h"

namespace gpuadvise::cli {

namespace {

class CompareCommand : public Command {
 public:
  void setup(CLI::App& app, const base::Texts& texts) override {
    flags_.add(app, texts, arguments_);
    app.add_option("names", names_, texts("flag/compare-names"))->required()->expected(2, 8);
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
  int reply(Context& context) {
    const Knowledge& knowledge = context.knowledge();
    RecommendOptions options;
    options.lang = context.lang;
    const Profile profile = flags_.read(context);
    ProfileFlags::warn_unmeasured(profile, context);
    const Comparison comparison = compare(names_, profile, knowledge, context.rules(), options);
    ProfileFlags::warn_unused(comparison.workload, format_ == "json" ? context.err : context.out, context.texts());
    if (format_ == "json") {
      report::print_comparison_json(context.out, comparison, knowledge, context.texts());
    } else {
      report::print_comparison(context.out, comparison, knowledge, context.texts(),
                               {context.width, names_.size(), false, context.colour});
    }
    bool any = false;
    for (const auto& column : comparison.columns) any = any || column.runs;
    return any ? kFine : kNo;
  }

  ProfileFlags flags_;
  std::vector<std::string> names_;
  std::string format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_compare() { return std::make_unique<CompareCommand>(); }

}  // namespace gpuadvise::cli
