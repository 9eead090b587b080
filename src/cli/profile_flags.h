// The flags that write a profile: named after the profile's keys in kebab-case, one table for all commands.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "gpuadvise/catalog.h"
#include "gpuadvise/profile.h"

#include "base/arena.h"
#include "base/message.h"

namespace gpuadvise::cli {

class ProfileFlags {
 public:
  // Declares the flags that occur in `arguments`, all of them with --help: declaring a hundred costs more than an
  // answer.
  void add(CLI::App& app, const base::Texts& texts, std::span<const std::string> arguments);
  static std::vector<std::string> names();

  // What the flags and --profile say together; a flag wins over the file. Strings live in this object.
  // Warnings about what a model's files leave open go to `err`.
  Profile read(const Catalog& catalog, std::ostream& err);

 private:
  static bool occurs(std::string_view flag, std::span<const std::string> arguments);
  base::Arena arena_;
  std::map<std::string, std::vector<std::string>> values_;
  std::string profile_path_;
  std::string model_config_path_;
  std::string weight_file_;
};

}  // namespace gpuadvise::cli
