// The language beyond the specification's own cases: what the subset refuses, bounds, and corners of the semantics.
#include <fmt/format.h>
#include <string>

#include "gpuadvise/cel.h"

#include "catch.h"
#include "rules/cel/json.h"

using namespace gpuadvise::cel;

namespace {

// The typed answer, or "error: ...".
std::string eval(std::string_view source) {
  Fault fault;
  const auto program = compile(source, {Mode::dynamic, {}, {}}, fault);
  if (!program) return "fault: " + fault.message;
  Evaluator evaluator;
  const Value value = evaluator.evaluate(program->view(), {});
  return value.is_failure() ? "error: " + std::string(value.text) : to_json(value);
}

bool starts(const std::string& text, std::string_view part) { return text.rfind(part, 0) == 0; }

}  // namespace

TEST_CASE("Constructs outside the subset are named when an expression is compiled", "[cel]") {
  CHECK(eval("b'x'") == "fault: bytes literals (b'...') are not supported");
  CHECK(eval("br'x'") == "fault: bytes literals (b'...') are not supported");
  CHECK(eval("1u") == "fault: unsigned integers (1u) are not supported");
  CHECK(eval("int") == "fault: type values (int) are not supported");
  CHECK(starts(eval("uint(1)"), "fault: uint() is not supported"));
  CHECK(starts(eval("timestamp('2024-01-01T00:00:00Z')"), "fault: timestamp() is not supported"));
  CHECK(starts(eval("duration('1s')"), "fault: duration() is not supported"));
  CHECK(starts(eval("type(1)"), "fault: type() is not supported"));
  CHECK(eval("a.B{x: 1}") == "fault: message literals (Name{...}) are not supported");
  CHECK(eval("google.protobuf.Timestamp") == "fault: protobuf types (google...) are not supported");
  CHECK(eval("a.?b") == "fault: optional field selection (.?) is not supported");
}

TEST_CASE("Numbers compare by value and compute by kind", "[cel]") {
  CHECK(eval("9007199254740993 == 9007199254740992.0") == "false");
  CHECK(eval("9223372036854775807 < 9223372036854775808.0") == "true");
  CHECK(eval("-9223372036854775808 == -9223372036854775808.0") == "true");
  CHECK(eval("1 < 0.0 / 0.0 || 1 >= 0.0 / 0.0") == "false");
  CHECK(eval("2 * 1.5") == "error: no such overload");
  CHECK(eval("-9223372036854775808 / -1") == "error: integer overflow");
  CHECK(eval("-9223372036854775808 % -1") == "error: integer overflow");
  CHECK(eval("-(-9223372036854775808)") == "error: integer overflow");
  CHECK(eval("9223372036854775808") == "fault: 9223372036854775808 is out of range for an int");
  CHECK(eval("int(9223372036854775807.0)") == "error: out of range for an int");
  CHECK(eval("string(1e6) + string(-4.5e-5) + string(100000.0) + string(-0.0)") == "\"1e+06-4.5e-05100000-0\"");
  CHECK(eval("double('1e400')") == "error: out of range for a double");
  CHECK(eval("int(' 1')") == "error: not an int");
}

TEST_CASE("Maps find int keys by equal doubles and refuse keys of other kinds", "[cel]") {
  CHECK(eval("{1: 'a'}[1.0]") == "\"a\"");
  CHECK(eval("1.5 in {1: 'a'}") == "false");
  CHECK(eval("{1.0: 'a'}") == "error: a map key is a bool, an int or a string");
  CHECK(eval("{1: 1, 1: 2}") == "error: a map key stands twice");
  CHECK(eval("has({'a': null}.a)") == "true");
  CHECK(eval("has([1].a)") == "error: no such overload");
  CHECK(eval("{'a': {'b': 1}}.a.c") == "error: no such key: \"c\"");
}

TEST_CASE("Strings count and order by code point; raw strings keep every backslash", "[cel]") {
  CHECK(eval("size('\\U0001F431a')") == "2");
  CHECK(eval("'\\uFFFF' < '\\U00010000'") == "true");
  CHECK(eval("size(r'\\')") == "1");
  CHECK(eval("r'\\n' == '\\\\n'") == "true");
  CHECK(eval("'a\\qb'") == "fault: this is not an escape sequence");
  CHECK(eval("'\\uD800'") == "fault: this escape is not a Unicode code point");
  CHECK(starts(eval("'a"), "fault: this string is not closed"));
}

TEST_CASE("Errors are absorbed by && and || and by nothing else", "[cel]") {
  CHECK(eval("1 / 0 == 1 || true") == "true");
  CHECK(eval("false && nothing.at.all") == "false");
  CHECK(eval("[1, 0].exists(x, 1 / x == 1)") == "true");
  CHECK(eval("[0, 1].all(x, 1 / x == 2)") == "false");
  CHECK(eval("[1, 0].exists_one(x, 1 / x == 1)") == "error: division by zero");
  CHECK(eval("true ? 1 : 1 / 0") == "1");
}

TEST_CASE("Nesting, size and cost are bounded", "[cel]") {
  const std::string deep(5000, '(');
  CHECK(starts(eval(deep), "fault: the expression nests more than"));
  CHECK(starts(eval(std::string(5000, '!') + "true"), "fault: the expression nests more than"));
  std::string sum = "1";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  CHECK(starts(eval(sum), "fault: the expression nests more than"));
  std::string all = "true";
  for (int i = 0; i < 5000; ++i) all += "&&true";
  CHECK(eval(all) == "true");
  CHECK(starts(eval(std::string(70000, ' ') + "1"), "fault: the expression is longer than"));
  std::string range = "[0";
  for (int i = 1; i < 200; ++i) range += ",0";
  range += "]";
  const std::string loops = fmt::format("{0}.all(a, {0}.all(b, {0}.all(c, true)))", range);
  CHECK(eval(loops) == "error: the evaluation takes too many steps");
  CHECK(eval(fmt::format("true || {}", loops)) == "true");
  std::string doubling = "'0123456789012345'";
  for (int i = 0; i < 24; ++i) doubling = fmt::format("[{}].map(x, x + x)[0]", doubling);
  CHECK(starts(eval(doubling), "fault: macros nest") == false);
  CHECK(eval(doubling) == "error: the evaluation takes too much memory");
  std::string lists = "[0,1,2,3,4,5,6,7]";
  for (int i = 0; i < 14; ++i) lists = fmt::format("[{}].map(x, x + x)[0]", lists);
  CHECK(starts(eval(fmt::format("size({})", lists)), "131072"));
  for (int i = 0; i < 2; ++i) lists = fmt::format("[{}].map(x, x + x)[0]", lists);
  CHECK(eval(lists) == "error: the evaluation takes too much memory");
}

TEST_CASE("The limits of an evaluation are the caller's to set", "[cel]") {
  Fault fault;
  const auto program = compile("[1, 2, 3].map(x, string(x) + 'abcdefgh').size() == 3", {Mode::dynamic, {}, {}}, fault);
  REQUIRE(program);
  CHECK(Evaluator().evaluate(program->view(), {}).is_true());
  Evaluator few_steps(Limits{10, std::size_t{1} << 20});
  CHECK(few_steps.evaluate(program->view(), {}).text == "the evaluation takes too many steps");
  Evaluator little_memory(Limits{1000, 64});
  CHECK(little_memory.evaluate(program->view(), {}).text == "the evaluation takes too much memory");
  // A bound that is reached is absorbed by nothing.
  const auto absorbed =
      compile("true || [1, 2, 3].all(x, [1, 2, 3].all(y, x + y > 0))", {Mode::dynamic, {}, {}}, fault);
  REQUIRE(absorbed);
  CHECK(few_steps.evaluate(absorbed->view(), {}).is_true());  // never evaluated
}
