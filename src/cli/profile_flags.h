// The flags that write a profile: named after the profile's keys in kebab-case, one table for all commands.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "gpuadvise/profile.h"

#include "base/arena.h"
#include "base/message.h"

namespace gpuadvise::cli {

class ProfileFlags {
 public:
  void add(CLI::App& app, const base::Texts& texts);

  // What the flags and --profile say together; a flag wins over the file. Strings live in this object.
  Profile read();

 private:
  base::Arena arena_;
  std::map<std::string, std::vector<std::string>> values_;
  std::string profile_path_;
};

}  // namespace gpuadvise::cli
