// Runs `check` on a folder of tests/check/cases: its inputs, with gpuadvise.yaml as the configuration.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gpuadvise/check.h"

#include "base/node.h"
#include "builtin_rules.h"

namespace gpuadvise::test {

inline std::vector<std::filesystem::path> case_folders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(GPUADVISE_SOURCE_DIR) / "tests/check/cases")) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// The inputs of a case by name, without what is expected of them.
inline std::vector<CheckInput> case_inputs(const std::filesystem::path& folder, CheckOptions& options) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<CheckInput> inputs;
  for (const auto& file : files) {
    const std::string name = file.filename().string();
    if (name == "expected.yaml" || file.extension() == ".tf") continue;
    if (name == "gpuadvise.yaml") {
      options.config_name = file.string();
      options.config_bytes = base::read_bytes(file.string());
      continue;
    }
    inputs.push_back({file.string(), base::read_bytes(file.string()), false});
  }
  return inputs;
}

inline CheckReport run_case(const std::filesystem::path& folder, Lang lang) {
  CheckOptions options;
  options.lang = lang;
  options.today = "2026-11-30";
  const auto inputs = case_inputs(folder, options);
  return check_plans(inputs, options, builtin_knowledge(), rules());
}

}  // namespace gpuadvise::test
