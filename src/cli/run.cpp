#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gpuadvise/check.h"
#include "gpuadvise/error.h"

#include "base/node.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/complaint.h"
#include "cli/profile_flags.h"

namespace gpuadvise::cli {

namespace {

Lang lang_of_locale() {
  // POSIX: the first of these that is set and not empty decides.
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
    if (value != nullptr && *value != '\0') return std::string_view(value).starts_with("zh") ? Lang::zh : Lang::en;
  }
  return Lang::en;
}

bool set_in_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value != nullptr && *value != '\0';
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) {
    return std::min<std::size_t>(size.ws_col, 120);
  }
  return 100;
}

// The value of a global flag is needed before the parser is built: its help is in that language.
std::optional<Lang> lang_flag(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--") break;
    std::string_view value;
    if (arg.starts_with("--lang=")) value = arg.substr(7);
    if (arg == "--lang" && i + 1 < argc) value = argv[i + 1];
    if (value == "zh") return Lang::zh;
    if (value == "en") return Lang::en;
  }
  return std::nullopt;
}

std::string version_text() {
  const Catalog& catalog = builtin_knowledge().catalog;
  return fmt::format("gpuadvise {}\ncatalog {} (sha256 {})\n", GPUADVISE_VERSION, catalog.date, catalog.sha256);
}

void print_overview(std::ostream& out, const base::Texts& texts) {
  out << texts("cli/overview") << "\n\n" << texts("cli/commands") << '\n';
  for (const auto& entry : commands()) {
    out << "  " << base::pad_right(entry.name, 12) << texts(fmt::format("command/{}", entry.name)) << '\n';
  }
  out << '\n' << texts("cli/more") << '\n';
}

int run_command(const CommandEntry& entry, int argc, const char* const* argv, Context& context,
                const base::Texts& texts) {
  CLI::App app(texts(fmt::format("command/{}", entry.name)), fmt::format("gpuadvise {}", entry.name));
  app.set_help_flag("-h,--help", texts("flag/help"));
  app.get_formatter()->label("OPTIONS", texts("cli/options"));
  app.get_formatter()->label("Usage", texts("cli/usage"));
  app.get_formatter()->column_width(34);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);

  std::string lang;
  std::string colour = "auto";
  app.add_option("--lang", lang, texts("flag/lang"))->check(CLI::IsMember({"en", "zh"}));
  app.add_option("--color,--colour", colour, texts("flag/color"))->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option("--catalog", context.catalog_overlays, texts("flag/catalog"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--catalog-only", context.catalog_replacements, texts("flag/catalog-only"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--prices", context.price_paths, texts("flag/prices"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--fx", context.exchange_rates, texts("flag/fx"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--rules", context.rule_paths, texts("flag/rules"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);

  const auto command = entry.make();
  std::vector<std::string> arguments(argv + 2, argv + argc);
  command->given(arguments);
  command->setup(app, texts);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them last first
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    context.out << app.help();
    return kFine;
  } catch (const CLI::ParseError& error) {
    context.err << "gpuadvise " << entry.name << ": " << complaint(error, app, texts) << '\n';
    return kBadInput;
  }
  context.colour =
      colour == "always" || (colour == "auto" && isatty(STDOUT_FILENO) == 1 && !set_in_environment("NO_COLOR"));
  return command->run(context);
}

}  // namespace

const Knowledge& Context::knowledge() {
  if (price_paths.empty() && exchange_rates.empty()) return facts();
  if (!priced_) {
    priced_ = PricedKnowledge::load(price_paths, exchange_rates, facts());
    for (const auto& remark : priced_->remarks()) err << "gpuadvise: " << in_language(remark, lang) << '\n';
  }
  return priced_->knowledge();
}

const Knowledge& Context::facts() {
  if (catalog_overlays.empty() && catalog_replacements.empty()) return builtin_knowledge();
  if (!loaded_) {
    if (!catalog_replacements.empty()) {
      // Facts are replaced; texts, presets, models and calibrations stay, for the program cannot speak without them,
      // and so do the sources that those cite.
      Knowledge bare = builtin_knowledge();
      Catalog& c = bare.catalog;
      c.accelerators = {};
      c.export_rules = {};
      c.families = {};
      c.prices = {};
      c.names = {};
      loaded_ = LoadedKnowledge::load(catalog_replacements, &bare);
      if (loaded_->knowledge().catalog.families.empty()) {
        throw InputError(Place{catalog_replacements.front()}, "holds no families, so there is nothing to search");
      }
    } else {
      loaded_ = LoadedKnowledge::load(catalog_overlays, &builtin_knowledge());
    }
  }
  return loaded_->knowledge();
}

const RuleSet& Context::rules() {
  if (rules_) return *rules_;
  constexpr const char* kConfig = "gpuadvise.yaml";
  std::error_code error;
  if (config.empty() && std::filesystem::is_regular_file(kConfig, error)) config = kConfig;
  const std::string bytes = config.empty() ? std::string() : base::read_bytes(config);
  std::vector<std::string> paths;
  if (!config.empty()) paths = check_policies(config, bytes);
  // --rules comes last, so that it has the last word.
  paths.insert(paths.end(), rule_paths.begin(), rule_paths.end());
  const auto built_in = builtin_knowledge().rules;
  rules_.emplace(paths.empty() ? RuleSet(built_in) : RuleSet::load(paths, built_in));
  if (!config.empty()) apply_severities(config, bytes, *rules_);
  return *rules_;
}

const base::Texts& Context::texts() {
  if (!texts_) texts_.emplace(builtin_knowledge().messages, lang);
  return *texts_;
}

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  Context context(out, err);
  context.lang = lang_flag(argc, argv).value_or(lang_of_locale());
  context.width = terminal_width();
  const base::Texts& texts = context.texts();
  try {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "--version" || first == "-V") {
      out << version_text();
      return kFine;
    }
    if (first.empty() || first == "--help" || first == "-h" || first == "help" || first.starts_with("--lang")) {
      print_overview(first.empty() ? err : out, texts);
      return first.empty() ? kBadInput : kFine;
    }
    std::vector<std::string_view> names;
    for (const auto& entry : commands()) {
      names.push_back(entry.name);
      if (entry.name == first) {
        const int code = run_command(entry, argc, argv, context, texts);
        out.flush();
        if (!out) {
          err << "gpuadvise: " << texts("cli/write-failed") << '\n';
          return kInternal;
        }
        return code;
      }
    }
    std::string text = texts("cli/unknown-command", {{"given", base::printable(first)}});
    const auto near = base::nearest(first, names, 1);
    if (!near.empty()) text += " " + texts("cli/did-you-mean", {{"name", near.front()}});
    err << "gpuadvise: " << text << '\n';
    return kBadInput;
  } catch (const InputError& error) {
    err << "gpuadvise: " << in_language(error, context.lang) << '\n';
    return kBadInput;
  } catch (const std::exception& error) {
    err << "gpuadvise: " << texts("cli/internal-error", {{"what", error.what()}}) << '\n';
    return kInternal;
  }
}

}  // namespace gpuadvise::cli
