// A type that a remedy names passes `check` in the place of the planned one: put there, the rule is silent, and nothing
// about the type is an error.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "check/case_runner.h"
#include "check/types.h"

using namespace gpuadvise;

namespace {

// The documented types of the vendor that a remedy names, in place of the planned one.
std::vector<std::string> types_in(const Finding& finding, check::TypeIndex& types) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : finding.remedy + " ") {
    const bool part =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    if (part) {
      word += c;
      continue;
    }
    while (word.ends_with(".")) word.pop_back();
    if (!word.empty() && word != finding.instance_type && types.find(word).type != nullptr) out.push_back(word);
    word.clear();
  }
  return out;
}

bool replace_all(std::string& text, const std::string& from, const std::string& to) {
  bool any = false;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    const char next = at + from.size() < text.size() ? text[at + from.size()] : ' ';
    if ((next >= 'a' && next <= 'z') || (next >= '0' && next <= '9') || next == '.' || next == '-') continue;
    text.replace(at, from.size(), to);
    any = true;
  }
  return any;
}

// Errors about what the replacement is, not about what stands around it.
bool against(const Finding& finding, const std::string& type) {
  return finding.instance_type == type && finding.severity == Severity::error;
}

}  // namespace

TEST_CASE("a replacement that a remedy names passes in the planned type's place", "[check][remedy]") {
  check::TypeIndex types(builtin_knowledge().catalog);
  int tried = 0;
  for (const auto& folder : test::case_folders()) {
    const CheckReport before = test::run_case(folder, Lang::en);
    for (const auto& finding : before.findings) {
      if (finding.instance_type.empty() || finding.severity == Severity::note) continue;
      for (const auto& type : types_in(finding, types)) {
        CheckOptions options;
        options.today = "2026-11-30";
        auto inputs = test::case_inputs(folder, options);
        bool placed = replace_all(options.config_bytes, finding.instance_type, type);
        for (auto& input : inputs) placed = replace_all(input.bytes, finding.instance_type, type) || placed;
        if (!placed) continue;
        const CheckReport after = check_plans(inputs, options, builtin_knowledge(), test::rules());
        ++tried;
        const auto same = std::count_if(after.findings.begin(), after.findings.end(), [&](const Finding& f) {
          return f.rule == finding.rule && f.resource == finding.resource && f.instance_type == type;
        });
        INFO(folder.filename().string() << ": " << finding.rule << " on " << finding.instance_type << " offers "
                                        << type);
        CHECK(same == 0);
        // Errors that were there before have remedies of their own.
        for (const auto& f : after.findings) {
          const bool old = std::any_of(before.findings.begin(), before.findings.end(),
                                       [&](const Finding& b) { return b.rule == f.rule && b.resource == f.resource; });
          INFO(f.rule << ": " << f.message);
          CHECK_FALSE((against(f, type) && finding.resource == f.resource && !old));
        }
      }
    }
  }
  CHECK(tried > 30);
}
