// The syntax tree of an expression, before names are resolved and types checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rules/cel/token.h"

namespace gpuadvise::cel {

enum class AstKind : std::uint8_t {
  literal,  // value
  name,     // text; absolute: with a leading dot
  select,   // operand 0 . text
  has,      // operand 0 . text, presence only
  call,     // text(operands); member: operand 0 is the receiver
  op,       // an operator: op
  list,     // operands
  map,      // operands: key, value, ...
  loop      // a macro: op, operands as for the Op, text: the variable
};

struct Ast {
  AstKind kind = AstKind::literal;
  Op op = Op::constant;
  std::size_t offset = 0;  // where a message about this node points
  std::string text;
  bool absolute = false;
  bool member = false;
  Value value;  // literal; a string's text is in `text`
  std::vector<std::unique_ptr<Ast>> operands;
  int depth = 1;
};
using AstPtr = std::unique_ptr<Ast>;

AstPtr parse(std::string_view source);

}  // namespace gpuadvise::cel
