// What tells one state of the facts from another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::data {

struct File {
  std::string path;
  std::string bytes;
};

// SHA-256 over the seed and the bytes of the files, in hexadecimal.
std::string sha256_hex(const std::vector<File>& files, std::string_view seed);

}  // namespace gpuadvise::data
