// `gpuadvise rules`: expressions from the command line and from files, and the rules that carry tests.
#include "catch.h"
#include "run_program.h"

using gpuadvise::test::run_program;
using gpuadvise::test::TempFile;

TEST_CASE("rules eval prints a value as JSON, plain or typed", "[cli][rules]") {
  CHECK(run_program({"rules", "eval", "--expr", "1 + 2"}).out == "3\n");
  CHECK(run_program({"rules", "eval", "--expr", "-1"}).out == "-1\n");
  CHECK(run_program({"rules", "eval", "--expr", "x.map(y, y * 2)", "--bindings", "{\"x\": [1, {\"int\": 2}]}"}).out ==
        "[2,4]\n");
  CHECK(run_program({"rules", "eval", "--expr", "0.0 / 0.0", "--typed"}).out == "{\"double\":\"nan\"}\n");
}

TEST_CASE("rules eval says where an expression is wrong", "[cli][rules]") {
  const auto outcome = run_program({"rules", "eval", "--expr", "1 +\n  * 2"});
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("--expr:2:3") != std::string::npos);
  CHECK(run_program({"rules", "eval", "--expr", "1 / 0"}).code == 2);
  CHECK(run_program({"rules", "eval", "--expr", "b'x'"}).err.find("bytes literals") != std::string::npos);
  CHECK(run_program({"rules", "eval"}).code == 2);
}

TEST_CASE("rules eval --batch answers line by line and goes on after a bad one", "[cli][rules]") {
  const TempFile cases(
      "{\"expr\": \"x + 1\", \"bindings\": {\"x\": {\"int\": 1}}}\n"
      "not json\n"
      "{\"expr\": \"1 / 0\"}\n"
      "{\"expr\": \"-0.0\"}\n",
      ".jsonl");
  const auto outcome = run_program({"rules", "eval", "--batch", cases.path()});
  CHECK(outcome.code == 0);
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  CHECK(line == "{\"value\":{\"int\":2}}");
  std::getline(lines, line);
  CHECK(line.rfind("{\"error\":\"not JSON", 0) == 0);
  std::getline(lines, line);
  CHECK(line == "{\"error\":\"division by zero\"}");
  std::getline(lines, line);
  CHECK(line == "{\"value\":{\"double\":\"-0\"}}");
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("rules test, list and show speak of built-in and user rules", "[cli][rules]") {
  CHECK(run_program({"rules", "test"}).code == 0);
  const auto shown = run_program({"rules", "show", "numbers/bf16"});
  CHECK(shown.code == 0);
  CHECK(shown.out.find("NVIDIA T4 has no bf16") != std::string::npos);
  CHECK(run_program({"rules", "show", "numbers/bf61"}).err.find("did you mean \"numbers/bf16\"") != std::string::npos);
  const TempFile wrong(
      "rules:\n"
      "  - id: a/b\n"
      "    severity: note\n"
      "    scope: candidate\n"
      "    when: >-\n"
      "      layout.nodes > 1 &&\n"
      "      layout.nods > 2\n"
      "    effect: note\n"
      "    message: {en: m, zh: m}\n"
      "    remedy: {en: r, zh: r}\n",
      ".yaml");
  const auto refused = run_program({"rules", "test", wrong.path()});
  CHECK(refused.code == 2);
  CHECK(refused.err.find(wrong.path() + ":7:7: ") != std::string::npos);
  CHECK(refused.err.find("did you mean \"layout.nodes\"") != std::string::npos);
}
