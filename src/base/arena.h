// Storage for everything that a loader reads: views into it stay valid as long as the arena lives.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gpuadvise::base {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    auto* at = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(at, text.data(), text.size());
    return {at, text.size()};
  }

  template <class T>
  std::span<const T> copy(const std::vector<T>& items) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
    if (items.empty()) return {};
    auto* at = static_cast<T*>(allocate(items.size() * sizeof(T), alignof(T)));
    for (std::size_t i = 0; i < items.size(); ++i) new (at + i) T(items[i]);
    return {at, items.size()};
  }

 private:
  void* allocate(std::size_t size, std::size_t alignment) {
    used_ = (used_ + alignment - 1) / alignment * alignment;
    if (blocks_.empty() || used_ + size > capacity_) {
      capacity_ = size > kBlock ? size : kBlock;
      blocks_.push_back(std::make_unique<std::byte[]>(capacity_));
      used_ = 0;
    }
    void* at = blocks_.back().get() + used_;
    used_ += size;
    return at;
  }

  static constexpr std::size_t kBlock = std::size_t{64} * 1024;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

}  // namespace gpuadvise::base
