// Files as a person names them.
#pragma once

#include <string>

#include "gpuadvise/error.h"

namespace gpuadvise::base {

// Throws InputError for a directory and for what does not exist.
void check_file(const std::string& path);

}  // namespace gpuadvise::base
