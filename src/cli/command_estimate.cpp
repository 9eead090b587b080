#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <streambuf>

#include "gpuadvise/advise.h"
#include "gpuadvise/error.h"
#include "gpuadvise/solve.h"

#include "base/files.h"
#include "base/node.h"
#include "cli/command.h"
#include "cli/complaint.h"
#include "cli/format.h"
#include "cli/profile_flags.h"
#include "report/advice.h"
#include "report/json_fields.h"
#include "workload/hf_profile.h"

namespace gpuadvise::cli {

namespace {

class EstimateCommand : public Command {
 public:
  void setup(CLI::App& app, const base::Texts& texts) override {
    flags_.add(app, texts, arguments_);
    app.add_option("--batch", batch_, texts("flag/batch"));
    const auto names = solve_names();
    app.add_option("--solve", solve_, texts("flag/solve"))
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())));
    app.add_flag("--explain", explain_, texts("flag/explain"));
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
    if (!batch_.empty() && !solve_.empty()) throw InputError(Place{}, "--solve: not together with --batch");
    if (!batch_.empty()) return batch(context);
    Profile profile = flags_.read(context);
    ProfileFlags::warn_unmeasured(profile, context);
    // Here --accelerator and --instance say what to estimate, not what to search.
    const ConstraintsSpec& c = profile.constraints;
    if (!profile.hardware.accelerator && c.accelerators && c.accelerators->size() == 1) {
      profile.hardware.accelerator = c.accelerators->front();
    }
    if (!profile.hardware.instance_type && c.instance_types && c.instance_types->size() == 1) {
      profile.hardware.instance_type = c.instance_types->front();
    }
    if (!solve_.empty()) return solved(context, profile);
    const ProfileEstimate answer = judged(estimate(profile, context.knowledge()), context);
    ProfileFlags::warn_unused(answer.workload, format_ == "json" ? context.err : context.out, context.texts());
    if (format_ == "json") {
      report::print_estimate_json(context.out, answer, context.texts(), true);
    } else {
      report::print_estimate(context.out, answer, context.knowledge(), context.texts(),
                             {context.width, 1, explain_, context.colour});
    }
    return answer.estimate.memory.cannot_fit() || !answer.failures.empty() ? kNo : kFine;
  }

  static ProfileEstimate judged(ProfileEstimate estimate, Context& context) {
    estimate.failures = what_rejects(estimate, context.knowledge(), context.rules(), context.lang);
    return estimate;
  }

  int solved(Context& context, const Profile& profile) {
    const auto names = solve_names();
    const auto at = std::find(names.begin(), names.end(), solve_) - names.begin();
    ProfileSolution answer = solve(static_cast<SolveFor>(at), profile, context.knowledge());
    answer.at = judged(std::move(answer.at), context);
    if (format_ == "json") {
      report::print_solution_json(context.out, answer, context.texts());
    } else {
      report::print_solution(context.out, answer, context.knowledge(), context.texts(),
                             {context.width, 1, explain_, context.colour});
    }
    const bool none = answer.solution.memory.known && !answer.solution.value;
    return none || answer.solution.memory.cannot_fit() || !answer.at.failures.empty() ? kNo : kFine;
  }

  static constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

  // The next line, of which at most kLongestLine bytes are kept; false at the end of the input.
  static bool next_line(std::istream& in, std::string& line, bool& whole) {
    line.clear();
    whole = true;
    std::streambuf& bytes = *in.rdbuf();
    int c = bytes.sbumpc();
    if (c == std::char_traits<char>::eof()) return false;
    for (; c != std::char_traits<char>::eof() && c != '\n'; c = bytes.sbumpc()) {
      if (line.size() < kLongestLine) {
        line.push_back(static_cast<char>(c));
      } else {
        whole = false;
      }
    }
    return true;
  }

  // One line in, one line out; a bad line answers with an error of its own and does not stop the rest.
  int batch(Context& context) {
    std::ifstream file;
    if (batch_ != "-") {
      base::check_file(batch_);
      file.open(batch_, std::ios::binary);
      if (!file) throw InputError(Place{batch_}, "cannot be opened");
    }
    std::istream& in = batch_ == "-" ? std::cin : file;
    const Knowledge& knowledge = context.knowledge();
    std::string line;
    bool whole = true;
    for (int number = 1; next_line(in, line, whole); ++number) {
      if (whole && line.find_first_not_of(" \t\r") == std::string::npos) continue;
      std::string id;
      base::Node node;
      try {
        if (!whole) throw InputError(Place{}, "longer than 1 MiB");
        base::Arena arena;
        std::vector<ConfigWarning> warnings;
        node = base::parse_json(line, "");
        if (const base::Node* given = node.find("id"); given != nullptr && given->is(base::Node::Kind::string)) {
          id = given->text;
        }
        const ProfileEstimate answer =
            judged(estimate(read_profile(node, arena, "", knowledge.catalog, warnings), knowledge), context);
        report::print_estimate_json(context.out, answer, context.texts(), false);
      } catch (const InputError& error) {
        // The line was parsed alone: its columns are those of the file.
        Place place{batch_, number, error.place().column};
        if (place.column == 0) place.column = place_of(node, key_of_message(error.message()), {}).column;
        report::Json out;
        out["schema_version"] = 1;
        out["id"] = id.empty() ? report::Json(nullptr) : report::Json(id);
        out["line"] = number;
        out["error"] = in_language(InputError(place, error.message()), context.lang);
        context.out << out.dump(-1, ' ', false, report::Json::error_handler_t::replace) << '\n';
      }
    }
    return kFine;
  }

  ProfileFlags flags_;
  std::string batch_;
  std::string solve_;
  bool explain_ = false;
  std::string format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_estimate() { return std::make_unique<EstimateCommand>(); }

}  // namespace gpuadvise::cli
