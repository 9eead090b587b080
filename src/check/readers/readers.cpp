#include <array>

#include "check/readers/readers.h"

namespace gpuadvise::check {

namespace {

// The first that knows the input reads it: what is no plan at all comes first, the loosest signs last.
constexpr std::array kReaders = std::to_array<Reader>({
    {"helm-template", is_helm_template, answer_helm_template},
    {"terraform-ui-log", is_ui_log, answer_ui_log},
    {"terraform-plan", is_terraform, read_terraform},
    {"terraform-state-file", is_raw_state, answer_raw_state},
    {"terraform-schema", is_provider_schema, answer_provider_schema},
    {"terraform-hcl", is_hcl, answer_hcl},
    {"cli-noise", is_cli_noise, answer_cli_noise},
    {"ros", is_ros, read_ros},
    {"kubernetes", is_kubernetes, read_kubernetes},
    {"pai-eas", is_pai_service, read_pai_file},
    {"gpuadvise", is_config, read_config_plans},
    {"compose", is_compose, read_compose},
    {"dstack", is_dstack, read_dstack},
    {"skypilot", is_skypilot, read_skypilot},
});

}  // namespace

std::span<const Reader> readers() { return kReaders; }

const Reader* find_reader(const Input& input, std::string_view kind) {
  for (const auto& reader : kReaders) {
    if (kind.empty() ? reader.detect(input) : reader.kind == kind) return &reader;
  }
  return nullptr;
}

}  // namespace gpuadvise::check
