// Memory that only the profile can state: the scene of a renderer, the problem of a simulation.
#include "gpuadvise/advise.h"

#include "catch.h"

namespace gpuadvise {
namespace {

MemoryEstimate memory(const Profile& p) { return estimate(p, builtin_knowledge()).estimate.memory; }

Profile rendering_on(std::string_view card, double cards = 1) {
  Profile p;
  p.task = "rendering";
  p.hardware.accelerator = card;
  p.hardware.accelerators_per_node = cards;
  return p;
}

TEST_CASE("a scene that is not stated leaves memory unknown", "[memory][scene]") {
  const MemoryEstimate m = memory(rendering_on("nvidia-a10"));
  CHECK_FALSE(m.known);
  CHECK(m.why == "memory/scene-not-stated");
}

TEST_CASE("every card of a render machine holds the whole scene", "[memory][scene]") {
  for (const double cards : {1.0, 4.0}) {
    Profile p = rendering_on("nvidia-a10", cards);
    p.rendering.scene_gib = 18;
    const MemoryEstimate fits = memory(p);
    REQUIRE(fits.known);
    CHECK(fits.scene == Approx(18));
    CHECK(fits.total == Approx(18));
    CHECK(fits.device > 18);  // the context is beside it
    CHECK(fits.fits);
    p.rendering.scene_gib = 30;
    CHECK_FALSE(memory(p).fits);
  }
}

TEST_CASE("the problem of a simulation is spread over its cards", "[memory][scene]") {
  Profile p;
  p.task = "hpc";
  p.hardware.accelerator = "nvidia-a100-sxm4-80gb";
  p.hardware.accelerators_per_node = 1;
  CHECK(memory(p).why == "memory/problem-not-stated");
  p.hpc.memory_gib = 240;
  CHECK_FALSE(memory(p).fits);
  p.hardware.accelerators_per_node = 4;
  p.hardware.interconnect = LinkKind::nvlink;
  const MemoryEstimate spread = memory(p);
  CHECK(spread.scene == Approx(60));
  CHECK(spread.fits);
}

}  // namespace
}  // namespace gpuadvise
