// Named cases: what practitioners know of one card, engine or format against another.
#include <vector>

#include "gpuadvise/serving.h"

#include "catch.h"
#include "estimate/serving_lookup.h"
#include "estimate/serving_speed.h"
#include "serving_cases.h"

using namespace gpuadvise;
using test::calibration;

namespace {

SpeedEstimate speed(const Workload& w, std::string_view card, int cards = 1, LinkKind link = LinkKind::nvlink) {
  return estimate_serving_speed(w, test::machine(card, cards, link), test::tensor(cards), calibration());
}

}  // namespace

TEST_CASE("H20 beats A100 in decode and loses in prefill", "[serving]") {
  for (const auto engine : {"vllm", "sglang", "tensorrt-llm"}) {
    for (const int batch : {1, 16}) {
      Workload w = test::serve(test::llama_8b(), engine);
      w.profile.inference.concurrency = batch;
      w.profile.inference.input_tokens = 4096;
      const auto h20 = speed(w, "nvidia-h20-96gb");
      const auto a100 = speed(w, "nvidia-a100-sxm4-80gb");
      INFO(engine << " batch " << batch);
      CHECK(*h20.tpot_ms < *a100.tpot_ms);
      CHECK(*h20.ttft_ms > *a100.ttft_ms);
    }
  }
}

TEST_CASE("weight-only 4 bit helps decode, not prefill", "[serving]") {
  Workload half = test::serve(test::llama_8b());
  half.profile.inference.input_tokens = 8192;
  Workload four = half;
  four.profile.inference.weights = "awq-int4";
  for (const auto card : {"nvidia-a10", "nvidia-a100-sxm4-80gb", "nvidia-l20"}) {
    CHECK(*speed(four, card).tpot_ms < 0.75 * *speed(half, card).tpot_ms);
    CHECK(*speed(four, card).ttft_ms > *speed(half, card).ttft_ms);
  }
}

TEST_CASE("FP8 on a card without it is storage, not speed of prefill", "[serving]") {
  Workload half = test::serve(test::llama_8b());
  half.profile.inference.input_tokens = 8192;
  Workload eight = half;
  eight.profile.inference.weights = "fp8";
  CHECK(*speed(eight, "nvidia-a100-sxm4-80gb").ttft_ms >= 0.999 * *speed(half, "nvidia-a100-sxm4-80gb").ttft_ms);
  CHECK(*speed(eight, "nvidia-h100-sxm5-80gb").ttft_ms < 0.75 * *speed(half, "nvidia-h100-sxm5-80gb").ttft_ms);
}

TEST_CASE("tensor parallel over PCIe pays at small batch what NVLink does not", "[serving]") {
  const Workload w = test::serve(test::llama_70b());
  const auto pcie = speed(w, "nvidia-a100-sxm4-80gb", 8, LinkKind::pcie);
  const auto nvlink = speed(w, "nvidia-a100-sxm4-80gb", 8);
  CHECK(*pcie.tpot_ms > 1.5 * *nvlink.tpot_ms);
}

TEST_CASE("a mixture of experts reads few experts alone and all of them in a crowd", "[serving]") {
  Workload w = test::serve(test::moe_30b());
  const double one = *speed(w, "nvidia-h100-sxm5-80gb").tpot_ms;
  w.profile.inference.concurrency = 128;
  const double crowd = *speed(w, "nvidia-h100-sxm5-80gb").tpot_ms;
  CHECK(crowd > 2 * one);
  Workload dense = test::serve(test::llama_8b());
  const double dense_one = *speed(dense, "nvidia-h100-sxm5-80gb").tpot_ms;
  dense.profile.inference.concurrency = 128;
  CHECK(crowd / one > *speed(dense, "nvidia-h100-sxm5-80gb").tpot_ms / dense_one);
}

TEST_CASE("eager Transformers is bound by the host for small models", "[serving]") {
  const Workload eager = test::serve(test::llama_8b(), "transformers");
  const double a100 = *speed(eager, "nvidia-a100-sxm4-80gb").tpot_ms;
  const double h100 = *speed(eager, "nvidia-h100-sxm5-80gb").tpot_ms;
  CHECK(h100 == Approx(a100).epsilon(0.1));
  CHECK(*speed(test::serve(test::llama_8b(), "vllm"), "nvidia-a100-sxm4-80gb").tpot_ms < 0.7 * a100);
}

TEST_CASE("KV memory caps the running batch and the rest queues", "[serving]") {
  Workload w = test::serve(test::llama_8b());
  w.profile.inference.mode = ServingMode::online;
  w.profile.inference.input_tokens = 4096;
  w.profile.inference.output_tokens = 512;
  w.profile.inference.concurrency = 4;
  const auto few = speed(w, "nvidia-a10");
  w.profile.inference.concurrency = 64;
  const auto many = speed(w, "nvidia-a10");
  CHECK(*many.ttft_ms > 20 * *few.ttft_ms);
  CHECK(*many.latency_ms > 5 * *few.latency_ms);
}

TEST_CASE("capacity within a latency target", "[serving]") {
  const Workload w = test::serve(test::llama_8b());
  const Machine m = test::machine("nvidia-l20");
  const Layout l;
  const auto free = serving_capacity(w, m, l, calibration(), Slo{});
  REQUIRE(free.known);
  REQUIRE(free.attainable);
  const Slo tight{.ttft_ms = std::nullopt, .tpot_ms = 30.0};
  const auto bound = serving_capacity(w, m, l, calibration(), tight);
  REQUIRE(bound.attainable);
  CHECK(bound.requests_per_second < free.requests_per_second);
  CHECK(bound.tpot_ms <= 30.0);
  CHECK(bound.limit == ServingLimit::tpot);
  const auto never = serving_capacity(w, m, l, calibration(), Slo{.ttft_ms = 1.0, .tpot_ms = std::nullopt});
  CHECK_FALSE(never.attainable);
  CHECK(never.requests_per_second == 0);
}

TEST_CASE("replicas at peak and off-peak", "[serving]") {
  const Workload w = test::serve(test::llama_8b());
  const Machine m = test::machine("nvidia-l20");
  const auto fleet = serving_fleet(w, m, Layout{}, calibration(), Slo{}, 10, 1);
  REQUIRE(fleet.peak);
  REQUIRE(fleet.off_peak);
  const double each = fleet.replica.requests_per_second;
  CHECK(*fleet.peak * each >= 10);
  CHECK((*fleet.peak - 1) * each < 10);
  CHECK(*fleet.off_peak <= *fleet.peak);
}

TEST_CASE("the price of tokens adds up to the price of the machine", "[serving]") {
  Workload w = test::serve(test::llama_8b());
  w.profile.inference.mode = ServingMode::offline;
  const Machine m = test::machine("nvidia-l20");
  const auto s = estimate_serving_speed(w, m, Layout{}, calibration());
  const auto cost = serving_token_cost(w, m, Layout{}, calibration(), s, 12.0);
  REQUIRE(cost);
  const double hour = *s.requests_per_second * 3600;
  CHECK(hour * (1024 * cost->input + 256 * cost->output) / 1e6 == Approx(12.0).epsilon(1e-12));
  CHECK(hour * (1024 + 256) * cost->blended / 1e6 == Approx(12.0).epsilon(1e-12));
  CHECK(cost->output > cost->input);
}

TEST_CASE("the best division of a machine into replicas", "[serving]") {
  Workload small = test::serve(test::llama_8b());
  small.profile.inference.mode = ServingMode::offline;
  const auto many = best_serving_layout(small, test::machine("nvidia-a100-sxm4-80gb", 8), calibration());
  REQUIRE(many);
  CHECK(many->tensor == 1);
  CHECK(many->data == 8);
  Workload large = test::serve(test::llama_70b());
  large.profile.inference.mode = ServingMode::offline;
  const auto few = best_serving_layout(large, test::machine("nvidia-a100-sxm4-80gb", 8), calibration());
  REQUIRE(few);
  CHECK(few->tensor >= 4);
  CHECK_FALSE(best_serving_layout(large, test::machine("nvidia-a10", 2, LinkKind::pcie), calibration()));
}

TEST_CASE("versions compare by number", "[serving]") {
  CHECK(at_least_version("0.10.1", "0.9"));
  CHECK_FALSE(at_least_version("0.9.2", "0.10"));
  CHECK(at_least_version("1.0", "0.17"));
  CHECK(at_least_version("0.6.3.post1", "0.6"));
  CHECK_FALSE(at_least_version("main", "0.1"));
  CHECK(version_of("vllm 0.6.3") == "0.6.3");
  CHECK(version_of("auto_gptq==0.6.0") == "0.6.0");
}

TEST_CASE("a cache that drops old tokens keeps decode at the length of the answer", "[serving]") {
  const auto tpot = [](std::string_view release, int input, int output) {
    Workload w = test::serve(test::llama_8b(), "autoawq", "awq-int4");
    w.profile.software.framework = release;
    w.profile.inference.concurrency = 8;
    w.profile.inference.input_tokens = input;
    w.profile.inference.output_tokens = output;
    return *speed(w, "nvidia-rtx-4090").tpot_ms;
  };
  constexpr auto kRolls = "autoawq 0.1.6";
  constexpr auto kKeeps = "autoawq 0.2.0";
  CHECK(tpot(kRolls, 2048, 2048) < tpot(kKeeps, 2048, 2048));
  // 1950 to 2048 tokens of context either way.
  CHECK(tpot(kRolls, 2048, 2048) == Approx(tpot(kKeeps, 1948, 100)).epsilon(0.005));
  // A prompt of a token grows as it would in any cache; only the last step would not fit.
  CHECK(tpot(kRolls, 1, 2048) == Approx(tpot(kKeeps, 1, 2048)).epsilon(0.005));
}

TEST_CASE("where a format has a second kernel for one request alone, the estimate lies between the two", "[serving]") {
  Calibration gemm = calibration();
  std::vector<ServingFormat> formats(gemm.serving.formats.begin(), gemm.serving.formats.end());
  for (auto& format : formats) format.single_factor.reset();
  gemm.serving.formats = formats;
  for (const int batch : {1, 2}) {
    Workload w = test::serve(test::llama_8b(), "autoawq", "awq-int4");
    w.profile.inference.input_tokens = 32;
    w.profile.inference.output_tokens = 32;
    w.profile.inference.concurrency = batch;
    const double middle = *speed(w, "nvidia-rtx-4090").tpot_ms;
    const double slower = *estimate_serving_speed(w, test::machine("nvidia-rtx-4090"), test::tensor(1), gemm).tpot_ms;
    CHECK(middle <= slower);
    if (batch == 1) CHECK(middle > slower / 1.2);
    if (batch == 1) CHECK(middle < slower);
    if (batch == 2) CHECK(middle == slower);
  }
}
