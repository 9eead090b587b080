// Files that are taken for plans: recognised, and answered with the command that makes the right file.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "check/readers/readers.h"

namespace gpuadvise::check {

namespace {

void answer(const Input& input, std::string_view message, int line, Plan& plan) {
  plan.problems.push_back(
      {PlanProblem::Kind::not_a_plan, "input/not-a-plan", std::string(message), {}, Place{input.name, line, 1}});
}

// Line of the first template action that only Helm evaluates; 0: none. Argo and others also use double braces, quoted
// and without a leading dot or keyword.
int helm_line(std::string_view text) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"if ",     "range ",   "include ",  "template ", "define ", "with ",  "end", "else", "toYaml ", "tpl ",
       "printf ", "default ", "required ", "lookup ",   "block ",  "quote ", "- ",  "/*",   "$",       "."});
  int line = 1;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] == '\n') ++line;
    if (text[at] != '{' || text[at + 1] != '{') continue;
    std::string_view rest = text.substr(at + 2);
    if (rest.starts_with("-")) rest.remove_prefix(1);
    rest = rest.substr(0, 40);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    for (const auto word : kWords) {
      if (rest.starts_with(word)) return line;
    }
  }
  return 0;
}

}  // namespace

bool is_helm_template(const Input& input) {
  return !input.json && (input.has("kind") || input.has("apiVersion") || input.first_line.starts_with("{{")) &&
         helm_line(input.text) > 0;
}
void answer_helm_template(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  answer(input, "check.helm_template", helm_line(input.text), plan);
}

bool is_raw_state(const Input& input) {
  return input.json && input.has("version") && input.has("serial") && input.has("lineage");
}
void answer_raw_state(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  answer(input, "check.raw_state", 1, plan);
}

bool is_ui_log(const Input& input) { return input.json && input.has("@level"); }
void answer_ui_log(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  answer(input, "check.ui_log", 1, plan);
}

bool is_provider_schema(const Input& input) {
  return input.json && (input.has("provider_schemas") ||
                        (input.has("format_version") && (input.has("diagnostics") || input.has("valid"))));
}
void answer_provider_schema(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  answer(input, "check.provider_schema", 1, plan);
}

bool is_hcl(const Input& input) {
  if (input.json) return false;
  return input.text.starts_with("resource \"") || input.text.find("\nresource \"") != std::string::npos ||
         input.text.starts_with("terraform {") || input.text.find("\nterraform {") != std::string::npos;
}
void answer_hcl(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  answer(input, "check.hcl_source", 1, plan);
}

// Text ahead of the JSON: the wrapper of a CI action, or the human plan.
bool is_cli_noise(const Input& input) {
  return input.first_line.starts_with("[command]") || input.first_line.starts_with("::debug::") ||
         input.first_line.starts_with("Terraform will perform") ||
         input.first_line.starts_with("OpenTofu will perform") ||
         input.first_line.starts_with("Terraform used the selected providers") ||
         input.first_line.starts_with("OpenTofu used the selected providers") ||
         (!input.json && input.text.find("{\"format_version\"") != std::string::npos);
}
void answer_cli_noise(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  answer(input, "check.cli_noise", 1, plan);
}

}  // namespace gpuadvise::check
