#include "gpuadvise/knowledge.h"

#include "app_cards.h"
#include "catch.h"
#include "estimate/app_speed.h"

using namespace gpuadvise;

namespace {

Workload classify(std::string_view model, std::string_view weights, std::optional<double> batch) {
  Workload workload;
  workload.kind = TaskKind::media_inference;
  workload.profile.task = "cv-inference";
  workload.profile.model.name = model;
  workload.profile.inference.weights = weights;
  workload.profile.inference.engine = "tensorrt";
  workload.profile.inference.concurrency = batch;
  workload.profile.inference.mode = batch ? ServingMode::batch_static : ServingMode::offline;
  return workload;
}

SpeedEstimate speed(const Workload& workload, const Accelerator& card, double cards = 1) {
  Machine machine;
  machine.accelerator = &card;
  machine.accelerators_per_node = cards;
  machine.memory_gib = card.memory_gib.value_or(0);
  return estimate_app_speed(workload, machine, Layout{}, builtin_knowledge().calibration);
}

}  // namespace

TEST_CASE("INT8 ResNet-50: a T4 does over half of a V100", "[apps]") {
  // V100 has no INT8 matrix engine and runs FP16; published: T4 about 5,000 to 6,500 images/s, V100 about 7,800.
  const auto work = classify("resnet-50", "int8", std::nullopt);
  const double ratio = *speed(work, test::t4()).relative / *speed(work, test::v100()).relative;
  CHECK(ratio > 0.5);
  CHECK(ratio < 1.0);
}

TEST_CASE("batch, precision and card move throughput the right way", "[apps]") {
  double before = 0;
  for (const double batch : {1.0, 8.0, 64.0, 512.0}) {
    const double now = *speed(classify("resnet-50", "fp16", batch), test::a10()).samples_per_second;
    CHECK(now > before);
    before = now;
  }
  for (const auto& one : {test::a10(), test::t4(), test::a100()}) {
    INFO(one.id);
    CHECK(*speed(classify("resnet-50", "int8", std::nullopt), one).samples_per_second >
          *speed(classify("resnet-50", "fp16", std::nullopt), one).samples_per_second);
  }
  const auto work = classify("resnet-50", "int8", std::nullopt);
  CHECK(*speed(work, test::a100(), 8).samples_per_second == Approx(8 * *speed(work, test::a100()).samples_per_second));
  CHECK(*speed(work, test::a100(), 0.5).relative < 0.51);
}

TEST_CASE("a model nobody measured still gets a ratio between cards", "[apps]") {
  const auto work = classify("a detector of next year", "fp16", 1);
  const auto on_t4 = speed(work, test::t4());
  REQUIRE(on_t4.known);
  CHECK_FALSE(on_t4.samples_per_second);
  CHECK(*on_t4.relative < *speed(work, test::a100()).relative);
}
