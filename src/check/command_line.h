// What the flags of a command line say, whatever the tool that they belong to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "check/vocabulary.h"

namespace gpuadvise::check {

using Words = std::vector<std::string>;

// The flags of the vocabulary, ready to be looked up. The vocabulary must outlive it.
class FlagTable {
 public:
  explicit FlagTable(const Vocabulary& vocabulary);

  struct Flag {
    std::string_view means;
    std::size_t rank = 0;  // place in the table: of two spellings of one thing the earlier decides
  };
  // "--tensor_parallel-size" with or without its dashes; nullptr: not one that we know.
  const Flag* find(std::string_view flag) const;

 private:
  std::unordered_map<std::string, Flag> flags_;
};

// Values by meaning: "--flag=value" and "--flag value" are the same.
class CommandLine {
 public:
  CommandLine(const Words& words, const FlagTable& table);

  // nullptr: not given. Empty: given without a value.
  const std::string* text(std::string_view meaning) const;
  // A number that is not negative; "32k" and "8K" too, context lengths are written so.
  std::optional<double> number(std::string_view meaning) const;
  // A whole number from 1 to ten million.
  std::optional<int> count(std::string_view meaning) const;
  // Given, and not as "false" or "0".
  bool yes(std::string_view meaning) const;

 private:
  struct Given {
    FlagTable::Flag flag;
    std::string value;
  };
  std::vector<Given> given_;
};

}  // namespace gpuadvise::check
