// What is known to fit and what is known not to, each from a source that people run into.
#include "catch.h"
#include "estimate/memory_setup.h"

using gpuadvise::test::memory_of;
using gpuadvise::test::MemorySetup;

namespace {

std::string train(const std::string& model, const std::string& method, const std::string& card,
                  const std::string& more = "") {
  return "task: llm-finetune\nmodel: {name: " + model + "}\ntraining: {method: " + method +
         ", precision: bf16, sequence_length: 2048, micro_batch: 1, lora_rank: 16, activation_checkpointing: full}\n"
         "hardware: {accelerator: " +
         card + "}\n" + more;
}

std::string serve(const std::string& model, const std::string& weights, const std::string& card, int cards,
                  const std::string& more = "") {
  return "task: llm-inference\nmodel: {name: " + model + "}\ninference: {weights: " + weights +
         ", engine: vllm, concurrency: 1, " + more + "}\nparallelism: {tensor: " + std::to_string(cards) +
         "}\nhardware: {accelerator: " + card + ", accelerators_per_node: " + std::to_string(cards) + "}\n";
}

}  // namespace

TEST_CASE("13B in 16 bits does not serve from one A10, 7B with 4k context does") {
  CHECK_FALSE(memory_of(serve("baichuan2-13b", "fp16", "nvidia-a10", 1, "input_tokens: 512, output_tokens: 512")).fits);
  CHECK(
      memory_of(serve("qwen2.5-7b-instruct", "bf16", "nvidia-a10", 1, "input_tokens: 3072, output_tokens: 1024")).fits);
}

TEST_CASE("LoRA of a 14B in bf16 does not fit one A10, QLoRA does") {
  CHECK_FALSE(memory_of(train("qwen2.5-14b-instruct", "lora", "nvidia-a10")).fits);
  CHECK(memory_of(train("qwen2.5-14b-instruct", "qlora", "nvidia-a10")).fits);
}

TEST_CASE("DeepSeek-V3 in FP8 needs about 83 GB a card on eight cards") {
  const auto eighty =
      memory_of(serve("deepseek-v3", "fp8", "nvidia-h800-sxm-80gb", 8, "input_tokens: 1024, output_tokens: 256"));
  // 671e9 parameters in one byte over 8 cards: 83.9 GB = 78.1 GiB; embedding and head stay in 16 bits.
  CHECK(eighty.weights == Approx(78.3).epsilon(0.015));
  CHECK_FALSE(eighty.fits);
  CHECK(memory_of(serve("deepseek-v3", "fp8", "nvidia-h20-96gb", 8, "input_tokens: 1024, output_tokens: 256")).fits);
}

TEST_CASE("405B in bf16 needs more than one machine with 8 x 80 GB") {
  CHECK_FALSE(
      memory_of(serve("llama-3.1-405b", "bf16", "nvidia-h100-sxm5-80gb", 8, "input_tokens: 1024, output_tokens: 256"))
          .fits);
}

TEST_CASE("full fine-tuning of a 7B with Adam in mixed precision has 112 GB of states") {
  // 16 bytes a parameter: 2 + 2 + 4 + 8 (Rajbhandari et al. 2020, section 3.1); 7e9 x 16 = 112e9 bytes = 104.3 GiB.
  const auto m = memory_of(
      "task: llm-finetune\nmodel: {params: 7e9}\ntraining: {method: full, precision: bf16, master_weights: fp32, "
      "optimizer: adamw, micro_batch: 1, sequence_length: 512, activation_checkpointing: full}\n"
      "hardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  CHECK(m.weights + m.gradients + m.optimizer == Approx(104.3).epsilon(0.01));
  CHECK_FALSE(m.fits);
}

TEST_CASE("two 16 GB cards under plain data parallel are not 32 GB") {
  const std::string card = "nvidia-v100-pcie-16gb";
  const auto one = memory_of(train("qwen2.5-7b-instruct", "lora", card));
  const auto two = memory_of(train("qwen2.5-7b-instruct", "lora", card, "parallelism: {data: 2}\n"));
  CHECK(two.required >= one.required);
  CHECK_FALSE(two.fits);
  // On one card of 32 GB the same run has room.
  CHECK(memory_of(train("qwen2.5-7b-instruct", "lora", "nvidia-v100-pcie-32gb")).fits);
}

TEST_CASE("ZeRO-3 LoRA of a 72B on 8 x 64 GB fits, without ZeRO-3 it does not") {
  const std::string with = "parallelism: {data: 8, zero_stage: 3}\n";
  const std::string without = "parallelism: {data: 8, zero_stage: 0}\n";
  CHECK(memory_of(train("qwen2.5-72b-instruct", "lora", "huawei-ascend-910b3", with)).fits);
  CHECK_FALSE(memory_of(train("qwen2.5-72b-instruct", "lora", "huawei-ascend-910b3", without)).fits);
}
