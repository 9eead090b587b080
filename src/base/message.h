// Looks up the product's texts and fills in their values.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gpuadvise/text.h"

namespace gpuadvise::base {

using MessageArgs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Replaces each {name} by its value; a name without a value is a mistake of the caller and throws std::logic_error.
std::string fill(std::string_view text, std::span<const std::pair<std::string_view, std::string_view>> args);

class Texts {
 public:
  Texts(std::span<const Message> messages, Lang lang) : messages_(messages), lang_(lang) {}

  // The text of a message id; an unknown id throws std::logic_error.
  std::string_view raw(std::string_view id) const;
  bool has(std::string_view id) const;
  std::string operator()(std::string_view id, MessageArgs args = {}) const;
  Lang lang() const { return lang_; }

 private:
  const Message* find(std::string_view id) const;
  std::span<const Message> messages_;
  Lang lang_;
};

}  // namespace gpuadvise::base
