// Operators and functions on values that are known, within the bounds of one evaluation.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/cel/scratch.h"
#include "rules/cel/value.h"

namespace re2 {
class RE2;
}

namespace gpuadvise::cel {

class Operations {
 public:
  explicit Operations(Limits limits);
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  // A new evaluation of `program`.
  void begin(const Program& program) {
    program_ = &program;
    steps_ = limits_.steps;
    exhausted_ = {};
    scratch_.reset();
  }
  // Neither operand is an error or unknown.
  Value unary(const Instruction& in, const Value& a);
  Value binary(const Instruction& in, const Value& a, const Value& b);
  // A map of keys and values in turn, or what is wrong with its keys.
  static Value make_map(const Instruction& in, std::span<const Value> items);

  static Value failure(std::uint32_t position, std::string_view message) {
    return {Kind::error, position, 0, message, {}};
  }
  static Value no_overload(const Instruction& in) { return failure(in.position, "no such overload"); }

  // Takes steps from the budget; false once it is spent.
  bool spend(std::uint64_t steps) {
    if (steps_ < steps) {
      if (exhausted_.empty()) exhausted_ = "the evaluation takes too many steps";
      steps_ = 0;
      return false;
    }
    steps_ -= steps;
    return true;
  }
  // Ends the evaluation.
  Value exhaust(const Instruction& in, std::string_view message);
  // The bound that ended the evaluation; empty: none.
  std::string_view exhausted() const { return exhausted_; }
  bool out_of_steps() const { return steps_ == 0; }

  // Text that outlives the call, for messages.
  std::string_view keep(const std::string& text);
  // Room for so many values; nullptr when the limit is reached.
  Value* values(std::size_t count) { return static_cast<Value*>(scratch_.allocate(count * sizeof(Value))); }

 private:
  static Value order(const Instruction& in, const Value& a, const Value& b);
  Value contained(const Instruction& in, const Value& a, const Value& b);
  const Value* lookup(const Value& map, const Value& key);
  Value no_such_key(const Instruction& in, const Value& key);
  Value index(const Instruction& in, const Value& a, const Value& b);
  Value arithmetic(const Instruction& in, const Value& a, const Value& b);
  // IEEE 754 division, spelled out because division by zero is undefined to C++.
  static double divide(double a, double b);
  static Value whole(const Instruction& in, std::int64_t a, std::int64_t b);
  Value matches(const Instruction& in, std::string_view text, std::string_view pattern);
  static Value to_int(const Instruction& in, const Value& a);
  static Value to_double(const Instruction& in, const Value& a);
  Value to_string(const Instruction& in, const Value& a);
  static Value to_bool(const Instruction& in, const Value& a);

  const Program* program_ = nullptr;
  Limits limits_;
  Scratch scratch_;
  std::uint64_t steps_ = 0;
  std::string_view exhausted_;
  std::vector<std::pair<std::string, std::unique_ptr<re2::RE2>>> patterns_;
};

}  // namespace gpuadvise::cel
