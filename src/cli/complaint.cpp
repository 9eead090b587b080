#include <CLI/CLI.hpp>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "gpuadvise/knowledge.h"

#include "base/text.h"
#include "base/translate.h"
#include "cli/complaint.h"
#include "cli/profile_flags.h"

namespace gpuadvise::cli {

namespace {

// CLI11 puts what is wrong into the text of its errors only. Its patterns, our message for each and what that calls the
// values, in their order.
struct Phrase {
  std::string_view theirs;
  std::string_view ours;
  std::array<std::string_view, 4> names;
};

constexpr std::array kPhrases = std::to_array<Phrase>({
    {"{}: {} not in {{{}}}", "cli/not-one-of", {"flag", "given", "known"}},
    // Doubles from zero up: CLI11 prints the largest of them, 309 digits long.
    {"{}: Value {} not in range 0.000000 to 17976931{}", "cli/not-from-zero", {"flag", "given", "most"}},
    {"{}: Value {} not in range {} to {}", "cli/not-in-range", {"flag", "given", "least", "most"}},
    {"{}: Value {} could not be converted", "cli/not-a-number", {"flag", "given"}},
    {"{}: Failed parsing number ({})", "cli/not-a-number", {"flag", "given"}},
    {"Could not convert: {} = {}", "cli/not-a-number", {"flag", "given"}},
    {"{}: At least {} required but received {}", "cli/too-few", {"name", "least", "given"}},
    {"{}: At Most {} required but received {}", "cli/too-many", {"name", "most", "given"}},
    {"Expected exactly {} arguments to {}, got {}", "cli/too-many", {"most", "name", "given"}},
    {"Expected at least {} arguments to {}, got {}", "cli/too-few", {"least", "name", "given"}},
    {"{}: {} required {} missing", "cli/value-missing", {"flag", "count", "type"}},
    {"{} was given a disallowed flag override", "cli/no-value", {"flag"}},
    {"{}: Should be true/false or a number", "cli/no-value", {"flag"}},
    {"{}: too many inputs for a flag", "cli/no-value", {"flag"}},
    {"{} is required", "cli/missing", {"name"}},
});

std::string spaced(std::string_view list) {
  std::string out;
  for (const auto word : base::split(list, ',')) out += (out.empty() ? "" : ", ") + std::string(base::trim(word));
  return out;
}

std::string unknown_argument(const CLI::App& app, const base::Texts& texts) {
  std::vector<std::string> names = ProfileFlags::names();
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  const auto rest = app.remaining(true);
  const std::string given = rest.empty() ? "" : rest.front();
  const std::string flag = given.substr(0, given.find('='));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = base::nearest(flag, views, 1);
  std::string text = texts(given.starts_with("-") ? "cli/unknown-flag" : "cli/unexpected-argument",
                           {{"given", base::printable(flag)}});
  if (!near.empty() && given.starts_with("-")) text += " " + texts("cli/did-you-mean", {{"name", near.front()}});
  return text;
}

std::string subcommands(const CLI::App& app) {
  std::string out;
  for (const auto* sub : app.get_subcommands({})) out += (out.empty() ? "" : ", ") + sub->get_name();
  return out;
}

}  // namespace

std::string in_language(std::string_view english, Lang lang) {
  return base::translate(english, builtin_knowledge().messages, lang);
}

std::string in_language(const InputError& error, Lang lang) {
  return InputError(error.place(), in_language(error.message(), lang)).what();
}

std::string complaint(const CLI::ParseError& error, const CLI::App& app, const base::Texts& texts) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unknown_argument(app, texts);
  const std::string said = base::printable(error.what());
  if (said == "A subcommand is required") return texts("cli/subcommand-missing", {{"known", subcommands(app)}});
  for (const auto& phrase : kPhrases) {
    const auto values = base::match(base::Pattern(phrase.theirs), said);
    if (!values) continue;
    std::vector<std::pair<std::string_view, std::string>> owned;
    for (std::size_t i = 0; i < values->size(); ++i) {
      const auto name = phrase.names[i];
      owned.emplace_back(name, name == "known" ? spaced((*values)[i]) : std::string((*values)[i]));
    }
    const std::vector<std::pair<std::string_view, std::string_view>> arguments(owned.begin(), owned.end());
    return base::fill(texts.raw(phrase.ours), arguments);
  }
  return texts("cli/unreadable-usage", {{"why", said}});
}

}  // namespace gpuadvise::cli
