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

namespace {

std::string eight_billion(const std::string& training, const std::string& more = "") {
  return "task: llm-finetune\nmodel: {name: llama-3.1-8b}\ntraining: {method: full, precision: bf16, sequence_length: "
         "2048, "
         "micro_batch: 1, " +
         training + "}\nhardware: {accelerator: nvidia-a100-sxm4-80gb, accelerators_per_node: 8}\n" + more;
}

// Llama-3.1-8B: 32 layers, a table and a head of 128256 x 4096 each, 8.03e9 parameters.
constexpr double kTable = 128256.0 * 4096;
constexpr double kBody = 8.0303e9 - 2 * kTable;

}  // namespace

TEST_CASE("logits at the loss") {
  // Megatron keeps 16-bit logits, an fp32 copy and its softmax and gradient: 12 bytes a token and word.
  const MemorySetup s(gpt("global_batch: 8"));
  CHECK(logits_memory(Training(s).setup) == Approx(12.0 * 2048 * 50257));
  const MemorySetup fused(eight_billion("framework: hf-trainer, fused_loss: liger"));
  CHECK(logits_memory(Training(fused).setup) == Approx(0.5 * 2048 * 128256));
  MemorySetup split(gpt("global_batch: 8"));
  split.layout.tensor = 8;
  CHECK(logits_memory(Training(split).setup) == Approx(12.0 * 2048 * 50257 / 8));
}

TEST_CASE("a pipeline stage has its layers, the first the table, the last the head") {
  MemorySetup s(eight_billion("framework: megatron"));
  s.layout.pipeline = 4;
  const Training t(s);
  const StageParameters first = stage_parameters(t.setup, true, false);
  const StageParameters last = stage_parameters(t.setup, false, true);
  CHECK(first.layers == 8);
  CHECK(first.dense == Approx(kBody / 4).epsilon(1e-3));
  CHECK(first.embedding == kTable);
  CHECK(first.head == 0);
  CHECK(last.embedding == 0);
  CHECK(last.head == kTable);
  SECTION("a tied head is a copy of the table on the last stage") {
    MemorySetup tied(gpt("global_batch: 8"));
    tied.layout.pipeline = 8;
    CHECK(stage_parameters(Training(tied).setup, false, true).head == 50257.0 * 12288);
  }
}

TEST_CASE("expert parallelism divides the experts, nothing else") {
  MemorySetup s(
      "task: llm-pretrain\nmodel: {name: mixtral-8x7b}\ntraining: {framework: megatron}\n"
      "hardware: {accelerator: nvidia-h100-sxm5-80gb, accelerators_per_node: 8}\n");
  s.layout.data = 8;
  const StageParameters whole = stage_parameters(Training(s).setup, true, true);
  s.layout.expert = 8;
  const StageParameters split = stage_parameters(Training(s).setup, true, true);
  // 32 layers of 8 experts of 3 x 4096 x 14336 (Jiang et al. 2024).
  CHECK(whole.experts == Approx(32 * 8 * 3 * 4096.0 * 14336).epsilon(0.001));
  CHECK(split.experts == Approx(whole.experts / 8));
  CHECK(split.dense == whole.dense);
}

TEST_CASE("context parallelism divides the tokens") {
  MemorySetup s(eight_billion("framework: megatron"));
  const double one = Training(s).setup.tokens;
  s.layout.context = 4;
  CHECK(Training(s).setup.tokens == one / 4);
}

TEST_CASE("weights gathered under ZeRO-3") {
  MemorySetup s(eight_billion("framework: deepspeed"));
  s.layout.data = 8;
  CHECK(gathered_weights(Training(s).setup, stage_parameters(Training(s).setup, true, true)) == 0);
  s.layout.zero_stage = 3;
  // stage3_max_live_parameters is 1e9 by default (DeepSpeed configuration reference), in 16 bits.
  CHECK(gathered_weights(Training(s).setup, stage_parameters(Training(s).setup, true, true)) == 2e9);
  // FSDP: the layer at work, the one prefetched, and the larger table.
  MemorySetup fsdp(eight_billion("framework: torchtitan"));
  fsdp.layout.data = 8;
  fsdp.layout.zero_stage = 3;
  CHECK(gathered_weights(Training(fsdp).setup, stage_parameters(Training(fsdp).setup, true, true)) ==
        Approx(2 * (2 * kBody / 32 + kTable)).epsilon(1e-3));
}

TEST_CASE("buckets are bounded by the gradients that pass through them") {
  MemorySetup s(eight_billion("framework: deepspeed"));
  CHECK(communication_buckets(Training(s).setup, stage_parameters(Training(s).setup, true, true)) == 0);
  s.layout.data = 8;
  CHECK(communication_buckets(Training(s).setup, stage_parameters(Training(s).setup, true, true)) == 4 * kGib);
  MemorySetup small(
      "task: llm-pretrain\nmodel: {name: pythia-160m}\ntraining: {framework: deepspeed}\n"
      "hardware: {accelerator: nvidia-a100-sxm4-80gb, accelerators_per_node: 8}\n");
  small.layout.data = 8;
  CHECK(communication_buckets(Training(small).setup, stage_parameters(Training(small).setup, true, true)) ==
        Approx(4 * small.workload.params).epsilon(0.01));
}

TEST_CASE("a 16-bit step without master weights makes temporaries of its update") {
  const auto temporaries = [](const std::string& training) {
    const MemorySetup s(eight_billion("framework: hf-trainer, " + training));
    const Training t(s);
    return step_temporaries(t.setup, stage_parameters(t.setup, true, true));
  };
  CHECK(temporaries("master_weights: none, optimizer: adamw") == Approx(2 * 8.0303e9).epsilon(1e-3));
  CHECK(temporaries("master_weights: none, optimizer: adamw-8bit") == 0);
  CHECK(temporaries("master_weights: fp32, optimizer: adamw") == 0);
}

TEST_CASE("adapters carry their gradient and two moments in their own precision") {
  const MemorySetup s(
      "task: llm-finetune\nmodel: {name: llama-2-7b}\ntraining: {method: lora, lora_rank: 8, lora_targets: [q_proj, "
      "v_proj], optimizer: adamw, framework: hf-trainer}\nhardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  // fp32 adapters: 4 + 4 + 8 bytes.
  CHECK(adapter_states(Training(s).setup) == 4194304.0 * 16);
}

TEST_CASE("one forward pass of serving") {
  const MemorySetup s(
      "task: llm-inference\nmodel: {name: llama-3.1-8b}\ninference: {engine: transformers, input_tokens: 1000, "
      "output_tokens: 10, concurrency: 4}\nhardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  const ServingMemoryPlan plan = serving_memory_plan(s.workload, calibration());
  const ServingSetup setup = serving_setup(plan, s.layout);
  CHECK(plan.prefill_tokens == 4000);
  // 8 h + the larger of 6 f and 8 q, in bytes a token: h 4096, f 14336, q 4096.
  CHECK(serving_workspace(setup, 4000) == 4000.0 * (8 * 4096 + 6 * 14336));
  // Logits of the last token: 16 bits and an fp32 copy.
  CHECK(serving_logits(setup) == 4.0 * 6 * 128256);
  CHECK(quantised_scratch(setup) == 0);
  CHECK(serving_scores(setup) == 0);
}

TEST_CASE("GPTQ kernels hold the largest matrix and rows of its input in 16 bits") {
  const MemorySetup s(
      "task: llm-inference\nmodel: {name: llama-3.1-8b}\ninference: {engine: transformers, weights: gptq-int4}\n"
      "hardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  const ServingMemoryPlan plan = serving_memory_plan(s.workload, calibration());
  CHECK(quantised_scratch(serving_setup(plan, s.layout)) == 2.0 * 14336 * (4096 + 2048));
}

TEST_CASE("an encoder-decoder of speech has tokens of two kinds") {
  // Whisper-medium: 24 encoder layers of 1500 positions, 24 decoder layers of at most 448 (Radford et al. 2022).
  const MemorySetup s(
      "task: speech-training\nmodel: {name: whisper-medium}\ntraining: {micro_batch: 1}\n"
      "hardware: {accelerator: nvidia-a100-sxm4-40gb}\n");
  const Training t(s);
  CHECK(t.setup.tokens == (1500 + 448) / 2.0);
  CHECK(t.setup.tokens * t.plan.head_share == Approx(448));
  // Self-attention in both, and the decoder's to the encoder.
  CHECK(t.plan.shape.attention_share == 1.5);
}
