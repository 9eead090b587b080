// Orders that practice knows, asked as a person asks: a profile in, an estimate out, nothing set by hand.
#include <algorithm>
#include <fmt/format.h>

#include "gpuadvise/advise.h"

#include "catch.h"

namespace gpuadvise {
namespace {

SpeedEstimate speed(const Profile& profile) { return estimate(profile, builtin_knowledge()).estimate.speed; }

Profile on(Profile p, std::string_view card, double cards, int nodes = 1, std::optional<double> gbps = {}) {
  p.hardware.accelerator = card;
  p.hardware.accelerators_per_node = cards;
  p.hardware.nodes = nodes;
  p.hardware.inter_node_gbps = gbps;
  return p;
}

Profile full_finetune(double params, int sequence, int batch, int micro_batch, int cards) {
  Profile p;
  p.task = "llm-finetune";
  p.model.params = params;
  p.training.method = Method::full;
  p.training.sequence_length = sequence;
  p.training.global_batch = batch;
  p.training.micro_batch = micro_batch;
  p.training.activation_checkpointing = Checkpointing::full;
  p.parallelism.data = cards;
  p.parallelism.zero_stage = 3;
  return p;
}

TEST_CASE("full fine-tuning of a 13B: 8 x A10, 8 x V100, 8 x A100, in this order and for the links", "[named]") {
  Profile p = full_finetune(13e9, 2048, 64, 1, 8);
  const SpeedEstimate a10 = speed(on(p, "nvidia-a10", 8));
  const SpeedEstimate a100 = speed(on(p, "nvidia-a100-sxm4-80gb", 8));
  p.training.precision = Precision::fp16;
  const SpeedEstimate v100 = speed(on(p, "nvidia-v100-sxm2-32gb", 8));
  REQUIRE(a10.known);
  REQUIRE(v100.known);
  REQUIRE(a100.known);
  CHECK(*a10.tokens_per_second < *v100.tokens_per_second);
  CHECK(*v100.tokens_per_second < *a100.tokens_per_second);
  CHECK(a10.terms.data_comm / *a10.step_seconds > v100.terms.data_comm / *v100.step_seconds);
}

TEST_CASE("two machines of A10 on TCP are slower than one for LoRA of a 14B", "[named]") {
  Profile p = full_finetune(14e9, 2048, 16, 1, 4);
  p.training.method = Method::lora;
  const double one = *speed(on(p, "nvidia-a10", 4)).tokens_per_second;
  p.parallelism.data = 8;
  for (const double gbps : {10.0, 25.0}) {
    const SpeedEstimate two = speed(on(p, "nvidia-a10", 4, 2, gbps));
    REQUIRE(two.known);
    CHECK(*two.tokens_per_second < one);
  }
}

TEST_CASE("16 x A100 scale above 90 % on 800 Gbit/s RDMA, below 20 % on 10 Gbit/s TCP", "[named]") {
  const auto efficiency = [](int per_card, double gbps) {
    const double one =
        *speed(on(full_finetune(7e9, 4096, 8 * per_card, per_card, 8), "nvidia-a100-sxm4-80gb", 8)).tokens_per_second;
    const double two =
        *speed(on(full_finetune(7e9, 4096, 16 * per_card, per_card, 16), "nvidia-a100-sxm4-80gb", 8, 2, gbps))
             .tokens_per_second;
    return two / (2 * one);
  };
  CHECK(efficiency(4, 800) > 0.90);
  CHECK(efficiency(4, 800) <= 1.0);
  CHECK(efficiency(1, 10) < 0.20);
}

TEST_CASE("H20 beats A100 in decode and loses in prefill, as asked on one card", "[named]") {
  Profile p;
  p.task = "llm-inference";
  p.model.params = 8e9;
  p.inference.input_tokens = 4096;
  p.inference.concurrency = 8;
  p.inference.mode = ServingMode::batch_static;
  const SpeedEstimate h20 = speed(on(p, "nvidia-h20-96gb", 1));
  const SpeedEstimate a100 = speed(on(p, "nvidia-a100-sxm4-80gb", 1));
  REQUIRE(h20.known);
  REQUIRE(a100.known);
  CHECK(*h20.tpot_ms < *a100.tpot_ms);
  CHECK(*h20.ttft_ms > *a100.ttft_ms);
}

TEST_CASE("FP64: V100 beats A10, L20, L40S and H20 for HPL-class work, as asked", "[named]") {
  Profile p;
  p.task = "hpc";
  p.hpc.app = "HPL";
  p.hpc.precision = Precision::fp64;
  const double v100 = *speed(on(p, "nvidia-v100-sxm2-32gb", 1)).relative;
  for (const std::string_view card : {"nvidia-a10", "nvidia-l20", "nvidia-l40s", "nvidia-h20-96gb"}) {
    INFO(card);
    CHECK(v100 > *speed(on(p, card, 1)).relative);
  }
}

TEST_CASE("every HPC application named in the guide has a class of work", "[named]") {
  for (const std::string_view app :
       {"GROMACS", "LAMMPS", "NAMD", "AMBER", "HPL", "OpenFOAM", "lattice-Boltzmann", "weather", "sequencing"}) {
    Profile p;
    p.task = "hpc";
    p.hpc.app = app;
    const SpeedEstimate a100 = speed(on(p, "nvidia-a100-sxm4-80gb", 1));
    const SpeedEstimate t4 = speed(on(p, "nvidia-t4", 1));
    INFO(app);
    REQUIRE(a100.relative);
    REQUIRE(t4.relative);
    CHECK(*a100.relative == Approx(1.0));
    CHECK(*t4.relative < 0.9);
  }
}

TEST_CASE("vision is never above the roofline, and INT8 never slower than FP16 where it is native", "[named]") {
  for (const Accelerator& card : builtin_knowledge().catalog.accelerators) {
    if (!card.peak.fp16 || !card.memory_bandwidth_gb_per_s || !card.memory_gib) continue;
    Profile p;
    p.task = "cv-inference";
    p.inference.weights = "fp16";
    p.inference.concurrency = 64;
    const SpeedEstimate half = speed(on(p, card.id, 1));
    if (!half.known || !half.samples_per_second) continue;
    INFO(card.id);
    if (half.tflops_per_accelerator) CHECK(*half.tflops_per_accelerator <= *card.peak.fp16 * 1.0001);
    p.inference.weights = "int8";
    const SpeedEstimate eight = speed(on(p, card.id, 1));
    if (card.peak.int8 && *card.peak.int8 >= *card.peak.fp16 && eight.samples_per_second) {
      CHECK(*eight.samples_per_second >= *half.samples_per_second);
    }
    p.task = "cv-training";
    p.inference = {};
    const SpeedEstimate train = speed(on(p, card.id, 1));
    if (train.tflops_per_accelerator) CHECK(*train.tflops_per_accelerator <= *card.peak.fp16 * 1.0001);
    for (const double cards : {2.0, 8.0}) {
      const SpeedEstimate more = speed(on(p, card.id, cards));
      if (train.samples_per_second && more.samples_per_second) {
        CHECK(*more.samples_per_second >= *train.samples_per_second);
        CHECK(*more.samples_per_second <= cards * *train.samples_per_second * 1.0001);
      }
    }
  }
}

}  // namespace
}  // namespace gpuadvise
