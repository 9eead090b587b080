#include <array>

#include "cli/command.h"

namespace gpuadvise::cli {

std::span<const CommandEntry> commands() {
  static constexpr std::array kCommands = std::to_array<CommandEntry>({
      {"recommend", make_recommend},
      {"compare", make_compare},
      {"estimate", make_estimate},
      {"check", make_check},
      {"catalog", make_catalog},
      {"tasks", make_tasks},
      {"models", make_models},
      {"rules", make_rules},
  });
  return kCommands;
}

}  // namespace gpuadvise::cli
