// A command of gpuadvise: one file each, one line each in commands.cpp. setup() declares arguments and touches no file;
// run() does the work, writes data to out and talk to err, and returns the exit code.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/knowledge.h"
#include "gpuadvise/prices.h"
#include "gpuadvise/text.h"

#include "base/message.h"

namespace CLI {
class App;
}

namespace gpuadvise::cli {

// Exit codes, the same for every command.
enum Exit : int {
  kFine = 0,
  kNo = 1,        // nothing fits, or a finding at or above --fail-on
  kBadInput = 2,  // wrong usage or bad input
  kInternal = 3
};

// What every command shares: streams, language, colour, and the knowledge, loaded when first asked for.
class Context {
 public:
  Context(std::ostream& out_stream, std::ostream& err_stream) : out(out_stream), err(err_stream) {}

  const Knowledge& knowledge();
  const base::Texts& texts();
  const RuleSet& rules();  // the built-in ones, with the configuration's policies and severities and --rules over them

  std::ostream& out;
  std::ostream& err;
  Lang lang = Lang::en;
  bool colour = false;
  std::size_t width = 100;                        // columns of the terminal, or of a page
  std::vector<std::string> catalog_overlays;      // --catalog
  std::vector<std::string> catalog_replacements;  // --catalog-only
  std::vector<std::string> price_paths;           // --prices
  std::vector<std::string> exchange_rates;        // --fx
  std::vector<std::string> rule_paths;            // --rules
  std::string config;                             // --config; empty: ./gpuadvise.yaml where there is one

 private:
  const Knowledge& facts();  // without prices and rates of the user's own

  std::optional<LoadedKnowledge> loaded_;
  std::optional<PricedKnowledge> priced_;
  std::optional<base::Texts> texts_;
  std::optional<RuleSet> rules_;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void setup(CLI::App& app, const base::Texts& texts) = 0;
  // What was typed after the command's name, told before setup(): a command with a hundred flags declares those that
  // occur, and all of them when help is asked for.
  void given(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }
  virtual int run(Context& context) = 0;

 protected:
  std::vector<std::string> arguments_;
};

struct CommandEntry {
  std::string_view name;  // its one-line summary is the message "command/NAME"
  std::unique_ptr<Command> (*make)();
};

std::span<const CommandEntry> commands();

std::unique_ptr<Command> make_recommend();
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_estimate();
std::unique_ptr<Command> make_catalog();
std::unique_ptr<Command> make_check();
std::unique_ptr<Command> make_tasks();
std::unique_ptr<Command> make_models();
std::unique_ptr<Command> make_rules();

// Runs the program: parses, dispatches, turns errors into exit codes.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace gpuadvise::cli
