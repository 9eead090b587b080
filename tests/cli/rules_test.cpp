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

TEST_CASE("A malformed rule file is one error with its place, and exit code 2", "[cli][rules]") {
  // One rule, with its lines numbered in the comments; each case spoils one of them.
  const std::string good =
      "rules:\n"                                                                     // 1
      "  - id: ours/one\n"                                                           // 2
      "    severity: warning\n"                                                      // 3
      "    scope: candidate\n"                                                       // 4
      "    when: layout.nodes > 1\n"                                                 // 5
      "    effect: warn\n"                                                           // 6
      "    message: {en: \"{layout.nodes} machines\", zh: \"{layout.nodes} 台\"}\n"  // 7
      "    remedy: {en: one, zh: 一台}\n"                                            // 8
      "    tests:\n"                                                                 // 9
      "      - {fires: true, given: {layout.nodes: 2}}\n"                            // 10
      "      - {fires: false, given: {layout.nodes: 1}}\n";                          // 11
  struct Case {
    const char* what;
    const char* from;  // empty: appended
    const char* to;
    const char* place;  // line:column
    const char* message;
  };
  const Case cases[] = {
      {"bad YAML", "    scope: candidate\n", "    scope: [candidate\n", ":5:", ""},
      {"not UTF-8", "ours/one", "ours/\xff", ":2:", "UTF-8"},
      {"bad CEL", "layout.nodes > 1\n", "layout.nodes >\n", ":5:25: ", "expected"},
      {"type error", "layout.nodes > 1\n", "layout.nodes > 'x'\n", ":5:24: ", "int > string has no meaning"},
      {"unknown field", "when: layout.nodes > 1\n", "when: layout.nods > 1\n",
       ":5:11: ", "did you mean \"layout.nodes\"?"},
      {"wrong arity", "layout.nodes > 1\n", "size(family.name, 2) > 1\n", ":5:11: ", "takes 1 argument"},
      {"missing translation", ", zh: \"{layout.nodes} 台\"", "", ":7:14: ", "message.zh is missing"},
      {"unknown placeholder", "\"{layout.nodes} 台\"", "\"{layout.nods} 台\"",
       ":7:14: ", "unknown placeholder {layout.nods}; did you mean \"layout.nodes\"?"},
      {"bad format", "\"{layout.nodes} 台\"", "\"{layout.nodes:7} 台\"", ":7:14: ", "unknown format \"7\""},
      {"no test that fires", "      - {fires: true, given: {layout.nodes: 2}}\n", "",
       ":10:7: ", "at least one test that fires"},
      {"fact of another type", "{fires: true, given: {layout.nodes: 2}}", "{fires: true, given: {layout.nodes: two}}",
       ":10:7: ", "layout.nodes is int, and this is string"},
      {"unknown word", "effect: warn", "effect: wran", ":6:13: ", "did you mean \"warn\"?"},
      {"twice", "", "  - {id: ours/one, extends: ours/one}\n", ":12:10: ", "stands twice in this file"},
      {"cyclic override", "", "  - {id: ours/a, extends: ours/b}\n  - {id: ours/b, extends: ours/a}\n",
       ":13:27: ", "cyclic override: ours/a -> ours/b -> ours/a"},
      {"no such parameter", "", "overrides:\n  - {id: numbers/bf16, set: {min: 7.0}}\n",
       ":13:29: ", "has no parameter"},
      {"no reason", "", "overrides:\n  - {id: numbers/bf16, disable: \" \"}\n", ":13:33: ", "say why"},
  };
  for (const auto& c : cases) {
    INFO(c.what);
    std::string text = good;
    if (*c.from == '\0') {
      text += c.to;
    } else {
      const auto at = text.find(c.from);
      REQUIRE(at != std::string::npos);
      text.replace(at, std::string_view(c.from).size(), c.to);
    }
    const TempFile file(text, ".yaml");
    for (const auto& arguments :
         {std::vector<std::string>{"rules", "test", file.path()},
          std::vector<std::string>{"recommend", "--task", "llm-finetune", "--params", "13B", "--rules", file.path()}}) {
      const auto refused = run_program(arguments);
      CHECK(refused.code == 2);
      CHECK(refused.out.empty());
      INFO(refused.err);
      CHECK(refused.err.rfind("gpuadvise: " + file.path() + c.place, 0) == 0);
      CHECK(refused.err.find(c.message) != std::string::npos);
      CHECK(refused.err.find("gpuadvise: ", 1) == std::string::npos);
    }
  }
  const TempFile fine(good, ".yaml");
  CHECK(run_program({"rules", "test", fine.path()}).code == 0);
}

TEST_CASE("A rule file cannot be too deep or too long", "[cli][rules]") {
  const TempFile deep("rules: " + std::string(2000, '[') + std::string(2000, ']'), ".yaml");
  CHECK(run_program({"rules", "test", deep.path()}).code == 2);
  const TempFile condition("rules:\n  - {id: a/b, when: \"" + std::string(70000, ' ') + "true\"}\n", ".yaml");
  CHECK(run_program({"rules", "test", condition.path()}).code == 2);
}

TEST_CASE("recommend takes policies and severities from a configuration, and says where a rule comes from",
          "[cli][rules]") {
  const TempFile policy(
      "rules:\n"
      "  - id: ours/a100\n"
      "    severity: warning\n"
      "    scope: candidate\n"
      "    when: accelerator.name.contains('A100')\n"
      "    effect: warn\n"
      "    message: {en: ask the platform team for A100, zh: 使用 A100 请先联系平台组}\n"
      "    remedy: {en: write to them, zh: 发邮件}\n"
      "    tests:\n"
      "      - {fires: true, given: {accelerator.name: NVIDIA A100}}\n"
      "      - {fires: false, given: {accelerator.name: NVIDIA A10}}\n"
      "overrides:\n"
      "  - id: operations/benchmark-first\n"
      "    disable: we always do\n"
      "  - id: numbers/bf16\n"
      "    set: {min_compute_capability: 5.0}\n",
      ".yaml");
  const TempFile config("version: 1\npolicies: [" + policy.path() + "]\nseverity: {operations/export: off}\n", ".yaml");
  const std::vector<std::string> question = {"recommend", "--task", "llm-finetune", "--params", "13B", "--explain"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = question;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  const auto plain = run_program(question);
  REQUIRE(plain.code == 0);
  CHECK(plain.out.find("operations/benchmark-first") != std::string::npos);
  CHECK(plain.out.find("operations/export") != std::string::npos);
  CHECK(plain.out.find("numbers/bf16:") != std::string::npos);

  const auto ours = run_program(with({"--config", config.path()}));
  REQUIRE(ours.code == 0);
  CHECK(ours.out.find("ours/a100 < " + policy.path()) != std::string::npos);
  CHECK(ours.out.find("operations/benchmark-first") == std::string::npos);
  CHECK(ours.out.find("operations/export ") == std::string::npos);
  CHECK(ours.out.find("numbers/bf16:") == std::string::npos);
  CHECK(run_program(with({"--config", config.path(), "--format", "json"})).out.find("\"origin\": \"" + policy.path()) !=
        std::string::npos);
  CHECK(run_program(with({"--config", config.path(), "--lang", "zh"})).out.find("使用 A100 请先联系平台组") !=
        std::string::npos);

  // The configuration in the working folder is taken without being named; --rules is laid over it.
  const TempFile folder;
  const std::string place = folder.path() + ".d";
  const std::string here =
      "mkdir -p " + place + " && cp " + config.path() + " " + place + "/gpuadvise.yaml && cd " + place;
  CHECK(run_program(question, {}, here).out == ours.out);
  const auto listed = run_program({"rules", "list"}, {}, here);
  CHECK(listed.out.find("severity: off in gpuadvise.yaml") != std::string::npos);
  CHECK(listed.out.find("we always do") != std::string::npos);
  const TempFile last("overrides:\n  - {id: ours/a100, disable: not today}\n", ".yaml");
  CHECK(run_program(with({"--rules", last.path()}), {}, here).out.find("ours/a100") == std::string::npos);
  run_program({"--version"}, {}, "rm -r " + place);

  CHECK(run_program(with({"--config", "/nonexistent.yaml"})).code == 2);
  const TempFile wrong("policies: [/nonexistent.yaml]\n", ".yaml");
  CHECK(run_program(with({"--config", wrong.path()})).code == 2);
}

TEST_CASE("retired families are searched when they are asked for, and held back", "[cli][rules]") {
  const std::vector<std::string> question = {"recommend",   "--task", "llm-finetune", "--params", "1.5B",
                                             "--precision", "fp16",   "--family",     "gn5"};
  const auto refused = run_program(question);
  CHECK(refused.code == 1);
  CHECK(refused.out.find("family/retired") != std::string::npos);
  std::vector<std::string> with = question;
  with.insert(with.end(), {"--include", "retired"});
  const auto answered = run_program(with);
  CHECK(answered.code == 0);
  CHECK(answered.out.find("family/retired-included") != std::string::npos);
}

TEST_CASE("--explain shows the values that a rejection saw", "[cli][rules]") {
  const auto explained = run_program({"recommend", "--task", "llm-finetune", "--params", "13B", "--explain"});
  CHECK(explained.out.find("accelerator.compute_capability = 7") != std::string::npos);
  CHECK(explained.out.find("estimate.memory_fits = no") != std::string::npos);
}

TEST_CASE("rules show answers for the ids that recommend prints", "[cli][rules]") {
  for (const auto* id : {"memory/room", "numbers/bf16-native", "network/fast-link", "money/cheapest", "search/only",
                         "catalog/unknown-card", "layout/none", "serving/too-many", "money/price-unknown"}) {
    INFO(id);
    const auto shown = run_program({"rules", "show", id});
    CHECK(shown.code == 0);
    CHECK(shown.out.find("example") != std::string::npos);
    CHECK(run_program({"rules", "show", id, "--lang", "zh"}).code == 0);
  }
}
