// Bad input gives one clear error that names its place, nothing on stdout and exit code 2, in little time and memory.
#include <algorithm>

#include "catch.h"
#include "run_program.h"

using namespace gpuadvise::test;

namespace {

// A second of processor time where the compiler optimises; 512 MiB of address space where no sanitizer wants more.
std::string limits() {
#ifdef NDEBUG
  std::string text = "ulimit -t 1";
#else
  std::string text = "ulimit -t 4";
#endif
#ifndef __SANITIZE_ADDRESS__
  text += "; ulimit -v 524288";
#endif
  return text;
}

const Words kFinetune = {"recommend", "--task", "llm-finetune"};
const Words kSeven = with(kFinetune, {"--params", "7B"});

// `parts` must all stand in the one line of the error.
void refused(const Words& arguments, const Words& parts, std::string_view input = {}) {
  std::string command;
  for (const auto& word : arguments) command += " " + word;
  INFO("gpuadvise" << command);
  const Outcome outcome = run_program(arguments, input, limits());
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("gpuadvise"));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK(outcome.err.size() < 1000);
  for (const auto& part : parts) {
    INFO(part);
    CHECK(outcome.err.find(part) != std::string::npos);
  }
}

// The same text wherever a person can hand in a file: as a profile, as a catalog over and in place of ours, as rules.
void refused_everywhere(std::string_view text, std::string_view suffix, const Words& parts, const std::string& place) {
  const TempFile file(text, suffix);
  const Words expected = with(parts, {file.path() + place});
  refused({"recommend", "--profile", file.path()}, expected);
  refused(with(kSeven, {"--catalog", file.path()}), expected);
  refused(with(kSeven, {"--catalog-only", file.path()}), expected);
  refused(with(kSeven, {"--rules", file.path()}), expected);
  refused({"catalog", "validate", file.path()}, expected);
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string alias_bomb(std::size_t padding) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 1; k < 10; ++k) text += ", " + last;
    text += "]\n";
  }
  return text + "padding: \"" + std::string(padding, 'x') + "\"\n";
}

}  // namespace

TEST_CASE("flags with values that mean nothing", "[bad-input]") {
  refused({"recommend"}, {"task", "is missing", "gpuadvise tasks"});
  refused({"recommend", "--task", "llm-finetun"}, {"--task: ", "unknown task", "did you mean \"llm-finetune\"?"});
  refused(with(kFinetune, {"--params", "banana"}), {"--params: ", "banana", "13B"});
  refused(with(kFinetune, {"--params", "-7B"}), {"--params: ", "-7B", "above zero"});
  refused(with(kFinetune, {"--params=-7B"}), {"--params: ", "-7B", "above zero"});
  refused(with(kFinetune, {"--params", "0"}), {"--params: ", "above zero"});
  refused(with(kFinetune, {"--params", "1e400"}), {"--params: ", "1e400"});
  refused(with(kFinetune, {"--params", "nan"}), {"--params: ", "nan"});
  refused(with(kFinetune, {"--params", "inf"}), {"--params: ", "inf"});
  refused(with(kFinetune, {"--params", "12"}), {"--params: ", "out of range", "1000"});
  refused(with(kFinetune, {"--params", ""}), {"--params: ", "empty"});
  refused(with(kFinetune, {"--params",
                           "7\xff"
                           "B"}),
          {"--params: ", "UTF-8"});
  refused(with(kSeven, {"--id", "\xc3\x28"}), {"--id: ", "UTF-8"});
  refused(with(kSeven, {"--method", "lorra"}), {"--method: ", "did you mean \"lora\"?"});
  refused(with(kSeven, {"--micro-batch", "1.5"}), {"--micro-batch: ", "whole number"});
  refused(with(kSeven, {"--sequence-length", "99999999999999999999"}), {"--sequence-length: "});
  refused(with(kSeven, {"--max-nodes", "0"}), {"--max-nodes: ", "out of range"});
  refused(with(kSeven, {"--top", "banana"}), {"--top", "banana"});
  refused(with(kSeven, {"--format", "xml"}), {"--format", "xml", "json"});
  refused(with(kSeven, {"--params", "8B"}), {"--params"});
  refused({"catalog", "list", "--min-memory", "nan"}, {"--min-memory"});
}

TEST_CASE("flags and commands that do not exist", "[bad-input]") {
  refused(with(kFinetune, {"--parms", "7B"}), {"unknown flag --parms", "--params"});
  refused({"estimate", "--acclerator", "x"}, {"unknown flag --acclerator", "--accelerator"});
  refused({"recommned"}, {"unknown command", "recommend"});
  refused({"tasks", "extra"}, {"unexpected argument", "extra"});
}

TEST_CASE("names that do not exist come with the nearest that do", "[bad-input]") {
  refused(with(kFinetune, {"--model", "lama-3-8b"}), {"--model: ", "nearest: ", "llama-3-8b"});
  refused(with(kSeven, {"--family", "gn7ii"}), {"--family: ", "nearest: ", "gn7i"});
  refused(with(kSeven, {"--vendor", "alibabba"}), {"--vendor: ", "did you mean \"alibaba\"?"});
  refused(with(kSeven, {"--instance", "gn10xp.2xlarge41"}), {"--instance: ", "nearest: ", "GN10Xp.2XLARGE40"});
  refused(with(kSeven, {"--accelerator", "a1000"}), {"--accelerator: ", "nearest: ", "a100"});
  refused(with(kSeven, {"--region", "cn-hangzuo"}),
          {"--region: ", "no region \"cn-hangzuo\"", "nearest: ", "cn-hangzhou"});
  refused(with(kSeven, {"--region", "cn-hangzhou,cn-x*"}), {"--region: ", "no region \"cn-x*\""});
  refused({"catalog", "list", "--region", "cn-hangzuo"}, {"--region: ", "did you mean \"cn-hangzhou\"?"});
  refused(with(kSeven, {"--currency", "CNX"}), {"--currency: ", "unknown currency \"CNX\"", "did you mean \"CNY\"?"});
  refused(with(kSeven, {"--currency", "yuan"}), {"--currency: ", "known: CNY, USD"});
  refused(with(kSeven, {"--charge-type", "ondemand"}), {"--charge-type: ", "did you mean \"on_demand\"?"});
  refused({"estimate", "--task", "llm-finetune", "--params", "7B", "--instance", "ecs.gn7e-c16g1.4xlargee"},
          {"--instance: ", "nearest: ", "ecs.gn7e-c16g1.4xlarge,"});
  refused({"catalog", "show", "gn6ee"}, {"nearest: ", "gn6e"});
  refused({"catalog", "show", "gn\xff"}, {"gn\\xff", "nearest: "});
}

TEST_CASE("profiles that contradict themselves", "[bad-input]") {
  refused({"recommend", "--task", "llm-inference", "--params", "7B", "--max-context", "100", "--input-tokens", "200"},
          {"--max-context: ", "100", "input_tokens + output_tokens"});
  refused(with(kSeven, {"--active-params", "9B"}), {"--active-params: ", "9B", "7B"});
  const Words qwen = {"recommend", "--task", "llm-inference", "--model", "qwen2.5-7b-instruct"};
  refused(with(qwen, {"--params", "70B"}), {"--params: ", "70B", "qwen2.5-7b"});
  refused(with(qwen, {"--params", "3B"}), {"--params: ", "3B", "qwen2.5-7b"});
  refused(with(qwen, {"--active-params", "70B"}), {"--active-params: ", "70B"});
  // A count of the published kind is no contradiction; of a diffusion model it is that of the denoising network.
  CHECK(run_program(with(qwen, {"--params", "7B"})).code == 0);
  CHECK(run_program({"recommend", "--task", "diffusion-inference", "--model", "sdxl", "--params", "2.6B"}).code == 0);
  refused(with(kSeven, {"--method", "qlora", "--base-weights", "bf16"}),
          {"--base-weights: ", "qlora", "4-bit", "bf16"});
  refused(with(kSeven, {"--min-headroom", "0.95"}), {"--min-headroom: ", "0.95", "0 to 0.9"});
  const Words a10 = {"estimate", "--task", "llm-inference", "--params", "7B", "--instance", "ecs.gn7i-c16g1.4xlarge"};
  refused(with(a10, {"--accelerator", "nvidia-h20-96gb"}), {"ecs.gn7i-c16g1.4xlarge", "nvidia-a10", "nvidia-h20-96gb"});
  refused(with(a10, {"--accelerators-per-node", "8"}), {"ecs.gn7i-c16g1.4xlarge", "carries 1", "not 8"});
  CHECK(run_program(with(a10, {"--accelerator", "a10", "--accelerators-per-node", "1"})).code == 0);
  const Words one_card = {"estimate", "--task", "llm-finetune", "--params", "7B", "--accelerator", "a100"};
  refused(with(one_card, {"--tensor", "16"}), {"parallelism", "16", "hardware has 1"});
  refused({"estimate", "--task", "llm-finetune", "--params", "7B"}, {"hardware", "--accelerator", "--instance"});
}

TEST_CASE("a profile's mistakes are named by line and column", "[bad-input]") {
  const auto profile = [](std::string_view text, std::string_view suffix, const std::string& place, Words parts) {
    const TempFile file(text, suffix);
    refused({"recommend", "--profile", file.path()}, with(std::move(parts), {file.path() + place}));
  };
  profile("task: llm-finetune\nmodel:\n  parms: 7B\n", ".yaml", ":3:3: ", {"parms", "did you mean \"params\"?"});
  profile("{\"task\": \"llm-finetune\",\n \"modle\": {}}", ".json", ":2:2: ", {"modle", "did you mean \"model\"?"});
  profile("task: llm-finetune\nmodel:\n  params: -7B\n", ".yaml", ":3:11: ", {"-7B"});
  profile("task: llm-finetune\nmodel:\n  params: 12\n", ".yaml", ":3:11: ", {"out of range"});
  profile("task: llm-finetun\n", ".yaml", ":1:7: ", {"did you mean"});
  profile("task: llm-finetune\ntask: hpc\n", ".yaml", ":2:1: ", {"twice"});
  profile("task: llm-inference\nmodel: {params: 7B}\ninference:\n  max_context: 100\n  input_tokens: 200\n", ".yaml",
          ":4:16: ", {"100"});
  profile("task: llm-finetune\nmodel: {params: 7B}\nconstraints:\n  currency: CNX\n", ".yaml",
          ":4:13: ", {"CNX", "did you mean \"CNY\"?"});
  profile("task: llm-finetune\nmodel: {params: 7B}\nconstraints:\n  regions: [cn-hangzuo]\n", ".yaml",
          ":4:12: ", {"cn-hangzuo", "nearest: ", "cn-hangzhou"});
  profile("task: llm-finetune\nmodel: {params: 7B}\noperations:\n  charge_type: spott\n", ".yaml",
          ":4:16: ", {"did you mean \"spot\"?"});
  profile("task: [llm-finetune]\n", ".yaml", ":1:7: ", {"expected text", "a list"});
  profile("", ".yaml", "", {"task", "is missing"});
}

TEST_CASE("files that are no documents", "[bad-input]") {
  refused_everywhere("task: [a\nb: {\n", ".yaml", {}, ":2:");
  refused_everywhere("{\"task\": \"a\",\n  \"b\": }", ".json", {"syntax error"}, ":2:8: ");
  refused_everywhere("task: &a [*a]\n", ".yaml", {"alias"}, ":1:11: ");
  refused_everywhere("task: a\nid: \"\xff\xfe\"\n", ".yaml", {"UTF-8"}, ":2:6: ");
  refused_everywhere("\xff\xfet\0", ".yaml", {"UTF-16"}, ":1:1: ");
}

TEST_CASE("directories, missing files and empty catalogs", "[bad-input]") {
  for (const char* flag : {"--profile", "--rules", "--catalog", "--catalog-only"}) {
    refused(with(kSeven, {flag, "/no/such/file"}), {"/no/such/file: ", "no such file"});
  }
  refused({"recommend", "--profile", "/tmp"}, {"/tmp: is a directory"});
  refused({"estimate", "--batch", "/tmp"}, {"/tmp: is a directory"});
  refused({"estimate", "--batch", "/no/such/file"}, {"/no/such/file: ", "no such file"});
  const TempFile none("families: []\n", ".yaml");
  refused(with(kSeven, {"--catalog-only", none.path()}), {none.path(), "no families"});
  const TempFile empty("", ".yaml");
  refused(with(kSeven, {"--catalog-only", empty.path()}), {empty.path(), "expected a map"});
}

TEST_CASE("documents made to exhaust a reader", "[bad-input]") {
  refused_everywhere(alias_bomb(0), ".yaml", {"aliases"}, ":");
  refused_everywhere(alias_bomb(std::size_t{50} << 20U), ".yaml", {"longer than 16 MiB"}, ": ");
  const std::string text = "a: &a \"" + std::string(1 << 20, 'x') + "\"\nb: [" + repeated("*a, ", 50'000) + "]\n";
  refused_everywhere(text, ".yaml", {"aliases"}, ":2:");
  constexpr std::size_t kDeep = 100'000;
  refused_everywhere(repeated("[", kDeep) + repeated("]", kDeep), ".json", {"nested more than"}, ":1:");
  refused_everywhere(repeated("{\"a\":", kDeep) + "1" + repeated("}", kDeep), ".json", {"nested more than"}, ":1:");
  refused_everywhere("a: " + repeated("[", kDeep) + repeated("]", kDeep), ".yaml", {"nested more than"}, ":1:");
  refused_everywhere(repeated("- ", kDeep) + "x", ".yaml", {"nested more than"}, ":1:");
  refused_everywhere(repeated("? ", kDeep) + "x", ".yaml", {}, ":1:");
}

TEST_CASE("a word that only the calibration knows is not guessed at", "[bad-input]") {
  const auto refused = [](const Words& words, const std::string& flag, const std::string& near) {
    INFO(flag);
    const Outcome outcome = run_program(words);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(flag + ": ") != std::string::npos);
    CHECK(outcome.err.find(near) != std::string::npos);
  };
  const Words serving = {"recommend", "--task", "llm-inference", "--params", "7B"};
  const Words tuning = {"recommend", "--task", "llm-finetune", "--params", "7B", "--method", "full"};
  refused(with(serving, {"--weights", "fp17"}), "--weights", "fp16");
  refused(with(serving, {"--kv-cache", "banana"}), "--kv-cache", "unknown \"banana\"");
  refused(with(tuning, {"--optimizer", "adamww"}), "--optimizer", "did you mean \"adamw\"");
  const TempFile profile("task: llm-inference\nmodel: {params: 7B}\ninference:\n  weights: fp17\n", ".yaml");
  refused({"recommend", "--profile", profile.path()}, profile.path() + ":4:12", "fp16");
}

TEST_CASE("an engine that was never measured is said to be so", "[bad-input]") {
  const Outcome outcome = run_program({"recommend", "--task", "llm-inference", "--params", "7B", "--engine", "vlm"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.find("inference.engine") != std::string::npos);
  CHECK(outcome.err.find("vllm") != std::string::npos);
  CHECK(run_program({"recommend", "--task", "llm-inference", "--params", "7B", "--engine", "sglang"}).err.empty());
}

TEST_CASE("a batch answers each bad line and goes on", "[bad-input]") {
  constexpr std::size_t kDeep = 100'000;
  const std::string good =
      "{\"id\": \"good\", \"task\": \"llm-finetune\", \"model\": {\"params\": \"7B\"}, "
      "\"hardware\": {\"accelerator\": \"nvidia-a100-sxm4-80gb\"}}\n";
  const TempFile file(repeated("[", kDeep) + "\n" + "{\"id\": \"b\", \"task\": \"nope\"}\n" + "banana\n\n" +
                          std::string(std::size_t{2} << 20U, ' ') + "x\n" + "{\"id\": \"\xff\"}\n" + good,
                      ".jsonl");
  const Outcome outcome = run_program({"estimate", "--batch", file.path()}, {}, limits());
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  std::vector<std::string> lines;
  std::istringstream out(outcome.out);
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  REQUIRE(lines.size() == 6);
  const auto says = [&](std::size_t i, const std::string& part) {
    INFO(lines[i]);
    CHECK(lines[i].find(part) != std::string::npos);
  };
  says(0, file.path() + ":1:65: nested more than");
  says(1, file.path() + ":2:21: task: unknown task");
  says(1, "\"id\":\"b\",\"line\":2");
  says(2, file.path() + ":3:1: ");
  says(3, file.path() + ":5: longer than 1 MiB");
  says(4, file.path() + ":6:9: not valid UTF-8");
  says(5, "\"id\":\"good\"");
  CHECK(lines[5].find("\"error\"") == std::string::npos);
}

// Not an error: the question was clear, and the answer is no.
TEST_CASE("when nothing fits, the answer says what was closest and what would be enough", "[bad-input]") {
  const Words words = {"recommend", "--task", "llm-finetune", "--params", "175B",
                       "--method",  "full",   "--max-nodes",  "1"};
  const Outcome table = run_program(words);
  CHECK(table.code == 1);
  CHECK(table.err.empty());
  CHECK(table.out.find("Nothing in the catalog") != std::string::npos);
  CHECK(table.out.find("Nearest miss: ") != std::string::npos);
  CHECK(table.out.find("--method lora") != std::string::npos);
  const Outcome json = run_program(with(words, {"--format", "json"}));
  CHECK(json.code == 1);
  CHECK(json.out.find("\"recommendations\": []") != std::string::npos);
  CHECK(json.out.find("\"change\": \"--method lora\"") != std::string::npos);
  // And what it says is true.
  CHECK(run_program({"recommend", "--task", "llm-finetune", "--params", "175B", "--method", "lora", "--max-nodes", "1"})
            .code == 0);
}
