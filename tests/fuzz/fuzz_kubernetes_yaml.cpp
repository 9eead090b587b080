#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuadvise::fuzz_check(data, size, "kubernetes", "pod.yaml");
  return 0;
}
