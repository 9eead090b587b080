// The tokens of CEL source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/cel.h"

namespace gpuadvise::cel {

enum class TokenKind : std::uint8_t { end, name, quoted_name, integer, real, string, symbol };

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t offset = 0;
  std::string text;           // name, symbol, or the value of a string
  std::uint64_t integer = 0;  // magnitude
  double real = 0;
};

// Thrown inside the compiler, turned into a Fault at its door.
struct FaultError {
  Fault fault;
};
[[noreturn]] void raise(std::size_t offset, std::string message);

std::vector<Token> tokenize(std::string_view source);

}  // namespace gpuadvise::cel
