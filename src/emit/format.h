// What one file format adds to the texts in data/emit. A new format is one file with one of these, and one line in the
// table of emit.cpp.
#pragma once

#include <string_view>

#include "emit/template.h"

namespace gpuadvise::emit_detail {

struct Format {
  std::string_view name;
  Escapes escapes;
  bool per_replica = false;  // starts one replica at a time: the platform multiplies them
};

extern const Format kTerraform;
extern const Format kKubernetes;
extern const Format kSkypilot;
extern const Format kDockerCompose;
extern const Format kVendorCli;

// JSON's escapes, which YAML's double quotes share. Control characters never come through as they are.
std::string json_quoted(std::string_view text);
// Every `from` becomes `to`.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace gpuadvise::emit_detail
