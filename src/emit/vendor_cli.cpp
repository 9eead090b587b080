// A shell script of the vendor's own command line tool. Values stand in single quotes, some of them in JSON there.
#include "base/text.h"
#include "emit/format.h"

namespace gpuadvise::emit_detail {

namespace {

std::string quoted(std::string_view text) { return replace_all(json_quoted(base::printable(text)), "'", "'\\''"); }

}  // namespace

const Format kVendorCli{"vendor-cli", {quoted, plain}};

}  // namespace gpuadvise::emit_detail
