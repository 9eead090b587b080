#include <array>
#include <cstdint>
#include <sha2.h>

#include "data/load_digest.h"

namespace gpuadvise::data {

std::string sha256_hex(const std::vector<File>& files, std::string_view seed) {
  SHA2_CTX context;
  SHA256Init(&context);
  const auto add = [&](std::string_view bytes) {
    SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());  // NOLINT
  };
  add(seed);
  for (const auto& file : files) add(file.bytes);
  std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
  return SHA256End(&context, text.data());
}

}  // namespace gpuadvise::data
