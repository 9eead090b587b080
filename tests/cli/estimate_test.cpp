// `gpuadvise estimate`: what recommend rejects whatever the layout is no fit here either.
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.h"
#include "run_program.h"

using gpuadvise::test::Outcome;
using gpuadvise::test::run_program;
using gpuadvise::test::with;
using gpuadvise::test::Words;
using nlohmann::json;

namespace {

Words serving(const std::string& params, const Words& more) {
  return with({"estimate", "--task", "llm-inference", "--params", params}, more);
}

json rejected(const Words& arguments, const std::string& rule) {
  INFO(rule);
  const Outcome words = run_program(arguments);
  INFO(words.out << words.err);
  CHECK(words.code == 1);
  CHECK(words.out.find("! ") != std::string::npos);
  CHECK(words.out.find(rule) != std::string::npos);
  const Outcome outcome = run_program(with(arguments, {"--format", "json"}));
  CHECK(outcome.code == 1);
  json value = json::parse(outcome.out);
  REQUIRE(value["failures"].size() == 1);
  CHECK(value["failures"][0]["rule"] == rule);
  CHECK_FALSE(value["failures"][0]["text"].get<std::string>().empty());
  CHECK_FALSE(value["failures"][0]["remedy"].get<std::string>().empty());
  return value;
}

}  // namespace

TEST_CASE("what recommend rejects for the type is no fit in estimate", "[cli][estimate]") {
  const json t4 = rejected(serving("3B", {"--instance", "ecs.gn6i-c4g1.xlarge"}), "numbers/bf16");
  // The memory alone would be enough.
  CHECK(t4["memory"]["fits"] == true);
  rejected(serving("7B", {"--instance", "GN10Xp.2XLARGE40", "--weights", "awq-int4"}), "numbers/awq");
  const Outcome chinese = run_program(serving("3B", {"--instance", "ecs.gn6i-c4g1.xlarge", "--lang", "zh"}));
  CHECK(chinese.out.find("不支持 bf16") != std::string::npos);
}

TEST_CASE("a card without a type is judged by what the rules say of cards", "[cli][estimate]") {
  rejected(serving("3B", {"--accelerator", "nvidia-t4"}), "numbers/bf16");
  rejected(serving("1B", {"--accelerator", "nvidia-t4", "--solve", "max-concurrency"}), "numbers/bf16");
}

TEST_CASE("what nothing speaks against has no failures", "[cli][estimate]") {
  for (const Words& hardware : {Words{"--instance", "ecs.gn6i-c4g1.xlarge"}, Words{"--accelerator", "nvidia-t4"}}) {
    const Outcome outcome = run_program(with(serving("3B", {"--weights", "fp16", "--format", "json"}), hardware));
    CHECK(outcome.code == 0);
    CHECK(json::parse(outcome.out)["failures"] == json::array());
  }
}

TEST_CASE("every line of a batch carries its failures", "[cli][estimate]") {
  const Outcome outcome = run_program(
      {"estimate", "--batch", "-"},
      R"({"id": "bf16", "task": "llm-inference", "model": {"params": 3e9}, "hardware": {"instance_type": "ecs.gn6i-c4g1.xlarge"}}
{"id": "fp16", "task": "llm-inference", "model": {"params": 3e9}, "inference": {"weights": "fp16"}, "hardware": {"accelerator": "nvidia-t4"}}
)");
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  CHECK(json::parse(line)["failures"][0]["rule"] == "numbers/bf16");
  std::getline(lines, line);
  CHECK(json::parse(line)["failures"].empty());
}

TEST_CASE("parameters too large for the card do not fit although the rest is unknown", "[cli][estimate]") {
  const Words arguments = {"estimate", "--task", "cv-inference", "--params", "70B", "--accelerator", "nvidia-a10"};
  const Outcome words = run_program(arguments);
  CHECK(words.code == 1);
  CHECK(words.out.find("at least 130.4 of ") != std::string::npos);
  CHECK(words.out.find("DOES NOT FIT") != std::string::npos);
  const json memory = json::parse(run_program(with(arguments, {"--format", "json"})).out)["memory"];
  CHECK(memory["fits"] == false);
  CHECK(memory["at_least_gib"].get<double>() > 130);
  CHECK(memory["per_accelerator_gib"]["total"].is_null());
}
