// Compose files: a dollar sign asks Compose for a variable, so those that the container's shell shall see are doubled.
#include "emit/format.h"

namespace gpuadvise::emit_detail {

namespace {

std::string block(std::string_view text) { return replace_all(text, "$", "$$"); }
std::string quoted(std::string_view text) { return block(json_quoted(text)); }

}  // namespace

const Format kDockerCompose{"docker-compose", {quoted, block}};

}  // namespace gpuadvise::emit_detail
