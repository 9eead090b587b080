// What must hold whatever the constants.
#include <vector>

#include "catch.h"
#include "estimate/kv_cache.h"
#include "estimate/memory_setup.h"

using namespace gpuadvise;
using test::MemorySetup;

namespace {

const std::vector<std::string>& frameworks() {
  static const std::vector<std::string> names{"hf-trainer", "deepspeed", "megatron", "ms-swift", "torchtune",
                                              "torchtitan", "litgpt",    "axolotl",  "nanotron", "nobody-knows-it"};
  return names;
}

std::string training(const std::string& framework, const std::string& method = "full") {
  return "task: llm-finetune\nmodel: {name: llama-3.1-8b}\ntraining: {method: " + method +
         ", precision: bf16, sequence_length: 2048, micro_batch: 2, global_batch: 64, lora_rank: 16, framework: " +
         framework + "}\nhardware: {accelerator: nvidia-a100-sxm4-80gb, accelerators_per_node: 8}\n";
}

double total(const MemorySetup& s) { return s.estimate().allocated; }

}  // namespace

TEST_CASE("QLoRA needs no more than LoRA, LoRA no more than full training") {
  for (const auto& f : frameworks()) {
    INFO(f);
    const double qlora = total(MemorySetup(training(f, "qlora")));
    const double lora = total(MemorySetup(training(f, "lora")));
    CHECK(qlora <= lora);
    CHECK(lora <= total(MemorySetup(training(f, "full"))));
  }
}

TEST_CASE("training memory grows with length, batch and rank") {
  for (const auto& f : frameworks()) {
    for (const auto* method : {"full", "lora", "qlora"}) {
      for (const auto checkpointing : {Checkpointing::none, Checkpointing::selective, Checkpointing::full}) {
        INFO(f << " " << method);
        MemorySetup s(training(f, method));
        s.layout.checkpointing = checkpointing;
        double before = 0;
        for (const int length : {128, 512, 2048, 8192, 32768}) {
          s.workload.profile.training.sequence_length = length;
          CHECK(total(s) >= before);
          before = total(s);
        }
        s.workload.profile.training.sequence_length = 2048;
        before = 0;
        for (const int batch : {1, 2, 4, 8, 16}) {
          s.layout.micro_batch = batch;
          CHECK(total(s) >= before);
          before = total(s);
        }
        s.layout.micro_batch = 1;
        before = 0;
        for (const int rank : {1, 8, 64, 256}) {
          s.workload.profile.training.lora_rank = rank;
          CHECK(total(s) >= before);
          before = total(s);
        }
      }
    }
  }
}

TEST_CASE("tensor parallelism, ZeRO stages and checkpointing never need more") {
  for (const auto& f : frameworks()) {
    INFO(f);
    MemorySetup s(training(f));
    double before = 1e9;
    for (const int tensor : {1, 2, 4, 8}) {
      s.layout.tensor = tensor;
      CHECK(total(s) <= before);
      before = total(s);
    }
    s.layout.tensor = 1;
    s.layout.data = 8;
    before = 1e9;
    for (const int stage : {0, 1, 2, 3}) {
      s.layout.zero_stage = stage;
      CHECK(total(s) <= before);
      before = total(s);
    }
    s.layout.zero_stage = 0;
    before = 1e9;
    for (const auto c : {Checkpointing::none, Checkpointing::selective, Checkpointing::full}) {
      s.layout.checkpointing = c;
      CHECK(total(s) <= before);
      before = total(s);
    }
  }
}

TEST_CASE("pipeline stages never need more, though more micro-batches are in flight") {
  for (const auto& f : frameworks()) {
    for (const auto c : {Checkpointing::none, Checkpointing::selective, Checkpointing::full}) {
      INFO(f);
      MemorySetup s(training(f));
      s.layout.checkpointing = c;
      double before = 1e9;
      for (const int stages : {1, 2, 4, 8}) {
        s.layout.pipeline = stages;
        CHECK(total(s) <= before);
        before = total(s);
      }
    }
  }
}

TEST_CASE("the items add up to the total, in every class") {
  for (const auto& f : frameworks()) {
    for (const auto* method : {"full", "lora", "qlora"}) {
      INFO(f << " " << method);
      const MemorySetup s(training(f, method));
      CHECK(s.items() == Approx(s.estimate().total));
    }
  }
  for (const auto* engine : {"vllm", "sglang", "transformers", "tensorrt-llm", "llama.cpp", "lmdeploy", "unheard-of"}) {
    INFO(engine);
    const MemorySetup s(std::string("task: llm-inference\nmodel: {name: llama-3.1-8b}\ninference: {engine: ") + engine +
                        ", input_tokens: 1000, output_tokens: 200, concurrency: 4}\n"
                        "hardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
    CHECK(s.items() == Approx(s.estimate().total));
    CHECK(s.estimate().total >= s.estimate().weights);
  }
}

TEST_CASE("serving memory grows with context and concurrency, and falls with tensor parallelism") {
  MemorySetup s(
      "task: llm-inference\nmodel: {name: llama-3.1-8b}\ninference: {engine: vllm, input_tokens: 1000, "
      "output_tokens: 200, concurrency: 4, max_context: 1200}\nhardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  double before = 0;
  for (const int tokens : {256, 1024, 8192, 65536}) {
    s.workload.profile.inference.input_tokens = tokens;
    s.workload.profile.inference.max_context = tokens + 200;
    CHECK(total(s) >= before);
    before = total(s);
  }
  before = 0;
  for (const double users : {1.0, 8.0, 64.0, 512.0}) {
    s.workload.profile.inference.concurrency = users;
    CHECK(total(s) >= before);
    before = total(s);
  }
  before = 1e9;
  for (const int tensor : {1, 2, 4, 8}) {
    s.layout.tensor = tensor;
    CHECK(total(s) <= before);
    before = total(s);
  }
}

TEST_CASE("a mixture of experts is resident with all its parameters") {
  const auto m = test::memory_of(
      "task: llm-inference\nmodel: {name: mixtral-8x7b}\ninference: {weights: bf16, engine: transformers, "
      "input_tokens: 10, output_tokens: 10, concurrency: 1}\nhardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  CHECK(m.weights == Approx(46.7e9 * 2 / 1073741824.0).epsilon(0.005));
}

TEST_CASE("the cache is tokens times bytes per token, plus what does not grow") {
  Architecture a;
  a.layers = 32;
  a.hidden = 4096;
  a.heads = 32;
  a.kv_heads = 8;
  a.head_dim = 128;
  const KvCache c = kv_cache(a, 2, 1, 1);
  // Llama-3-8B: 32 layers x 2 x 8 x 128 x 2 bytes = 131072 bytes a token.
  CHECK(c.per_token == 131072);
  CHECK(c.bytes(3, 1000, 1) == 3 * 1000 * c.per_token);
  CHECK(c.bytes(1, 1, 16) == 16 * c.per_token);  // whole pages
  SECTION("heads are copied where there are more cards than heads") {
    CHECK(kv_cache(a, 2, 8, 1).per_token == 131072 / 8);
    CHECK(kv_cache(a, 2, 16, 1).per_token == 131072 / 8);
  }
  SECTION("the latent of MLA is on every card") {
    a.mla = {1536, 512, 128, 64, 128};
    CHECK(kv_cache(a, 2, 8, 1).per_token == 32 * 576 * 2);
  }
  SECTION("a window bounds its layers") {
    a.sliding_window = 1024;
    CHECK(kv_cache(a, 2, 1, 1).bytes(1, 100000, 1) == 1024 * 131072.0);
  }
}

TEST_CASE("what a server holds is its cache a token times the tokens, and a part that does not grow") {
  MemorySetup s(
      "task: llm-inference\nmodel: {name: llama-3.1-8b}\ninference: {engine: transformers, input_tokens: 16, "
      "output_tokens: 1000, concurrency: 3}\nhardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
  constexpr double kGibibyte = 1073741824;
  // 131072 bytes a token, see below.
  const auto cache = [&] { return s.estimate().kv_cache; };
  CHECK(cache() == Approx(3 * 1016 * 131072.0 / kGibibyte));
  const double rest = s.estimate().allocated - cache();
  for (const int tokens : {2000, 8000, 30000}) {
    s.workload.profile.inference.output_tokens = tokens;
    s.workload.profile.inference.max_context = tokens + 16;
    CHECK(cache() == Approx(3 * (tokens + 16) * 131072.0 / kGibibyte));
    CHECK(s.estimate().allocated - cache() == Approx(rest));
  }
}

TEST_CASE("a longer context that one sequence may grow to never needs less") {
  for (const auto* engine : {"vllm", "transformers", "llama.cpp", "sglang", "lmdeploy", "nobody-knows-it"}) {
    for (const auto* share : {"", ", gpu_memory_utilization: 0.9"}) {
      INFO(engine << share);
      MemorySetup s("task: llm-inference\nmodel: {name: llama-3.1-8b}\ninference: {engine: " + std::string(engine) +
                    ", input_tokens: 1024, output_tokens: 256, concurrency: 16" + share +
                    "}\nhardware: {accelerator: nvidia-a10}\n");
      // Absent, it is what the lengths come to.
      CHECK(s.workload.profile.inference.max_context == 1280);
      double before = s.estimate().required;
      const double least = before;
      for (const int most : {1281, 2000, 20480, 131072, 1000000}) {
        s.workload.profile.inference.max_context = most;
        const MemoryEstimate m = s.estimate();
        CHECK(m.required >= before);
        before = m.required;
      }
      // A million tokens of 128 KiB are 122 GiB.
      CHECK(before > least + 100);
      CHECK_FALSE(s.estimate().fits);
    }
  }
}

TEST_CASE("a framework or engine that no class knows carries the widest band") {
  const MemoryCalibration& c = builtin_knowledge().calibration.memory;
  const auto width = [](const MemoryBand& b) { return b.high_percent - b.low_percent; };
  for (const auto& band : c.bands) {
    if (band.name == "general") continue;
    for (const auto& general : c.bands) {
      if (general.task != band.task || general.name != "general") continue;
      INFO(band.name);
      CHECK(width(general) >= width(band));
    }
  }
  const auto known = MemorySetup(training("torchtune")).estimate();
  const auto unknown = MemorySetup(training("nobody-knows-it")).estimate();
  CHECK(unknown.band_high_percent - unknown.band_low_percent > known.band_high_percent - known.band_low_percent);
}

TEST_CASE("memory is never below the weights") {
  for (const auto& model : builtin_knowledge().catalog.models) {
    if (!model.architecture || (model.kind != ModelKind::llm && model.kind != ModelKind::vlm)) continue;
    INFO(model.id);
    const MemorySetup s("task: llm-inference\nmodel: {name: " + std::string(model.id) +
                        "}\ninference: {weights: bf16, engine: transformers, input_tokens: 100, output_tokens: 10}\n"
                        "hardware: {accelerator: nvidia-a100-sxm4-80gb}\n");
    const MemoryEstimate m = s.estimate();
    if (!m.known) continue;
    CHECK(m.weights >= 0.98 * 2 * model.params / 1073741824);
    CHECK(m.required >= m.weights);
    CHECK(m.total >= m.weights);
  }
}
