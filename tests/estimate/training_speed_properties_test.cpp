// What holds for every workload, card and layout.
#include "catch.h"
#include "estimate/training_lookup.h"
#include "estimate/training_shape.h"
#include "estimate/training_speed.h"
#include "training_cases.h"

using namespace gpuadvise;
using namespace gpuadvise::test;

namespace {

double sum(const StepTerms& t) {
  return t.compute + t.attention + t.memory_traffic + t.tensor_comm + t.pipeline_bubble + t.data_comm + t.expert_comm +
         t.context_comm + t.optimizer + t.host + t.data_loading;
}

Layout layout(int tensor, int pipeline, int data, int zero) {
  Layout l;
  l.tensor = tensor, l.pipeline = pipeline, l.data = data, l.zero_stage = zero;
  return l;
}

std::vector<std::string_view> frameworks() {
  std::vector<std::string_view> names{"unheard-of"};
  for (const auto& f : training_calibration().frameworks) names.push_back(f.name);
  return names;
}

}  // namespace

TEST_CASE("No card trains above its roofline, whatever the framework") {
  int answered = 0;
  for (const Accelerator& a : builtin_knowledge().catalog.accelerators) {
    for (const auto framework : frameworks()) {
      for (const Precision p : {Precision::bf16, Precision::fp16, Precision::fp8, Precision::tf32, Precision::fp32}) {
        for (const int sequence : {512, 131072}) {
          Workload w = training(shape_13b(), 13e9, sequence, 1024, framework);
          w.profile.training.precision = p;
          w.profile.software.framework = "nemo 26.12";
          const SpeedEstimate e = estimate_training_speed(w, machine(&a, 8, 1, LinkKind::nvlink),
                                                          sharded(8, 8, Checkpointing::none), training_calibration());
          if (!e.known) {
            CHECK_FALSE(e.why.empty());
            continue;
          }
          ++answered;
          INFO(a.id << " " << framework << " " << static_cast<int>(p));
          // Causal FLOPs really done: at or below the peak of the engines that do them.
          const double flops = 3 * forward_flops_per_token(training_shape(w), sequence, true);
          CHECK(*e.tokens_per_second_per_accelerator * flops / 1e12 <=
                *e.tflops_per_accelerator / *e.mfu_percent * 100);
        }
      }
    }
  }
  CHECK(answered > 1000);
}

TEST_CASE("The terms add up to the step, and the rates to each other") {
  for (const Layout& l : {layout(1, 1, 16, 3), layout(8, 1, 2, 1), layout(4, 4, 1, 0), layout(2, 2, 4, 2)}) {
    const Workload w = training(shape_7b(), 6.74e9, 4096, 64);
    const SpeedEstimate e = estimate_training_speed(
        w, machine(card("nvidia-a100-sxm4-80gb"), 8, 2, LinkKind::nvlink, 800), l, training_calibration());
    REQUIRE(e.known);
    CHECK(sum(e.terms) == Approx(*e.step_seconds).epsilon(0.02));
    CHECK(*e.tokens_per_second == Approx(*e.tokens_per_second_per_accelerator * 16));
    CHECK(*e.tokens_per_second == Approx(*e.samples_per_second * 4096));
    CHECK(*e.step_seconds == Approx(64 / *e.samples_per_second));
  }
}

TEST_CASE("A faster link or network never slows, a precision that is native never does") {
  const Accelerator* h100 = card("nvidia-h100-sxm5-80gb");
  for (const Layout& l : {layout(1, 1, 16, 3), layout(8, 1, 2, 1), layout(4, 4, 1, 0), layout(2, 2, 4, 2)}) {
    const Workload w = training(shape_7b(), 6.74e9, 4096, 64);
    double before = 0;
    for (const double gbps : {10.0, 100.0, 400.0, 800.0, 3200.0}) {
      const double now = speed(w, machine(h100, 8, 2, LinkKind::nvlink, gbps), l);
      CHECK(now >= before);
      before = now;
    }
    CHECK(speed(w, machine(h100, 8, 2, LinkKind::nvlink, 100, true), l) >=
          speed(w, machine(h100, 8, 2, LinkKind::nvlink, 100, false), l));
    before = 0;
    for (const double rate : {32.0, 64.0, 400.0, 900.0}) {
      Machine m = machine(h100, 8, 2, LinkKind::nvlink, 800);
      m.link_gb_per_s = rate;
      const double now = speed(w, m, l);
      CHECK(now >= before);
      before = now;
    }
  }
  for (const Accelerator& a : builtin_knowledge().catalog.accelerators) {
    Workload w = training(shape_13b(), 13e9, 2048, 64);
    double before = 0;
    for (const Precision p : {Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp8}) {
      w.profile.training.precision = p;
      const double now = speed(w, machine(&a, 8, 1, LinkKind::nvlink), sharded(8, 4));
      INFO(a.id << " " << static_cast<int>(p));
      CHECK(now >= before * 0.999999);
      before = now;
    }
  }
}

TEST_CASE("More cards for one global batch are not slower than one card without a term that shows why") {
  const Workload w = training(shape_7b(), 6.74e9, 2048, 64);
  const Accelerator* a10 = card("nvidia-a10");
  const double one = speed(w, machine(a10, 1, 1, LinkKind::none), sharded(1, 1));
  for (const int cards : {2, 4, 8}) {
    const SpeedEstimate e =
        estimate_training_speed(w, machine(a10, cards, 1, LinkKind::pcie), sharded(cards, 1), training_calibration());
    CHECK((*e.tokens_per_second >= one || e.terms.data_comm > *e.step_seconds * (1 - 1.0 / cards)));
  }
}

TEST_CASE("Recompute costs time and no model FLOPs; LoRA saves the weight gradients; packed weights cost") {
  const Accelerator* a100 = card("nvidia-a100-sxm4-80gb");
  const Machine m = machine(a100, 1, 1, LinkKind::none);
  Workload w = training(shape_7b(), 6.74e9, 4096, 8, "hf-trainer");
  const Layout plain = sharded(1, 2, Checkpointing::none);
  const SpeedEstimate full = estimate_training_speed(w, m, plain, training_calibration());
  const SpeedEstimate again = estimate_training_speed(w, m, sharded(1, 2), training_calibration());
  CHECK(*again.tokens_per_second < *full.tokens_per_second);
  CHECK(*again.tflops_per_accelerator / *again.tokens_per_second ==
        Approx(*full.tflops_per_accelerator / *full.tokens_per_second));
  w.profile.training.method = Method::lora;
  const SpeedEstimate lora = estimate_training_speed(w, m, plain, training_calibration());
  CHECK(*lora.tokens_per_second > *full.tokens_per_second);
  w.profile.training.method = Method::qlora;
  w.profile.training.base_weights = Precision::nf4;
  CHECK(speed(w, m, plain) < *lora.tokens_per_second);
}

TEST_CASE("What is not known is refused with a reason") {
  Workload w = training(shape_7b(), 6.74e9, 4096, 8);
  Accelerator blank = *card("nvidia-a100-sxm4-80gb");
  blank.peak = {};
  CHECK(
      estimate_training_speed(w, machine(&blank, 8, 1, LinkKind::nvlink), sharded(8, 1), training_calibration()).why ==
      "speed/unknown-peak");
  blank.memory_bandwidth_gb_per_s.reset();
  CHECK(
      estimate_training_speed(w, machine(&blank, 8, 1, LinkKind::nvlink), sharded(8, 1), training_calibration()).why ==
      "speed/unknown-bandwidth");
  CHECK(
      estimate_training_speed(w, machine(nullptr, 8, 1, LinkKind::nvlink), sharded(8, 1), training_calibration()).why ==
      "speed/no-accelerator");
  w.has_architecture = false;
  w.params = w.active_params = 0;
  CHECK(estimate_training_speed(w, machine(card("nvidia-a100-sxm4-80gb"), 8, 1, LinkKind::nvlink), sharded(8, 1),
                                training_calibration())
            .why == "speed/no-architecture");
}

TEST_CASE("A release is read from the end of a version text") {
  CHECK(release_month("nemo 26.08") == 26 * 12 + 8);
  CHECK(release_month("26.04.01") == 26 * 12 + 4);
  CHECK(release_month("megatron-bridge 25.11") == 25 * 12 + 11);
  CHECK(release_month("4.40.1") == 0);
  CHECK(release_month("torch 2.10") == 0);
  CHECK(release_month("24.13") == 0);
  CHECK(release_month("") == 0);
}

TEST_CASE("Model FLOPs per token follow the shape") {
  const Workload w = training(shape_7b(), 6.74e9, 2048, 8);
  const TrainingShape s = training_shape(w);
  const double weights = 32 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008) + 4096.0 * 32000;
  CHECK(forward_flops_per_token(s, 2048, false) == Approx(2 * weights + 4.0 * 2048 * 4096 * 32));
  CHECK(forward_flops_per_token(s, 2048, true) == Approx(2 * weights + 2.0 * 2048 * 4096 * 32));
  // A published count tells two matrices from three in the feed-forward part.
  Workload plain = w;
  plain.params = 32 * (4.0 * 4096 * 4096 + 2.0 * 4096 * 11008) + 2 * 4096.0 * 32000;
  CHECK_FALSE(training_shape(plain).gated);
  CHECK(s.gated);
}
