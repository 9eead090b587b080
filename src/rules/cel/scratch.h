// Memory of what one evaluation builds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace gpuadvise::cel {

// The first block is kept from one evaluation to the next.
class Scratch {
 public:
  explicit Scratch(std::size_t limit) : limit_(limit) {}

  void reset() {
    if (blocks_.size() > 1) blocks_.resize(1);
    used_ = 0;
    total_ = 0;
  }
  // nullptr when the limit is reached.
  void* allocate(std::size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > limit_ - total_) return nullptr;
    total_ += bytes;
    if (blocks_.empty() || used_ + bytes > blocks_.back().size) {
      const std::size_t size = std::max<std::size_t>(bytes, 16384);
      blocks_.push_back({std::make_unique<std::byte[]>(size), size});
      used_ = 0;
    }
    void* at = blocks_.back().bytes.get() + used_;
    used_ += bytes;
    return at;
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::size_t used_ = 0;
  std::size_t total_ = 0;
  std::size_t limit_;
};

}  // namespace gpuadvise::cel
