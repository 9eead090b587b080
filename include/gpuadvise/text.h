// Text in both languages.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpuadvise {

enum class Lang : std::uint8_t { en, zh };

struct Text {
  std::string_view en;
  std::string_view zh;
  std::string_view in(Lang lang) const { return lang == Lang::zh ? zh : en; }
  bool empty() const { return en.empty(); }
};

// One text of the product. {name} stands for a value that the caller gives by that name.
struct Message {
  std::string_view id;  // area/what
  std::string_view en;
  std::string_view zh;
};

}  // namespace gpuadvise
