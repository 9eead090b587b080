// What must hold for any workload, whatever the constants were fitted to.
#include <array>

#include "catch.h"
#include "estimate/serving_batch.h"
#include "estimate/serving_speed.h"
#include "serving_cases.h"

using namespace gpuadvise;
using test::calibration;

namespace {

constexpr auto kCards = std::to_array<std::string_view>(
    {"nvidia-t4", "nvidia-a10", "nvidia-l20", "nvidia-v100-sxm2-32gb", "nvidia-a100-sxm4-80gb", "nvidia-h20-96gb",
     "nvidia-h100-sxm5-80gb", "nvidia-h200-sxm-141gb", "nvidia-b200", "huawei-ascend-910b3"});
constexpr auto kEngines = std::to_array<std::string_view>(
    {"vllm", "sglang", "tensorrt-llm", "lmdeploy", "llama.cpp", "transformers", "mindie", "an engine nobody measured"});

SpeedEstimate speed(const Workload& w, const Machine& m, const Layout& l = {}) {
  return estimate_serving_speed(w, m, l, calibration());
}

double best_half_rate(const Accelerator& a) {
  return std::max({a.peak.bf16.value_or(0), a.peak.fp16.value_or(0), a.peak.fp32.value_or(0)}) * 1e12;
}

}  // namespace

TEST_CASE("never above the roofline", "[serving]") {
  for (const auto id : kCards) {
    const Machine m = test::machine(id);
    const double bandwidth = *m.accelerator->memory_bandwidth_gb_per_s * 1e9;
    for (const auto engine : kEngines) {
      for (const int batch : {1, 4, 32, 256}) {
        for (const auto& architecture : {test::llama_8b(), test::moe_30b()}) {
          Workload w = test::serve(architecture, engine);
          w.profile.inference.concurrency = batch;
          const auto s = speed(w, m);
          INFO(id << " " << engine << " batch " << batch);
          REQUIRE(s.known);
          const auto count = count_parameters(w.architecture);
          // Decode: the weights that every token visits are read once a pass, and each token is computed.
          const double once =
              count.active - count.embedding - count.routed_experts * (w.architecture.experts > 0 ? 0.0 : 1.0);
          const double read = 2 * (w.architecture.experts > 0 ? count.active - count.embedding : once) / bandwidth;
          const double computed = 2 * (count.active - count.embedding) * batch / best_half_rate(*m.accelerator);
          CHECK(*s.tpot_ms * 1e-3 >= std::max(read, computed) * 0.999);
          // Prefill: every token of every prompt is computed.
          const double prompt = 2 * (count.active - count.embedding - count.head) * 1024.0 * batch;
          CHECK(*s.ttft_ms * 1e-3 >= prompt / best_half_rate(*m.accelerator));
        }
      }
    }
  }
}

TEST_CASE("a faster link never slows", "[serving]") {
  for (const auto& architecture : {test::llama_70b(), test::moe_30b()}) {
    for (const int batch : {1, 64}) {
      Workload w = test::serve(architecture);
      w.profile.inference.concurrency = batch;
      double before = 0;
      for (const double link : {16.0, 32.0, 64.0, 128.0, 300.0, 600.0, 900.0, 1800.0}) {
        Machine m = test::machine("nvidia-a100-sxm4-80gb", 8, LinkKind::pcie);
        m.link_gb_per_s = link;
        const double now = *speed(w, m, test::tensor(8)).output_tokens_per_second;
        CHECK(now >= before);
        before = now;
      }
      const Machine nvlink = test::machine("nvidia-a100-sxm4-80gb", 8);
      CHECK(*speed(w, nvlink, test::tensor(8)).output_tokens_per_second > before * 0.999);
    }
  }
}

TEST_CASE("a lower precision that the card computes in never slows", "[serving]") {
  for (const auto id :
       {"nvidia-l20", "nvidia-h100-sxm5-80gb", "nvidia-h200-sxm-141gb", "nvidia-h20-96gb", "nvidia-b200"}) {
    for (const auto engine : {"vllm", "sglang", "tensorrt-llm"}) {
      for (const int batch : {1, 16, 128}) {
        for (const int input : {128, 4096}) {
          Workload half = test::serve(test::llama_8b(), engine, "bf16");
          half.profile.inference.concurrency = batch;
          half.profile.inference.input_tokens = input;
          Workload eight = half;
          eight.profile.inference.weights = "fp8";
          INFO(id << " " << engine << " batch " << batch << " input " << input);
          const auto a = speed(half, test::machine(id));
          const auto b = speed(eight, test::machine(id));
          CHECK(*b.output_tokens_per_second >= *a.output_tokens_per_second);
          CHECK(*b.ttft_ms <= *a.ttft_ms);
        }
      }
    }
  }
}

TEST_CASE("a longer context never raises speed", "[serving]") {
  for (const auto engine : kEngines) {
    double output = 1e12;
    double first = 0;
    for (const int input : {1, 100, 1000, 4000, 16000, 64000}) {
      Workload w = test::serve(test::llama_8b(), engine);
      w.profile.inference.input_tokens = input;
      const auto s = speed(w, test::machine("nvidia-h100-sxm5-80gb"));
      INFO(engine << " " << input);
      CHECK(*s.output_tokens_per_second <= output);
      CHECK(*s.ttft_ms >= first);
      output = *s.output_tokens_per_second;
      first = *s.ttft_ms;
    }
  }
}

TEST_CASE("more requests in flight: more tokens in all, none faster for each", "[serving]") {
  for (const auto mode : {ServingMode::batch_static, ServingMode::online}) {
    for (const auto engine : {"vllm", "tensorrt-llm", "sglang"}) {
      double output = 0;
      double each = 0;
      for (const double users : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
        Workload w = test::serve(test::llama_8b(), engine);
        w.profile.inference.mode = mode;
        w.profile.inference.concurrency = users;
        const auto s = speed(w, test::machine("nvidia-a100-sxm4-80gb"));
        INFO(engine << " " << users);
        CHECK(*s.output_tokens_per_second >= output);
        CHECK(*s.tpot_ms >= each * 0.999);
        output = *s.output_tokens_per_second;
        each = *s.tpot_ms;
      }
    }
  }
}

TEST_CASE("replicas add up", "[serving]") {
  Workload w = test::serve(test::llama_8b());
  w.profile.inference.concurrency = 8;
  const auto one = speed(w, test::machine("nvidia-a10"));
  Layout four;
  four.data = 4;
  const auto all = speed(w, test::machine("nvidia-a10", 4, LinkKind::pcie), four);
  CHECK(*all.output_tokens_per_second == Approx(4 * *one.output_tokens_per_second));
  CHECK(*all.ttft_ms == Approx(*one.ttft_ms));
}

TEST_CASE("prefix cache and accepted drafts only help", "[serving]") {
  Workload w = test::serve(test::llama_8b());
  w.profile.inference.mode = ServingMode::online;
  w.profile.inference.concurrency = 8;
  w.profile.inference.input_tokens = 4096;
  const auto plain = speed(w, test::machine("nvidia-a100-sxm4-80gb"));
  w.profile.inference.prefix_cache_hit_rate = 0.8;
  const auto cached = speed(w, test::machine("nvidia-a100-sxm4-80gb"));
  CHECK(*cached.ttft_ms < *plain.ttft_ms);
  CHECK(*cached.output_tokens_per_second > *plain.output_tokens_per_second);
  w.profile.inference.speculative_acceptance = 2.5;
  const auto drafted = speed(w, test::machine("nvidia-a100-sxm4-80gb"));
  CHECK(*drafted.tpot_ms < *cached.tpot_ms);
  CHECK(*drafted.tpot_ms > *cached.tpot_ms / 2.5);
}

TEST_CASE("an open loop below capacity serves what arrives, and above it says so", "[serving]") {
  Workload w = test::serve(test::llama_8b());
  const auto plan = make_serving_plan(w, test::machine("nvidia-a100-sxm4-80gb"), Layout{}, calibration());
  const auto request = serving_request(w.profile.inference);
  const double most = saturated(plan, request, plan.max_requests).requests_per_second;
  double ttft = 0;
  for (const double share : {0.1, 0.3, 0.6, 0.9, 0.99}) {
    const auto at = open_loop(plan, request, most * share);
    REQUIRE(at.fits);
    CHECK(at.requests_per_second == Approx(most * share));
    CHECK(at.ttft >= ttft);
    ttft = at.ttft;
  }
  CHECK_FALSE(open_loop(plan, request, most * 1.01).fits);
}

TEST_CASE("unknown stays unknown", "[serving]") {
  Workload w = test::serve(test::llama_8b());
  Machine none = test::machine("nvidia-a10");
  none.accelerator = nullptr;
  CHECK(speed(w, none).why == "speed/no-accelerator");
  Accelerator blank = test::accelerator("nvidia-a10");
  blank.memory_bandwidth_gb_per_s.reset();
  Machine m = test::machine("nvidia-a10");
  m.accelerator = &blank;
  CHECK(speed(w, m).why == "speed/unknown-bandwidth");
  w.has_architecture = false;
  CHECK(speed(w, test::machine("nvidia-a10")).why == "speed/no-architecture");
}
