// The largest and smallest settings that fit: the value fits, the next one does not.
#include "gpuadvise/error.h"
#include "gpuadvise/solve.h"

#include "catch.h"
#include "estimate/memory_setup.h"

using namespace gpuadvise;
using test::MemorySetup;

namespace {

std::string training(const std::string& method) {
  return "task: llm-finetune\nmodel: {name: llama-3.1-8b}\ntraining: {method: " + method +
         ", precision: bf16, sequence_length: 2048, lora_rank: 16, framework: hf-trainer, activation_checkpointing: "
         "full}\nhardware: {accelerator: nvidia-a100-sxm4-80gb}\n";
}

std::string serving(const std::string& model, const std::string& more) {
  return "task: llm-inference\nmodel: {name: " + model +
         "}\ninference: {engine: vllm, input_tokens: 1000, output_tokens: 200, " + more +
         "}\nhardware: {accelerator: nvidia-a100-sxm4-80gb, accelerators_per_node: 8}\n";
}

Solution largest(SolveFor what, const MemorySetup& s) {
  return solve(what, {s.workload, s.machine, s.layout}, builtin_knowledge().calibration, 100'000'000);
}

bool fits(SolveFor what, const MemorySetup& s, std::int64_t value) {
  const auto run = with_value({s.workload, s.machine, s.layout}, what, value);
  REQUIRE(run);
  return estimate_memory(run->workload, run->machine, run->layout, builtin_knowledge().calibration).fits;
}

ProfileSolution solved(SolveFor what, std::string_view yaml) {
  static base::Arena arena;  // the answer looks into it
  return solve(what, read_profile(base::parse_yaml(yaml, "test"), arena, "test"), builtin_knowledge());
}

}  // namespace

TEST_CASE("a largest value fits and the next one does not") {
  for (const auto& [what, yaml] :
       {std::pair(SolveFor::max_context, training("lora")), std::pair(SolveFor::max_micro_batch, training("qlora")),
        std::pair(SolveFor::max_context, serving("llama-3.1-8b", "concurrency: 16")),
        std::pair(SolveFor::max_concurrency, serving("llama-3.1-8b", "max_context: 1200"))}) {
    INFO(yaml);
    const MemorySetup s(yaml);
    const Solution found = largest(what, s);
    REQUIRE(found.value);
    CHECK(found.bounded);
    CHECK(found.beyond == *found.value + 1);
    CHECK(found.memory.fits);
    CHECK_FALSE(found.beyond_memory.fits);
    CHECK(fits(what, s, *found.value));
    CHECK_FALSE(fits(what, s, *found.value + 1));
  }
}

TEST_CASE("requests that must all run at once are not let to wait") {
  // With its share of the card stated the engine starts whatever the concurrency; the question is who has room.
  const MemorySetup s(serving("llama-3.1-8b", "max_context: 1200, gpu_memory_utilization: 0.9"));
  const Solution found = largest(SolveFor::max_concurrency, s);
  REQUIRE(found.value);
  CHECK(found.bounded);
  // 0.9 of 79.3 GiB less 15 GiB of weights and a little workspace; 1200 tokens of 128 KiB are 150 MiB a sequence.
  CHECK(*found.value > 350);
  CHECK(*found.value < 390);
}

TEST_CASE("the fewest accelerators hold the model, half as many do not") {
  MemorySetup s(serving("llama-3.1-70b", "concurrency: 4"));
  const Solution cards = largest(SolveFor::min_accelerators, s);
  // 70.6e9 parameters in 16 bits are 131 GiB: two cards of 80 GB at the engine's share of 0.9 hold them.
  CHECK(cards.value == 2);
  CHECK(cards.beyond == 1);
  CHECK(cards.layout.tensor == 2);
  // 405e9 parameters in 16 bits are 755 GiB, more than eight cards have; the second machine takes a pipeline stage.
  const MemorySetup large(serving("llama-3.1-405b", "concurrency: 1"));
  const Solution more = largest(SolveFor::min_accelerators, large);
  CHECK(more.value == 16);
  CHECK(more.layout.tensor == 8);
  CHECK(more.layout.pipeline == 2);
}

TEST_CASE("attention heads that the cards do not divide are not cut") {
  // Qwen2.5-7B has 28 heads: four cards share them, eight are two pipeline stages of four.
  const MemorySetup s(serving("qwen2.5-7b-instruct", "concurrency: 1"));
  const auto run = with_value({s.workload, s.machine, s.layout}, SolveFor::min_accelerators, 8);
  REQUIRE(run);
  CHECK(run->layout.tensor == 4);
  CHECK(run->layout.pipeline == 2);
}

TEST_CASE("full training spreads its states over ZeRO-3 ranks until they fit") {
  const ProfileSolution found = solved(SolveFor::min_accelerators, training("full"));
  // 8.03e9 parameters x 16 bytes are 120 GiB of states: two cards of 80 GB hold half each, one does not hold them.
  CHECK(found.solution.value == 2);
  CHECK(found.at.layout.zero_stage == 3);
  CHECK(found.at.layout.data == 2);
  CHECK(found.at.machine.accelerators_per_node == 2);
  CHECK(found.at.estimate.memory.fits);
  CHECK(found.at.estimate.speed.known);
}

TEST_CASE("where nothing fits the answer is none, and what the least value needs") {
  const ProfileSolution found = solved(SolveFor::max_context,
                                       "task: llm-inference\nmodel: {name: llama-3.1-70b}\ninference: {engine: vllm, "
                                       "weights: bf16, concurrency: 1}\nhardware: {accelerator: nvidia-a10}\n");
  CHECK_FALSE(found.solution.value);
  CHECK(found.solution.memory.known);
  CHECK_FALSE(found.solution.memory.fits);
  CHECK(found.solution.beyond == 1);
}

TEST_CASE("what a profile states or a task does not have is not solved for") {
  CHECK_THROWS_AS(solved(SolveFor::max_concurrency, serving("llama-3.1-8b", "concurrency: 4")), InputError);
  CHECK_THROWS_AS(solved(SolveFor::max_micro_batch, serving("llama-3.1-8b", "concurrency: 4")), InputError);
  CHECK_THROWS_AS(solved(SolveFor::max_concurrency, training("lora")), InputError);
  CHECK_THROWS_AS(solved(SolveFor::max_context, training("lora")), InputError);  // states sequence_length
  CHECK_THROWS_AS(solved(SolveFor::max_context, "task: rendering\nhardware: {accelerator: nvidia-a10}\n"), InputError);
}
