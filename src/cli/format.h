// The --format flag that most commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/message.h"

namespace gpuadvise::cli {

inline void add_format(CLI::App& app, std::string& format, const base::Texts& texts) {
  app.add_option("--format", format, texts("flag/format"))
      ->check(CLI::IsMember({"table", "json"}))
      ->default_str("table");
}

}  // namespace gpuadvise::cli
