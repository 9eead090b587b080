// With --lang zh errors are Chinese, and name the same places, names and numbers as in English.
#include <algorithm>
#include <regex>
#include <set>

#include "catch.h"
#include "run_program.h"

using namespace gpuadvise::test;

namespace {

const Words kFinetune = {"recommend", "--task", "llm-finetune"};
const Words kSeven = with(kFinetune, {"--params", "7B"});

bool has_chinese(std::string_view text) {
  // U+4E00 to U+9FFF are three bytes, the first of them E4 to E9.
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0xE4 && c <= 0xE9; });
}

std::set<std::string> found(const std::string& text, const std::regex& what) {
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), what), end; at != end; ++at) out.insert((*at)[1].str());
  return out;
}

// Words of our English sentences, which no name of the catalog or of a profile is.
void no_english(const std::string& text) {
  static const std::regex sentence(
      R"((?:^|[\s:;,(])(the|expected|unknown|missing|found|nearest|known|you|mean|not|required|given|needs|must|cannot|where)\b)");
  std::smatch match;
  INFO("left in English: " << (std::regex_search(text, match, sentence) ? match.str() : ""));
  CHECK(match.empty());
}

// The same bad input in both languages.
void said_alike(const Words& arguments, std::string_view input = {}) {
  std::string command;
  for (const auto& word : arguments) command += " " + word;
  INFO("gpuadvise" << command);
  const Outcome english = run_program(arguments, input);
  const Outcome chinese = run_program(with(arguments, {"--lang", "zh"}), input);
  INFO(english.err << english.out);
  INFO(chinese.err << chinese.out);
  CHECK(english.code == 2);
  CHECK(chinese.code == 2);
  const std::string en = english.err + english.out;
  const std::string zh = chinese.err + chinese.out;
  CHECK_FALSE(has_chinese(en));
  CHECK(has_chinese(zh));
  no_english(zh);
  static const std::regex place(R"(^gpuadvise[a-z ]*: ((?:--|/)[^ ]*?): )");
  static const std::regex quoted(R"re("([^"]+)")re");
  static const std::regex number(R"(\b([0-9]+(?:\.[0-9]+)?)\b)");
  for (const auto& what : {place, quoted, number}) {
    for (const auto& part : found(en, what)) {
      INFO(part);
      CHECK(zh.find(part) != std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("bad flags are said in Chinese", "[chinese]") {
  said_alike({"recommend", "--task", "nope"});
  said_alike({"recommend", "--task", "llm-finetun"});
  said_alike({"recommend"});
  said_alike(with(kFinetune, {"--params", "banana"}));
  said_alike(with(kFinetune, {"--params", "-3"}));
  said_alike(with(kFinetune, {"--model", "gpt-9"}));
  said_alike(with(kSeven, {"--method", "lorra"}));
  said_alike(with(kSeven, {"--optimizer", "adamww"}));
  said_alike(with(kSeven, {"--micro-batch", "2.5"}));
  said_alike(with(kSeven, {"--vendor", "alibbaba"}));
  said_alike(with(kSeven, {"--family", "gn77"}));
  said_alike(with(kSeven, {"--vendor", "alibaba,,tencent"}));
  said_alike(with(kSeven, {"--id", ""}));
  said_alike(with(kSeven, {"--weight", "price=3"}));
  said_alike(with(kSeven, {"--weight", "cost"}));
  said_alike(with(kSeven, {"--why-not", "nothing-like-it"}));
  said_alike({"estimate", "--task", "llm-finetune", "--params", "7B"});
  said_alike({"estimate", "--task", "llm-finetune", "--params", "7B", "--accelerator", "a1000"});
}

TEST_CASE("what the parser of the command line turns down is said in Chinese and in our words", "[chinese]") {
  said_alike({"recomend"});
  said_alike(with(kSeven, {"--modell", "x"}));
  said_alike(with(kSeven, {"surplus"}));
  said_alike(with(kSeven, {"--optimize", "price"}));
  said_alike(with(kSeven, {"--top", "0"}));
  said_alike(with(kSeven, {"--top", "many"}));
  said_alike(with(kSeven, {"--explain=banana"}));
  said_alike({"compare", "gn7i", "--task", "llm-finetune"});
  said_alike({"catalog"});
  said_alike({"catalog", "show"});
  said_alike({"catalog", "list", "--min-memory", "-1"});
  said_alike({"rules", "show"});
  const Outcome few = run_program({"compare", "gn7i", "--task", "llm-finetune", "--params", "7B"});
  CHECK(few.err == "gpuadvise compare: names: at least 2 are needed, not 1\n");
  const Outcome bare = run_program({"recommend", "--task", "llm-finetune", "--top"});
  CHECK(bare.err == "gpuadvise recommend: --top needs a value\n");
}

TEST_CASE("bad files are said in Chinese", "[chinese]") {
  const auto file = [](std::string_view text, std::string_view suffix, const Words& command) {
    const TempFile bad(text, suffix);
    said_alike(with(command, {bad.path()}));
  };
  file("task: llm-finetune\nmodle: {params: 7B}\n", ".yaml", {"recommend", "--profile"});
  file("task: llm-finetune\nmodel: [7B]\n", ".yaml", {"recommend", "--profile"});
  file("task: [\n", ".yaml", {"recommend", "--profile"});
  file("a: 1\na: 2\n", ".yaml", {"recommend", "--profile"});
  file("{\"task\": }", ".json", {"recommend", "--profile"});
  file("{\"task\": \"x\"", ".json", {"recommend", "--profile"});
  file("{}", ".json", with(kFinetune, {"--model-config"}));
  file("GGUX", ".gguf", with(kSeven, {"--weight-file"}));
  file("families:\n  - {vendor: nobody, name: x}\n", ".yaml", with(kSeven, {"--catalog"}));
  file("rules:\n  - {id: a/b, when: 'request.nothing == 1'}\n", ".yaml", with(kSeven, {"--rules"}));
  file("rules:\n  - {id: a/b, extends: network/none}\n", ".yaml", with(kSeven, {"--rules"}));
  said_alike(with(kSeven, {"--profile", "/nowhere/at-all.yaml"}));
  said_alike({"rules", "eval", "--expr", "1 +"});
  said_alike({"rules", "eval", "--expr", "(1 + 2"});
  said_alike({"rules", "eval", "--expr", "foo(1)"});
  said_alike({"rules", "eval", "--expr", "1 / 0"});
}

TEST_CASE("a batch answers bad lines in Chinese", "[chinese]") {
  const Outcome outcome =
      run_program({"estimate", "--batch", "-", "--lang", "zh"}, "{\"id\": \"b\", \"task\": \"nope\"}\n");
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("-:1:") != std::string::npos);
  CHECK(outcome.out.find("未知任务“nope”") != std::string::npos);
  no_english(outcome.out);
}

TEST_CASE("a value that reads like one of our sentences stays as it was given", "[chinese]") {
  const Outcome outcome = run_program({"recommend", "--task", "a list", "--lang", "zh"});
  CHECK(outcome.err.starts_with("gpuadvise: --task: task：未知任务“a list”；已知："));
}
