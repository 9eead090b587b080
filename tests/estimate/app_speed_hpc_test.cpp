#include "gpuadvise/knowledge.h"

#include "app_cards.h"
#include "catch.h"
#include "estimate/app_speed.h"
#include "estimate/work_class.h"

using namespace gpuadvise;

namespace {

SpeedEstimate hpc(const Accelerator& card, std::string_view app, std::string_view case_name = "",
                  std::optional<Precision> precision = std::nullopt, std::optional<Bound> bound = std::nullopt,
                  double cards = 1, int nodes = 1) {
  Workload workload;
  workload.kind = TaskKind::hpc;
  workload.profile.task = "hpc";
  if (!app.empty()) workload.profile.hpc.app = app;
  workload.profile.hpc.case_name = case_name;
  workload.profile.hpc.precision = precision;
  workload.profile.hpc.bound = bound;
  Machine machine;
  machine.accelerator = &card;
  machine.accelerators_per_node = cards;
  machine.nodes = nodes;
  machine.memory_gib = card.memory_gib.value_or(0);
  return estimate_app_speed(workload, machine, Layout{}, builtin_knowledge().calibration);
}

}  // namespace

TEST_CASE("the reference card is as fast as itself", "[apps]") {
  for (const auto* app : {"HPL", "OpenMM", "FluidX3D", "OpenFOAM", "something new"}) {
    const auto speed = hpc(test::a100(), app);
    REQUIRE(speed.known);
    CHECK(*speed.relative == Approx(1.0));
  }
}

TEST_CASE("FP64: V100 beats A10, L20, L40S and H20 for HPL-class work", "[apps]") {
  const double v100 = *hpc(test::v100(), "HPL", "", Precision::fp64).relative;
  for (const auto& other : {test::a10(), test::l20(), test::l40s(), test::h20()}) {
    INFO(other.id);
    CHECK(v100 > 2 * *hpc(other, "HPL", "", Precision::fp64).relative);
  }
  CHECK(v100 < 1.0);  // and not the A100
}

TEST_CASE("bound and precision alone are enough for an unknown application", "[apps]") {
  const auto bandwidth = hpc(test::h20(), "a code nobody measured", "", Precision::fp64, Bound::bandwidth);
  const auto compute = hpc(test::h20(), "a code nobody measured", "", Precision::fp64, Bound::compute);
  REQUIRE(bandwidth.known);
  REQUIRE(compute.known);
  CHECK(*bandwidth.relative > 1.5);
  CHECK(*compute.relative < 0.5);
  CHECK_FALSE(bandwidth.value);  // no measured case, no figure in a unit
}

TEST_CASE("small molecular systems wait for latency, large ones for throughput", "[apps]") {
  const double small = *hpc(test::l40s(), "OpenMM", "dhfr Implicit, 2489 atoms").relative;
  const double large = *hpc(test::l40s(), "OpenMM", "stmv PME, 1,067,095 atoms").relative;
  CHECK(small != Approx(large));
  CHECK(size_before("stmv PME, 1,067,095 atoms", "atoms") == 1067095.0);
  CHECK_FALSE(size_before("stmv PME", "atoms"));
  CHECK_FALSE(size_before("many atoms", "atoms"));
}

TEST_CASE("more cards never do less, and slices do a part", "[apps]") {
  for (const auto* app : {"HPL", "OpenMM", "FluidX3D", "Ansys Rocky"}) {
    INFO(app);
    double before = 0;
    for (const double cards : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
      const double now = *hpc(test::a100(), app, "", {}, {}, cards).relative;
      CHECK(now > before);
      CHECK(now <= Approx(cards));
      before = now;
    }
    CHECK(*hpc(test::a100(), app, "", {}, {}, 8, 2).relative >= before);
  }
}

TEST_CASE("a card without facts gets no figure", "[apps]") {
  const auto speed = hpc(test::unknown_card(), "HPL");
  CHECK_FALSE(speed.known);
  CHECK_FALSE(speed.relative);
  CHECK_FALSE(speed.why.empty());
}
