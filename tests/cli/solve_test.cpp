// `gpuadvise estimate --solve`: the value and what the next one would need, as table and JSON, in both languages.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

using gpuadvise::test::Outcome;
using gpuadvise::test::run_program;
using gpuadvise::test::with;
using gpuadvise::test::Words;
using nlohmann::json;

namespace {

const Words kServe = {"estimate", "--task", "llm-inference", "--model", "llama-3.1-8b", "--engine", "vllm"};
const Words kOnA10 = with(kServe, {"--accelerator", "nvidia-a10"});
const Words kTrain = {"estimate", "--task",        "llm-finetune",         "--model", "llama-3.1-8b",
                      "--method", "lora",          "--precision",          "bf16",    "--activation-checkpointing",
                      "full",     "--accelerator", "nvidia-a100-sxm4-80gb"};

json solved(const Words& arguments, int code = 0) {
  const Outcome outcome = run_program(with(arguments, {"--format", "json"}));
  INFO(outcome.err);
  CHECK(outcome.code == code);
  return json::parse(outcome.out);
}

// Whether the profile with the setting fits, as `estimate` without --solve says.
bool fits(const Words& arguments) {
  const Outcome outcome = run_program(with(arguments, {"--format", "json"}));
  INFO(outcome.err);
  CHECK(outcome.code <= 1);
  return json::parse(outcome.out)["memory"]["fits"].get<bool>();
}

std::string text(const json& value) { return std::to_string(value.get<long>()); }

}  // namespace

TEST_CASE("the solved value fits and the next one does not, asked again without --solve", "[cli][solve]") {
  const json batch = solved(with(kTrain, {"--sequence-length", "2048", "--solve", "max-micro-batch"}));
  const json& b = batch["solve"];
  CHECK(b["for"] == "max-micro-batch");
  CHECK(b["bounded"] == true);
  CHECK(b["beyond"]["value"] == b["value"].get<long>() + 1);
  CHECK(b["beyond"]["required_gib"].get<double>() > b["beyond"]["limit_gib"].get<double>());
  CHECK(batch["layout"]["micro_batch"] == b["value"]);
  CHECK(batch["memory"]["fits"] == true);
  CHECK(fits(with(kTrain, {"--sequence-length", "2048", "--micro-batch", text(b["value"])})));
  CHECK_FALSE(fits(with(kTrain, {"--sequence-length", "2048", "--micro-batch", text(b["beyond"]["value"])})));

  const json length = solved(with(kTrain, {"--micro-batch", "1", "--solve", "max-context"}))["solve"];
  CHECK(fits(with(kTrain, {"--micro-batch", "1", "--sequence-length", text(length["value"])})));
  CHECK_FALSE(fits(with(kTrain, {"--micro-batch", "1", "--sequence-length", text(length["beyond"]["value"])})));

  const json users = solved(with(kOnA10, {"--input-tokens", "1000", "--output-tokens", "200", "--max-context", "1200",
                                          "--solve", "max-concurrency"}))["solve"];
  const Words load = with(kOnA10, {"--input-tokens", "1000", "--output-tokens", "200", "--max-context", "1200"});
  CHECK(fits(with(load, {"--concurrency", text(users["value"])})));
  CHECK_FALSE(fits(with(load, {"--concurrency", text(users["beyond"]["value"])})));
}

TEST_CASE("one sequence of the full context must fit", "[cli][solve]") {
  const Words on_a10 = {"estimate",     "--task",     "llm-inference",         "--model",
                        "llama-3.1-8b", "--instance", "ecs.gn7i-c16g1.4xlarge"};
  CHECK(fits(with(on_a10, {"--max-context", "2000"})));
  CHECK_FALSE(fits(with(on_a10, {"--max-context", "131072"})));
  const Outcome words = run_program(with(on_a10, {"--max-context", "131072"}));
  CHECK(words.code == 1);
  CHECK(words.out.find("one sequence of the full context") != std::string::npos);
  // What --solve finds fits when it is asked for.
  const json length = solved(with(kOnA10, {"--concurrency", "1", "--solve", "max-context"}))["solve"];
  CHECK(fits(with(kOnA10, {"--concurrency", "1", "--max-context", text(length["value"])})));
  CHECK_FALSE(
      fits(with(kOnA10, {"--concurrency", "1", "--max-context", std::to_string(length["value"].get<long>() * 2)})));
  const auto cards = [](const std::string& most) {
    const Outcome outcome =
        run_program({"recommend", "--task", "llm-inference", "--model", "llama-3.1-8b", "--max-context", most,
                     "--instance", "ecs.gn7i-c16g1.4xlarge", "--format", "json"});
    return outcome.code;
  };
  CHECK(cards("2000") == 0);
  CHECK(cards("131072") == 1);
}

TEST_CASE("the fewest accelerators", "[cli][solve]") {
  const Words large = {"estimate",
                       "--task",
                       "llm-inference",
                       "--model",
                       "llama-3.1-405b",
                       "--engine",
                       "vllm",
                       "--weights",
                       "bf16",
                       "--concurrency",
                       "1",
                       "--accelerator",
                       "nvidia-h100-sxm5-80gb"};
  const json value = solved(with(large, {"--solve", "min-accelerators"}));
  CHECK(value["solve"]["value"] == 16);
  CHECK(value["solve"]["beyond"]["value"] == 8);
  CHECK(value["layout"]["tensor"] == 8);
  CHECK(value["layout"]["pipeline"] == 2);
}

TEST_CASE("the answer in words, in both languages", "[cli][solve]") {
  const Words question = with(kOnA10, {"--concurrency", "4", "--solve", "max-context"});
  const Outcome english = run_program(question);
  CHECK(english.code == 0);
  CHECK(english.out.rfind("largest context that fits: ", 0) == 0);
  CHECK(english.out.find(" tokens; ") != std::string::npos);
  CHECK(english.out.find(" would need ") != std::string::npos);
  CHECK(english.out.find("memory") != std::string::npos);
  const Outcome chinese = run_program(with(question, {"--lang", "zh"}));
  CHECK(chinese.out.rfind("能放下的最大上下文：", 0) == 0);
}

TEST_CASE("nothing fits: no value, what the least would need, exit code 1", "[cli][solve]") {
  const Words question = {"estimate",  "--task",        "llm-inference", "--model", "llama-3.1-70b",
                          "--weights", "bf16",          "--engine",      "vllm",    "--concurrency",
                          "1",         "--accelerator", "nvidia-a10",    "--solve", "max-context"};
  const json value = solved(question, 1);
  CHECK(value["solve"]["value"].is_null());
  CHECK(value["solve"]["beyond"]["value"] == 1);
  CHECK(value["memory"]["fits"] == false);
  const Outcome words = run_program(question);
  CHECK(words.code == 1);
  CHECK(words.out.find("none, nothing that was tried fits") != std::string::npos);
}

TEST_CASE("questions that make no sense are refused", "[cli][solve]") {
  const auto refused = [](const Words& arguments, const std::string& part) {
    const Outcome outcome = run_program(arguments);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(part) != std::string::npos);
  };
  refused(with(kOnA10, {"--solve", "max-everything"}), "max-everything");
  refused(with(kOnA10, {"--concurrency", "4", "--solve", "max-concurrency"}), "--concurrency");
  refused(with(kOnA10, {"--solve", "max-micro-batch"}), "llm-inference has no max-micro-batch");
  refused({"estimate", "--task", "rendering", "--accelerator", "nvidia-a10", "--solve", "max-context"}, "rendering");
  refused(with(kServe, {"--solve", "max-context"}), "accelerator");
  refused({"estimate", "--batch", "-", "--solve", "max-context"}, "--batch");
}
