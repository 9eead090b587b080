// Estimates of one workload on many machines and layouts: the same answers as one by one, and no allocation.
#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <vector>

#include "gpuadvise/estimator.h"

#include "catch.h"
#include "estimate/memory_setup.h"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* at = std::malloc(size)) return at;
  throw std::bad_alloc();
}
// std::stable_sort asks with this one, and gives back by the same operator delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }  // NOLINT
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }

using namespace gpuadvise;
using test::MemorySetup;

namespace {

const std::vector<std::string>& workloads() {
  static const std::vector<std::string> all{
      "task: llm-pretrain\nmodel: {name: deepseek-v3}\ntraining: {framework: megatron, sequence_length: 4096}\n",
      "task: llm-finetune\nmodel: {name: qwen2.5-7b-instruct}\ntraining: {method: lora, lora_targets: [q_proj, "
      "v_proj]}\n",
      "task: llm-finetune\nmodel: {name: llama-3.1-8b}\ntraining: {method: qlora, framework: ms-swift}\n",
      "task: llm-inference\nmodel: {name: deepseek-r1}\ninference: {engine: sglang, weights: fp8}\n",
      "task: llm-inference\nmodel: {name: gemma-2-9b}\ninference: {engine: transformers, weights: awq-int4}\n",
      "task: diffusion-training\nmodel: {name: sdxl}\ntraining: {method: lora}\n",
      "task: diffusion-inference\nmodel: {name: flux.1-dev}\n",
      "task: cv-training\nmodel: {name: resnet-50}\n",
      "task: speech-inference\nmodel: {name: whisper-large-v3}\n",
      "task: rendering\n"};
  return all;
}

std::vector<Placement> placements(const Machine& machine) {
  std::vector<Placement> out;
  for (const int tensor : {1, 2, 8}) {
    for (const int pipeline : {1, 4}) {
      for (const int data : {1, 8}) {
        for (const int stage : {0, 3}) {
          for (const auto degree : {Checkpointing::none, Checkpointing::full}) {
            Layout layout;
            layout.tensor = tensor;
            layout.pipeline = pipeline;
            layout.data = data;
            layout.zero_stage = stage;
            layout.micro_batch = data;
            layout.checkpointing = degree;
            out.push_back({&machine, layout});
          }
        }
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a batch answers as one estimate after the other does") {
  const Calibration& calibration = builtin_knowledge().calibration;
  for (const auto& text : workloads()) {
    INFO(text);
    const MemorySetup s(text + "hardware: {accelerator: nvidia-a100-sxm4-80gb, accelerators_per_node: 8}\n");
    const Estimator estimator(s.workload, calibration);
    const std::vector<Placement> asked = placements(s.machine);
    std::vector<MemoryEstimate> many(asked.size());
    estimator.memory(asked, many);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const MemoryEstimate one = estimate_memory(s.workload, s.machine, asked[i].layout, calibration);
      CHECK(many[i].known == one.known);
      CHECK(many[i].why == one.why);
      CHECK(many[i].fits == one.fits);
      CHECK(many[i].total == one.total);
      CHECK(many[i].required == one.required);
      const SpeedEstimate speed = estimator.speed(s.machine, asked[i].layout);
      CHECK(speed.step_seconds == estimate_speed(s.workload, s.machine, asked[i].layout, calibration).step_seconds);
    }
  }
}

TEST_CASE("memory estimates of a batch allocate nothing") {
  for (const auto& text : workloads()) {
    INFO(text);
    const MemorySetup s(text + "hardware: {accelerator: nvidia-a100-sxm4-80gb, accelerators_per_node: 8}\n");
    const Estimator estimator(s.workload, builtin_knowledge().calibration);
    const std::vector<Placement> asked = placements(s.machine);
    std::vector<MemoryEstimate> out(asked.size());
    const long before = allocations;
    estimator.memory(asked, out);
    const long after = allocations;
    CHECK(after == before);
  }
  // The counter counts: the vector above is seen by it.
  const long before = allocations;
  const std::vector<int> one(1000);
  CHECK(allocations > before);
  CHECK(one.size() == 1000);
}

TEST_CASE("a batch needs as many results as placements") {
  const MemorySetup s("task: llm-inference\nmodel: {name: llama-3.1-8b}\nhardware: {accelerator: nvidia-a10}\n");
  const Estimator estimator(s.workload, builtin_knowledge().calibration);
  const std::vector<Placement> asked = placements(s.machine);
  std::vector<MemoryEstimate> out(asked.size() - 1);
  CHECK_THROWS_AS(estimator.memory(asked, out), std::invalid_argument);
}
