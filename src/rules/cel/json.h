// CEL values as JSON: plain for people, typed ({"int": 1}, {"double": "1.5"}, ...) for tests, which lose nothing.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/cel.h"

namespace gpuadvise::cel {

// Values read from JSON, with what they point at.
class Bindings {
 public:
  // An object of name: value. A value that is an object with one key, and that key the name of a type, is typed;
  // everything else stands for itself. Throws InputError, `name` being the place.
  static Bindings parse(std::string_view json, const std::string& name);

  std::span<const Variable> variables() const { return variables_; }
  std::span<const Value> values() const { return values_; }

 private:
  friend class JsonReader;
  std::vector<Variable> variables_;
  std::vector<Value> values_;
  std::deque<std::string> texts_;
  std::deque<std::vector<Value>> lists_;
};

// One line of `rules eval --batch`: {"expr": ..., "bindings": {...}}. Never throws: what is wrong with the line is its
// answer. The answer is {"value": typed} or {"error": "message"}.
std::string answer_batch_line(std::string_view line, Evaluator& evaluator);

// Throws InputError where the value is too large to print.
std::string to_json(const Value& value);
std::string to_typed_json(const Value& value);

}  // namespace gpuadvise::cel
