// Kubernetes manifests: $(NAME) in a command stands for an environment variable, so the opening is doubled.
#include "emit/format.h"

namespace gpuadvise::emit_detail {

namespace {

std::string block(std::string_view text) { return replace_all(text, "$(", "$$("); }
std::string quoted(std::string_view text) { return block(json_quoted(text)); }

}  // namespace

const Format kKubernetes{"kubernetes", {quoted, block}, true};

}  // namespace gpuadvise::emit_detail
