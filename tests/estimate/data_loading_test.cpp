// Training that waits for data: vCPUs that decode, storage that reads.
#include "gpuadvise/advise.h"

#include "catch.h"

namespace gpuadvise::test {
namespace {

Profile resnet() {
  Profile p;
  p.task = "cv-training";
  p.model.name = "resnet50";
  p.training.global_batch = 2048;
  p.hardware.instance_type = "ecs.gn7e-c16g1.32xlarge";  // 8 A100, 128 vCPUs
  return p;
}

SpeedEstimate speed(const Profile& p) { return estimate(p, builtin_knowledge()).estimate.speed; }

TEST_CASE("nothing is taken off for data while nobody says how fast it comes") {
  const SpeedEstimate s = speed(resnet());
  REQUIRE(s.samples_per_second);
  CHECK(s.terms.data_loading == 0);
}

TEST_CASE("vCPUs that decode slower than the cards learn bound the rate") {
  const SpeedEstimate free = speed(resnet());
  Profile p = resnet();
  p.data.samples_per_vcpu = 20;
  const SpeedEstimate bound = speed(p);
  REQUIRE(*free.samples_per_second > 128 * 20);
  CHECK(*bound.samples_per_second == Approx(128 * 20));
  CHECK(*bound.step_seconds == Approx(2048 / (128.0 * 20)));
  CHECK(bound.terms.data_loading == Approx(*bound.step_seconds - *free.step_seconds));
  CHECK(*bound.relative == Approx(*free.relative * 128 * 20 / *free.samples_per_second));
  p.data.samples_per_vcpu = 1e6;
  CHECK(*speed(p).samples_per_second == Approx(*free.samples_per_second));
}

TEST_CASE("storage bounds the rate by the bytes of a sample") {
  Profile p = resnet();
  p.data.dataset_samples = 1.28e6;
  p.data.dataset_gib = 138;
  p.data.storage_mb_per_s = 350;
  const double bytes = 138.0 * 1024 * 1024 * 1024 / 1.28e6;
  CHECK(*speed(p).samples_per_second == Approx(350e6 / bytes));
  // The slower of the two decides, and a faster one never slows.
  p.data.samples_per_vcpu = 10;
  CHECK(*speed(p).samples_per_second == Approx(10 * 128));
  double last = 0;
  for (const double rate : {1.0, 10.0, 30.0, 100.0, 1000.0}) {
    p.data.samples_per_vcpu = rate;
    const double now = *speed(p).samples_per_second;
    CHECK(now >= last);
    last = now;
  }
}

}  // namespace
}  // namespace gpuadvise::test
