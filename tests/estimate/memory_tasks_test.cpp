// Memory of the tasks that are no language models, at the batches of their presets and at published ones.
#include "catch.h"
#include "estimate/memory_setup.h"

using gpuadvise::MemoryEstimate;
using gpuadvise::test::memory_of;

namespace {

std::string on(const std::string& card) { return "hardware: {accelerator: " + card + "}\n"; }

// PyTorch Image Models measured its training speed on a card of 24 GB under automatic mixed precision, channels last,
// with the largest of the batches 512, 384, 256, ... that ran: benchmark-train-amp-nhwc-pt112-cu113-rtx3090.csv.
MemoryEstimate image(const std::string& model, int batch) {
  return memory_of("task: cv-training\nmodel: {name: " + model + "}\ntraining: {precision: fp16, micro_batch: " +
                   std::to_string(batch) + "}\n" + on("nvidia-rtx-3090-24gb"));
}

// Hugging Face's Whisper fine-tuning event, recommended batch sizes: AdamW, fp16, gradient checkpointing.
MemoryEstimate whisper(const std::string& size, int batch, const std::string& card) {
  return memory_of("task: speech-training\nmodel: {name: whisper-" + size +
                   "}\ntraining: {method: full, precision: fp16, optimizer: adamw, framework: hf-trainer, "
                   "activation_checkpointing: full, micro_batch: " +
                   std::to_string(batch) + "}\n" + on(card));
}

}  // namespace

TEST_CASE("ResNets train with the batches that ran on 24 GB, and not with the next larger") {
  CHECK(image("resnet-18", 512).fits);
  CHECK(image("resnet-50", 512).fits);
  CHECK(image("resnet-101", 256).fits);
  CHECK_FALSE(image("resnet-101", 384).fits);
  CHECK(image("efficientnet-b0", 512).fits);
  CHECK(image("mobilenetv2", 512).fits);
  CHECK(image("vgg-16", 256).fits);
}

TEST_CASE("ResNet-50 at its preset takes a few GiB") {
  // 11.11e6 outputs, each kept twice in 16 bits: 42.4 MiB an image, 5.3 GiB for 128.
  const MemoryEstimate m = memory_of("task: cv-training\n" + on("nvidia-t4"));
  CHECK(m.activations == Approx(5.3).epsilon(0.01));
  CHECK(m.fits);
  // Twice the side, four times the pixels.
  const MemoryEstimate large =
      memory_of("task: cv-training\ntraining: {resolution: \"448\"}\n" + on("nvidia-a100-sxm4-80gb"));
  CHECK(large.activations == Approx(4 * m.activations));
  CHECK(memory_of("task: cv-inference\n" + on("nvidia-t4")).activations < 0.5);
}

TEST_CASE("a model whose activations nobody published has no estimate") {
  const MemoryEstimate m = memory_of("task: cv-training\nmodel: {name: yolov8n}\n" + on("nvidia-t4"));
  CHECK_FALSE(m.known);
  CHECK(m.why == "memory/no-activations");
}

TEST_CASE("parameters are a lower bound where activations are unknown") {
  const auto bound = [](const std::string& rest) {
    const MemoryEstimate m = memory_of(rest + on("nvidia-a10"));
    CHECK_FALSE(m.known);
    return m;
  };
  // 70e9 parameters in 16 bits are 130.4 GiB; training adds gradients and, in AdamW, 12 bytes of master copy and
  // moments.
  const double weights = 70e9 * 2 / 1073741824;
  for (const auto* task : {"cv-inference", "embedding-inference"}) {
    const MemoryEstimate m = bound(std::string("task: ") + task + "\nmodel: {params: 70B}\n");
    CHECK(m.at_least == Approx(weights).epsilon(0.001));
    CHECK(m.cannot_fit());
  }
  const std::string training = "task: cv-training\nmodel: {params: 70B}\ntraining: {method: full, optimizer: adamw}\n";
  CHECK(bound(training).at_least == Approx(8 * weights).epsilon(0.001));
  CHECK(bound(training + "parallelism: {data: 8}\n").at_least == Approx(8 * weights).epsilon(0.001));
  CHECK(bound(training + "parallelism: {data: 8, zero_stage: 3}\n").at_least == Approx(weights).epsilon(0.001));
  CHECK(bound("task: speech-training\nmodel: {params: 70B}\ntraining: {method: lora}\n").at_least < 1.1 * weights);
  // A recommender's rows are shared by all cards whatever the stage: fp32 rows and their moments.
  const std::string tables = "task: recsys-training\nmodel: {params: 70B}\n";
  CHECK(bound(tables).at_least > weights);
  CHECK(bound(tables + "parallelism: {data: 8}\n").at_least == Approx(bound(tables).at_least / 8));
  // The size of the task's own model excludes no card.
  const MemoryEstimate small = bound("task: cv-training\nmodel: {name: yolov8n}\n");
  CHECK(small.at_least > 0);
  CHECK_FALSE(small.cannot_fit());
}

TEST_CASE("embedding tables of a recommender are spread over the cards") {
  const std::string one = "task: recsys-training\n" + on("nvidia-a100-sxm4-80gb");
  // MLPerf's tables are 97.31 GiB in fp32 (GitHub mlcommons/inference, dlrm_v2): more than one card has.
  const MemoryEstimate whole = memory_of(one);
  CHECK(whole.weights == Approx(97.31).epsilon(0.02));
  CHECK_FALSE(whole.fits);
  // 10,976 outputs of a sample, each kept twice in 16 bits: 43 KiB, 2.7 GiB for 65,536 samples.
  CHECK(whole.activations == Approx(2.68).epsilon(0.01));
  const MemoryEstimate shared = memory_of(one + "parallelism: {data: 8}\n");
  CHECK(shared.weights == Approx(whole.weights / 8).epsilon(0.01));
  CHECK(shared.fits);
  // Neural collaborative filtering on MovieLens: a million samples a step on one V100 (NVIDIA DeepLearningExamples).
  CHECK(memory_of("task: recsys-training\nmodel: {name: ncf-ml-20m}\ntraining: {optimizer: adam, precision: fp16, "
                  "micro_batch: 1048576}\n" +
                  on("nvidia-v100-sxm2-16gb"))
            .fits);
}

TEST_CASE("Whisper trains with the batches that Hugging Face recommends") {
  CHECK(whisper("small", 64, "nvidia-a100-sxm4-40gb").fits);
  CHECK(whisper("medium", 32, "nvidia-a100-sxm4-40gb").fits);
  CHECK(whisper("small", 16, "nvidia-v100-sxm2-16gb").fits);
  CHECK(whisper("medium", 2, "nvidia-v100-sxm2-16gb").fits);
  // "Small or medium ... the large checkpoint" is not among those for 16 GB: 1.54e9 x 16 bytes are 23 GiB of states.
  CHECK_FALSE(whisper("large-v3", 1, "nvidia-v100-sxm2-16gb").fits);
  const MemoryEstimate m = memory_of("task: speech-training\n" + on("nvidia-a100-sxm4-80gb"));
  CHECK(m.fits);
}

TEST_CASE("diffusion pipelines take what was measured, decoding included") {
  // Hugging Face, "Exploring simple optimizations for SDXL": four images of 1024 x 1024 at once on an A100 take 21.7 GB
  // in fp16; the 28.1 GB in fp32 have twice the weights and the same fp32 decoder.
  const MemoryEstimate four = memory_of(
      "task: diffusion-inference\ninference: {weights: fp16, concurrency: 4, resolution: "
      "\"1024x1024\"}\n" +
      on("nvidia-a100-sxm4-40gb"));
  CHECK(four.allocated == Approx(21.72e9 / 1073741824).epsilon(0.05));
  const MemoryEstimate wide = memory_of(
      "task: diffusion-inference\ninference: {weights: fp32, concurrency: 4, resolution: "
      "\"1024x1024\"}\n" +
      on("nvidia-a100-sxm4-40gb"));
  CHECK(wide.allocated == Approx(28.1e9 / 1073741824).epsilon(0.1));
  CHECK(memory_of("task: diffusion-inference\n" + on("nvidia-a10")).fits);
  CHECK(memory_of("task: diffusion-training\n" + on("nvidia-a10")).fits);
}

TEST_CASE("an encoder keeps no cache") {
  const MemoryEstimate m = memory_of("task: embedding-inference\n" + on("nvidia-t4"));
  CHECK(m.kv_cache == 0);
  CHECK(m.logits == 0);
  CHECK(m.fits);
  // bge-m3 has 568e6 parameters: 1.06 GiB in 16 bits.
  CHECK(m.weights == Approx(568e6 * 2 / 1073741824).epsilon(0.01));
}
