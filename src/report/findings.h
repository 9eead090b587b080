// Findings on paper: one file per format, one line each in the table (findings.cpp). Names come from strangers: every
// format neutralises what could speak to its reader (terminal escapes, workflow commands, markup).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gpuadvise/check.h"

#include "base/message.h"

namespace gpuadvise::report {

struct FindingsView {
  const CheckReport& report;
  const RuleSet& rules;  // for titles, tags and help of rules
  const base::Texts& texts;
  bool colour = false;
  std::size_t width = 100;   // columns, for people
  std::string_view fail_on;  // error, warning, note, never
  int exit_code = 0;
};

struct FindingsFormat {
  std::string_view name;
  std::string (*write)(const FindingsView& view);
};

std::span<const FindingsFormat> findings_formats();
const FindingsFormat* find_findings_format(std::string_view name);

std::string findings_table(const FindingsView& view);
std::string findings_json(const FindingsView& view);
std::string findings_sarif(const FindingsView& view);
std::string findings_junit(const FindingsView& view);
std::string findings_github(const FindingsView& view);
std::string findings_gitlab(const FindingsView& view);
std::string findings_markdown(const FindingsView& view);
std::string findings_tap(const FindingsView& view);

std::string_view severity_word(Severity severity);  // error, warning, note
std::string place_words(const Place& place);        // "main.tf:14", printable
// The message, led by the instance type where it does not name it: of alternatives each has findings of its own.
std::string message_words(const Finding& finding);
// A file as CI systems want it: forward slashes, no leading "./"; standard input is "stdin".
std::string file_uri(std::string_view file);

}  // namespace gpuadvise::report
