#include <array>

#include "base/text.h"
#include "report/findings.h"

namespace gpuadvise::report {

std::span<const FindingsFormat> findings_formats() {
  static constexpr std::array kFormats = std::to_array<FindingsFormat>({
      {"table", findings_table},
      {"json", findings_json},
      {"sarif", findings_sarif},
      {"junit", findings_junit},
      {"github", findings_github},
      {"gitlab", findings_gitlab},
      {"markdown", findings_markdown},
      {"tap", findings_tap},
  });
  return kFormats;
}

const FindingsFormat* find_findings_format(std::string_view name) {
  for (const auto& format : findings_formats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::string_view severity_word(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "note";
}

std::string place_words(const Place& place) {
  Place shown = place;
  shown.column = 0;
  return base::printable(shown.str());
}

std::string message_words(const Finding& finding) {
  const bool named = finding.instance_type.empty() || finding.message.find(finding.instance_type) != std::string::npos;
  return named ? finding.message : finding.instance_type + ": " + finding.message;
}

std::string file_uri(std::string_view file) {
  if (file.empty() || file == "-") return "stdin";
  std::string out;
  for (const char c : file) out += c == '\\' ? '/' : c;
  while (out.starts_with("./")) out.erase(0, 2);
  return out.empty() ? "stdin" : out;
}

}  // namespace gpuadvise::report
