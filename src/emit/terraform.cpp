// Terraform and OpenTofu: quoted strings and heredocs are templates, so both of their openings are doubled.
#include "emit/format.h"

namespace gpuadvise::emit_detail {

namespace {

std::string block(std::string_view text) { return replace_all(replace_all(text, "${", "$${"), "%{", "%%{"); }
std::string quoted(std::string_view text) { return block(json_quoted(text)); }

}  // namespace

const Format kTerraform{"terraform", {quoted, block}};

}  // namespace gpuadvise::emit_detail
