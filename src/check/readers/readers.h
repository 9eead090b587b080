// What each reader answers to; the table is in readers.cpp.
#pragma once

#include "check/readers/reader.h"

namespace gpuadvise::check {

bool is_terraform(const Input& input);
void read_terraform(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);

bool is_kubernetes(const Input& input);
void read_kubernetes(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);

bool is_ros(const Input& input);
void read_ros(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);

bool is_skypilot(const Input& input);
void read_skypilot(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);

bool is_dstack(const Input& input);
void read_dstack(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);

bool is_compose(const Input& input);
void read_compose(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);

bool is_pai_service(const Input& input);
void read_pai_file(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);

// gpuadvise.yaml: its plans are read here, its workloads and settings by config.h.
bool is_config(const Input& input);
void read_config_plans(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);

// Files that are no plan, and what to run to get one.
bool is_helm_template(const Input& input);
bool is_raw_state(const Input& input);
bool is_ui_log(const Input& input);
bool is_provider_schema(const Input& input);
bool is_cli_noise(const Input& input);
bool is_hcl(const Input& input);
void answer_helm_template(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);
void answer_raw_state(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);
void answer_ui_log(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);
void answer_provider_schema(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);
void answer_cli_noise(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);
void answer_hcl(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);

}  // namespace gpuadvise::check
