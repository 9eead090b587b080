// Whatever bytes come in: a report or an InputError, written in every format without a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpuadvise/check.h"

#include "report/findings.h"

namespace gpuadvise {

inline void fuzz_check(const std::uint8_t* data, std::size_t size, const char* kind, const char* name) {
  static const RuleSet rules(builtin_knowledge().rules);
  static const base::Texts texts(builtin_knowledge().messages, Lang::en);
  CheckOptions options;
  options.kind = kind;
  options.source_dir = "/nonexistent";
  try {
    const std::string bytes(reinterpret_cast<const char*>(data), size);  // NOLINT: fuzzers hand out bytes
    const CheckReport report = check_plans({{name, bytes, false}}, options, builtin_knowledge(), rules);
    for (const auto& format : report::findings_formats()) {
      format.write({report, rules, texts, false, 100, "error", 0});
    }
  } catch (const InputError&) {
    return;
  }
}

}  // namespace gpuadvise
