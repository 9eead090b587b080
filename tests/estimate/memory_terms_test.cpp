// Single terms against values worked out by hand.
#include "catch.h"
#include "estimate/memory_lookup.h"
#include "estimate/memory_serve.h"
#include "estimate/memory_setup.h"
#include "estimate/memory_train.h"
#include "estimate/quantization.h"

using namespace gpuadvise;
using test::MemorySetup;

namespace {

const MemoryCalibration& calibration() { return builtin_knowledge().calibration.memory; }

// A setup with the plan that it refers to.
struct Training {
  TrainingMemoryPlan plan;
  TrainingSetup setup;
  explicit Training(const MemorySetup& s)
      : plan(training_memory_plan(s.workload, calibration())), setup(training_setup(plan, s.layout)) {}
};

std::string gpt(const std::string& training, const std::string& more = "") {
  // GPT-3's shape: 96 layers of 12288, 96 heads, 50257 words (Brown et al. 2020, table 2.1).
  return "task: llm-pretrain\nmodel: {params: 175e9, architecture: {layers: 96, hidden: 12288, intermediate: 49152, "
         "heads: 96, vocab: 50257, gated_mlp: false, tie_embeddings: true}}\ntraining: {method: full, precision: bf16, "
         "sequence_length: 2048, micro_batch: 1, framework: megatron, " +
         training + "}\nhardware: {accelerator: nvidia-a100-sxm4-80gb, accelerators_per_node: 8}\n" + more;
}

}  // namespace

TEST_CASE("attention scores without flash attention") {
  // 5 a s^2 b bytes a layer (Korthikanti et al. 2022, section 4.1): 5 x 96 x 2048^2 = 2.01e9.
  const MemorySetup s(gpt("flash_attention: false"));
  CHECK(attention_scores(Training(s).setup) == Approx(5.0 * 96 * 2048 * 2048));
  const MemorySetup flash(gpt("flash_attention: true"));
  CHECK(attention_scores(Training(flash).setup) == 0);
}

TEST_CASE("activations of a GPT layer stay near the published 34 s b h") {
  // Korthikanti et al. 2022, equation 1 without the scores: 34 s b h with dropout's two masks and three outputs (5 s b
  // h).
  const MemorySetup s(gpt("flash_attention: true"));
  const double sbh = 2048.0 * 12288;
  const double mine = layer_activations(Training(s).setup) / sbh;
  CHECK(mine > 29);
  CHECK(mine <= 35);
}

TEST_CASE("full checkpointing keeps two bytes a token, layer and hidden element") {
  const MemorySetup s(gpt("activation_checkpointing: full"));
  CHECK(kept_activations(Training(s).setup) == 2.0 * 2048 * 12288);
}

TEST_CASE("micro-batches in flight by schedule") {
  // One forward, one backward: p on the first stage, one on the last (Narayanan et al. 2021, section 2.2.1);
  // interleaved the first holds 1 + (p - 1) / (p v) of the layers (Korthikanti et al. 2022, section 4.2.3).
  MemorySetup s(gpt("global_batch: 512", "parallelism: {tensor: 8, pipeline: 8}\n"));
  CHECK(microbatches_in_flight(Training(s).setup, true) == 8);
  CHECK(microbatches_in_flight(Training(s).setup, false) == 1);
  s.layout.virtual_pipeline = 4;
  CHECK(microbatches_in_flight(Training(s).setup, true) == Approx(8 * (1 + 7.0 / 32)));
  s.layout.virtual_pipeline = 1;
  s.workload.profile.training.global_batch = 2;
  CHECK(microbatches_in_flight(Training(s).setup, true) == 2);
}

TEST_CASE("ZeRO divides states by stage") {
  // Rajbhandari et al. 2020, figure 1: 7.5e9 parameters on 64 cards take 120, 31.4, 16.6 and 1.9 GB.
  MemorySetup s(
      "task: llm-pretrain\nmodel: {params: 7.5e9}\ntraining: {method: full, precision: fp16, master_weights: fp32, "
      "optimizer: adamw, framework: hf-trainer}\nhardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  s.layout.data = 64;
  const double expected[] = {120, 31.4, 16.6, 1.9};
  for (int stage = 0; stage <= 3; ++stage) {
    s.layout.zero_stage = stage;
    const auto m = s.estimate();
    CHECK((m.weights + m.gradients + m.optimizer) * 1.073741824 == Approx(expected[stage]).epsilon(0.02));
  }
}

TEST_CASE("LoRA parameters") {
  // Llama-2-7B, rank 8 on query and value: 32 layers x 2 x 8 x (4096 + 4096) = 4194304 (Hu et al. 2021, section 4.2).
  const MemorySetup s(
      "task: llm-finetune\nmodel: {name: llama-2-7b}\ntraining: {method: lora, lora_rank: 8, lora_targets: [q_proj, "
      "v_proj]}\nhardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  CHECK(adapter_parameters(Training(s).setup) == 4194304);
}

TEST_CASE("bytes of a parameter in quantised formats") {
  // NF4: 4 bits and a 32-bit constant for 64 weights, 4.5 bits; double quantisation 4.127 (Dettmers et al. 2023, 3).
  CHECK(find_weight_format(calibration(), "nf4")->bytes == Approx(4.5 / 8));
  CHECK(find_weight_format(calibration(), "nf4-dq")->bytes == Approx(4.127 / 8).epsilon(0.001));
  // GPTQ and AWQ with groups of 128: 4 bits, 16-bit scale, 4-bit zero.
  CHECK(find_weight_format(calibration(), "gptq-int4")->bytes == Approx((4 + 20.0 / 128) / 8).epsilon(0.002));
  // ggml Q4_0: 18 bytes for 32 weights; whole files keep a head in 6 bits.
  CHECK(find_weight_format(calibration(), "q4_0")->bytes == Approx(18.0 / 32).epsilon(0.01));
}

TEST_CASE("quantised layers leave embedding and head in 16 bits") {
  const MemorySetup s(
      "task: llm-inference\nmodel: {name: qwen2.5-7b-instruct}\ninference: {weights: awq-int4, engine: transformers}\n"
      "hardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  const ServingMemoryPlan plan = serving_memory_plan(s.workload, calibration());
  const double tables = 2.0 * 152064 * 3584;
  CHECK(serving_weights(serving_setup(plan, s.layout)) ==
        Approx(tables * 2 + (s.workload.params - tables) * 0.52).epsilon(0.005));
}

TEST_CASE("a pooled engine takes its share of the card") {
  const MemorySetup s(
      "task: llm-inference\nmodel: {name: llama-3-8b}\ninference: {weights: bf16, engine: vllm, max_context: 8192, "
      "gpu_memory_utilization: 0.9}\nhardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  const auto m = s.estimate();
  CHECK(m.total == Approx(0.9 * s.machine.memory_gib));
  CHECK(m.fits);
}
