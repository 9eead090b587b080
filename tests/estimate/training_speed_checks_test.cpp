// Orders and ratios that practice knows, at the calibration that the product ships.
#include "catch.h"
#include "estimate/training_speed.h"
#include "training_cases.h"

using namespace gpuadvise;
using namespace gpuadvise::test;

TEST_CASE("Full fine-tuning of a 13B: A10 on PCIe, V100 on NVLink, A100 on NVLink, in this order") {
  Workload w = training(shape_13b(), 13e9, 2048, 64, "deepspeed");
  const Layout layout = sharded(8, 1);
  const auto& cal = builtin_knowledge().calibration;
  const SpeedEstimate a10 = estimate_speed(w, machine(card("nvidia-a10"), 8, 1, LinkKind::pcie), layout, cal);
  const SpeedEstimate a100 =
      estimate_speed(w, machine(card("nvidia-a100-sxm4-80gb"), 8, 1, LinkKind::nvlink), layout, cal);
  w.profile.training.precision = w.profile.training.base_weights = Precision::fp16;
  const SpeedEstimate v100 =
      estimate_speed(w, machine(card("nvidia-v100-sxm2-32gb"), 8, 1, LinkKind::nvlink), layout, cal);
  REQUIRE(a10.known);
  REQUIRE(v100.known);
  REQUIRE(a100.known);
  CHECK(*a10.tokens_per_second < *v100.tokens_per_second);
  CHECK(*v100.tokens_per_second < *a100.tokens_per_second);
  // The reason: without NVLink the weights that every card gathers take the larger part of the step.
  CHECK(a10.terms.data_comm / *a10.step_seconds > 2 * v100.terms.data_comm / *v100.step_seconds);
}

TEST_CASE("Two A10 machines on TCP are slower than one for LoRA of a 14B") {
  Workload w = training(shape_14b(), 14.8e9, 2048, 16, "hf-trainer");
  w.profile.training.method = Method::lora;
  w.profile.training.lora_rank = 16;
  // 14B in 16 bits does not fit one card: weights are sharded, and gathered for every layer and pass.
  const double one = speed(w, machine(card("nvidia-a10"), 4, 1, LinkKind::pcie), sharded(4, 1));
  for (const double gbps : {10.0, 25.0}) {
    const double two = speed(w, machine(card("nvidia-a10"), 4, 2, LinkKind::pcie, gbps, false), sharded(8, 1));
    CHECK(two > 0);
    CHECK(two < one);
  }
}

TEST_CASE("16 A100 scale on RDMA and do not on TCP") {
  const Accelerator* a100 = card("nvidia-a100-sxm4-80gb");
  for (const char* framework : {"fsdp", "deepspeed", "llm-foundry", "torchtitan", "unheard-of"}) {
    INFO(framework);
    const Workload wide = training(shape_7b(), 6.74e9, 4096, 64, framework);
    const auto rdma = training_scaling_efficiency(wide, machine(a100, 8, 2, LinkKind::nvlink, 800), sharded(16, 4),
                                                  training_calibration());
    REQUIRE(rdma.has_value());
    CHECK(*rdma > 0.90);
    const Workload narrow = training(shape_7b(), 6.74e9, 4096, 16, framework);
    const auto tcp = training_scaling_efficiency(narrow, machine(a100, 8, 2, LinkKind::nvlink, 10, false),
                                                 sharded(16, 1), training_calibration());
    REQUIRE(tcp.has_value());
    CHECK(*tcp < 0.20);
  }
}

TEST_CASE("Scaling efficiency of one node is one, and of replicas that do not divide unknown") {
  const Accelerator* a100 = card("nvidia-a100-sxm4-80gb");
  const Workload w = training(shape_7b(), 6.74e9, 4096, 24);
  CHECK(training_scaling_efficiency(w, machine(a100, 8, 1, LinkKind::nvlink), sharded(8, 1), training_calibration()) ==
        1.0);
  Layout odd = sharded(8, 1);
  odd.data = 23;
  CHECK_FALSE(training_scaling_efficiency(w, machine(a100, 8, 2, LinkKind::nvlink, 800), odd, training_calibration()));
}
