#include <fmt/format.h>

#include "gpuadvise/error.h"

namespace gpuadvise {

std::string Place::str() const {
  if (file.empty()) return {};
  if (line <= 0) return file;
  if (column <= 0) return fmt::format("{}:{}", file, line);
  return fmt::format("{}:{}:{}", file, line, column);
}

InputError::InputError(const Place& place, std::string_view message)
    : std::runtime_error(place.file.empty() ? std::string(message) : fmt::format("{}: {}", place.str(), message)),
      place_(place),
      message_(message) {}

}  // namespace gpuadvise
