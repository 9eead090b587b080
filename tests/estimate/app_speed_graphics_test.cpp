#include "gpuadvise/knowledge.h"

#include "app_cards.h"
#include "catch.h"
#include "estimate/app_speed.h"

using namespace gpuadvise;

namespace {

SpeedEstimate speed(Workload workload, TaskKind kind, std::string_view task, const Accelerator& card, double cards = 1,
                    int nodes = 1) {
  workload.kind = kind;
  workload.profile.task = task;
  Machine machine;
  machine.accelerator = &card;
  machine.accelerators_per_node = cards;
  machine.nodes = nodes;
  machine.memory_gib = card.memory_gib.value_or(0) * (cards < 1 ? cards : 1);
  return estimate_app_speed(workload, machine, Layout{}, builtin_knowledge().calibration);
}

Workload render(std::string_view app) {
  Workload workload;
  workload.profile.rendering.app = app;
  workload.profile.rendering.kind = "offline render";
  return workload;
}

}  // namespace

TEST_CASE("path tracing follows ray units and the clocks that power allows", "[apps]") {
  const auto unknown = render("a renderer of next year");
  const double t4 = *speed(unknown, TaskKind::rendering, "rendering", test::t4()).relative;
  const double a10 = *speed(unknown, TaskKind::rendering, "rendering", test::a10()).relative;
  const double l40s = *speed(unknown, TaskKind::rendering, "rendering", test::l40s()).relative;
  const double v100 = *speed(unknown, TaskKind::rendering, "rendering", test::v100()).relative;
  CHECK(a10 == Approx(1.0));
  CHECK(t4 < v100);
  CHECK(v100 < l40s);
  CHECK(l40s > 2 * a10);
}

TEST_CASE("in fog memory and issue count, not ray units", "[apps]") {
  const auto a100_over_t4 = [](std::string_view scene) {
    Workload lamp = render("Ansys Speos");
    lamp.profile.rendering.scene = scene;
    return *speed(lamp, TaskKind::rendering, "rendering", test::a100()).relative /
           *speed(lamp, TaskKind::rendering, "rendering", test::t4()).relative;
  };
  CHECK(a100_over_t4("Street in fog") > 3.5);
  CHECK(a100_over_t4("Street") < 2.5);
}

TEST_CASE("an older encoder falls behind less at slow presets", "[apps]") {
  const auto relative = [](std::string_view preset, const Accelerator& card) {
    Workload video;
    video.profile.transcoding.app = "NVENC";
    video.profile.transcoding.codec = "HEVC";
    video.profile.transcoding.direction = "encode";
    video.profile.transcoding.preset = preset;
    return *speed(video, TaskKind::transcoding, "video-transcoding", card).relative;
  };
  Accelerator pascal = test::t4();
  pascal.id = "somebody-s-pascal";
  pascal.chip_class = "Pascal-GP10x";
  CHECK(relative("p1", pascal) < relative("p5", pascal));
  CHECK(relative("p5", pascal) < relative("p7", pascal));
  CHECK(relative("p1", test::t4()) == Approx(relative("p7", test::t4())));
}

TEST_CASE("frames of a sequence spread over a fleet without loss", "[apps]") {
  const auto work = render("KeyShot");
  const double one = *speed(work, TaskKind::rendering, "rendering", test::t4()).relative;
  CHECK(*speed(work, TaskKind::rendering, "rendering", test::t4(), 1, 10).relative == Approx(10 * one));
  CHECK(*speed(work, TaskKind::rendering, "rendering", test::t4(), 4).relative > 3.4 * one);
  CHECK(*speed(work, TaskKind::rendering, "rendering", test::t4(), 0.5).relative < 0.5 * one);
}

TEST_CASE("a measured case carries its unit over to other cards", "[apps]") {
  auto work = render("KeyShot");
  work.profile.rendering.scene = "Watch";
  work.profile.rendering.version = "11";
  work.profile.rendering.samples = 512;
  work.profile.rendering.resolution = "3556x2000";
  const auto on_t4 = speed(work, TaskKind::rendering, "rendering", test::t4());
  REQUIRE(on_t4.value);
  CHECK(on_t4.unit == "s");
  const auto on_l40s = speed(work, TaskKind::rendering, "rendering", test::l40s());
  CHECK(*on_l40s.value / *on_t4.value == Approx(*on_t4.relative / *on_l40s.relative));
  CHECK(*on_l40s.samples_per_second == Approx(1 / *on_l40s.value));
  work.profile.rendering.samples = 77;  // never measured
  CHECK_FALSE(speed(work, TaskKind::rendering, "rendering", test::t4()).value);
}

TEST_CASE("sessions are whole, limited by memory, encoders and graphics", "[apps]") {
  const auto office = speed(Workload{}, TaskKind::streaming, "vdi", test::a10());
  REQUIRE(office.known);
  CHECK(office.unit == "sessions");
  CHECK(*office.value > 10);
  CHECK(*office.value <= 24);  // one GiB each
  Workload large;
  large.profile.rendering.resolution = "3840x2160";
  const auto games = speed(Workload{}, TaskKind::streaming, "cloud-gaming", test::a10());
  const auto games_4k = speed(large, TaskKind::streaming, "cloud-gaming", test::a10());
  CHECK(*games.value > *games_4k.value);
  CHECK(*speed(Workload{}, TaskKind::streaming, "cloud-gaming", test::a10(), 2).value == Approx(2 * *games.value));
  const auto compute_only = speed(Workload{}, TaskKind::streaming, "vdi", test::a100());
  CHECK_FALSE(compute_only.known);
  CHECK(compute_only.why == "speed/no-graphics");
  const auto uncounted = speed(Workload{}, TaskKind::streaming, "cloud-gaming", test::l20());
  CHECK_FALSE(uncounted.known);
  CHECK(uncounted.why == "speed/encoder-unknown");
  CHECK(uncounted.relative);
}

TEST_CASE("streams follow encoders, a single stream does not", "[apps]") {
  Workload streams;
  streams.profile.transcoding.app = "ffmpeg";
  Workload one_stream;
  one_stream.profile.transcoding.app = "NVENC";
  one_stream.profile.transcoding.codec = "H.264";
  const double many = *speed(streams, TaskKind::transcoding, "video-transcoding", test::l40s()).relative;
  const double one = *speed(one_stream, TaskKind::transcoding, "video-transcoding", test::l40s()).relative;
  CHECK(many > 2.5);
  CHECK(one < 1.5);
  CHECK(speed(streams, TaskKind::transcoding, "video-transcoding", test::a100()).why == "speed/no-encoder");
  auto av1_card = test::t4();
  av1_card.nvenc_av1 = false;
  streams.profile.transcoding.codec = "AV1";
  CHECK(speed(streams, TaskKind::transcoding, "video-transcoding", av1_card).why == "speed/no-av1");
}

TEST_CASE("reference cards are what the catalog says", "[apps]") {
  const auto& knowledge = builtin_knowledge();
  for (const ReferenceCard& reference : knowledge.calibration.apps.references) {
    INFO(reference.accelerator);
    const Accelerator* found = nullptr;
    for (const Accelerator& card : knowledge.catalog.accelerators) {
      if (card.id == reference.accelerator) found = &card;
    }
    REQUIRE(found != nullptr);
    CHECK(found->chip_class == reference.chip_class);
    CHECK(found->peak.fp32 == reference.fp32);
    CHECK(found->peak.fp64.value_or(0) == reference.fp64);
    CHECK(found->peak.fp64_tensor.value_or(0) == reference.fp64_matrix);
    CHECK(found->peak.fp16 == reference.fp16);
    CHECK(found->peak.bf16 == reference.bf16);
    CHECK(found->peak.tf32 == reference.tf32);
    CHECK(found->peak.int8 == reference.int8);
    CHECK(found->memory_bandwidth_gb_per_s == reference.memory_bandwidth_gb_per_s);
    CHECK(found->boost_clock_mhz == reference.boost_clock_mhz);
    CHECK(found->l2_mib == reference.l2_mib);
    CHECK(found->tdp_w == reference.tdp_w);
    CHECK(found->sm_count == reference.sm_count);
    CHECK(found->rt_core_count.value_or(0) == reference.rt_core_count);
    CHECK(found->nvenc_count.value_or(0) == reference.nvenc_count);
    CHECK(found->nvdec_count.value_or(0) == reference.nvdec_count);
  }
}
