// The answers that people ask for by kind of work, on the screen and in the JSON: unit, load, sessions, frames,
// streams.
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "catch.h"
#include "run_program.h"

using namespace gpuadvise::test;
using nlohmann::json;

namespace {

// With one space wherever lines are broken.
std::string screen(const Words& arguments, int code = 0) {
  const Outcome outcome = run_program(arguments);
  INFO(outcome.err);
  CHECK(outcome.code == code);
  return std::regex_replace(outcome.out, std::regex("\\s+"), " ");
}

json answer(const Words& arguments) {
  const Outcome outcome = run_program(with(arguments, {"--format", "json"}));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return json::parse(outcome.out);
}

json pick(const Words& arguments) { return answer(arguments)["recommendations"].at(0); }

void has(const std::string& text, const std::string& part) {
  INFO(text << "\n  should say: " << part);
  CHECK(text.find(part) != std::string::npos);
}

void lacks(const std::string& text, const std::string& part) {
  INFO(text << "\n  should not say: " << part);
  CHECK(text.find(part) == std::string::npos);
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

const json* rejection(const json& all, const std::string& type) {
  for (const auto& row : all["rejected"]) {
    if (row["instance_type"] == type) return &row;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("training answers tokens and samples a second, the step by term, hours and cost", "[answers]") {
  const Words train = {
      "recommend", "--task",     "llm-finetune",           "--params", "7B", "--dataset-samples", "50000", "--epochs",
      "3",         "--instance", "ecs.gn7e-c16g1.4xlarge", "--explain"};
  const std::string text = screen(train);
  has(text, " tokens/s ");
  has(text, " samples/s");
  has(text, "MFU ");
  has(text, "step ");
  has(text, "matrices ");
  has(text, " to finish");
  const json best = pick(train);
  const json& speed = best["speed"];
  // 2,048 tokens a sample; 150,000 samples.
  CHECK(speed["tokens_per_second"].get<double>() == Approx(2048 * speed["samples_per_second"].get<double>()));
  CHECK(best["hours_to_finish"].get<double>() ==
        Approx(150000 / speed["samples_per_second"].get<double>() / 3600).epsilon(1e-3));
  CHECK(best["cost"]["to_finish"].get<double>() ==
        Approx(best["hours_to_finish"].get<double>() * best["cost"]["per_hour"].get<double>()));
}

TEST_CASE("several machines are told against one, and what is not known of the network above", "[answers]") {
  const Words two = {"recommend", "--task",     "llm-finetune",         "--params", "7B", "--nodes",
                     "2",         "--instance", "ecs.ebmgn7ex.32xlarge"};
  has(screen(with(two, {"--explain"})), "network/oversubscription-unknown");
  has(screen(two), "scaling efficiency");
  const double ratio = pick(two)["single_machine_ratio"];
  CHECK(ratio > 1);
  CHECK(ratio <= 2.0001);
}

TEST_CASE("a latency target without a load is answered by the largest load within it", "[answers]") {
  const Words target = {"recommend",
                        "--task",
                        "llm-inference",
                        "--model",
                        "qwen2.5-7b-instruct",
                        "--ttft-ms",
                        "1000",
                        "--tpot-ms",
                        "40",
                        "--instance",
                        "ecs.gn7e-c16g1.4xlarge"};
  has(screen(target), "within the targets");
  const json speed = pick(target)["speed"];
  const double rate = speed["requests_per_second"];
  CHECK(speed["ttft_ms"].get<double>() <= 1000);
  CHECK(speed["tpot_ms"].get<double>() <= 40);
  CHECK(speed["requests_in_flight"].get<double>() == Approx(rate * speed["latency_ms"].get<double>() / 1000));
  // A little more misses it.
  const json above = pick({"recommend", "--task", "llm-inference", "--model", "qwen2.5-7b-instruct", "--instance",
                           "ecs.gn7e-c16g1.4xlarge", "--concurrency",
                           std::to_string(static_cast<int>(speed["requests_in_flight"].get<double>() * 2) + 1)});
  CHECK((above["speed"]["ttft_ms"].get<double>() > 1000 || above["speed"]["tpot_ms"].get<double>() > 40));
  // A tighter target holds less.
  Words tighter = target;
  tighter[8] = "32";
  const json less = answer(tighter);
  if (!less["recommendations"].empty()) {
    CHECK(less["recommendations"][0]["speed"]["requests_per_second"].get<double>() <= rate);
  }
}

TEST_CASE("replicas at peak and off peak, and pools for prefill and decode as a note", "[answers]") {
  const std::string text =
      screen({"recommend", "--task", "llm-inference", "--model", "qwen2.5-7b-instruct", "--ttft-ms", "1000",
              "--tpot-ms", "40", "--requests-per-second", "30", "--off-peak-requests-per-second", "5", "--explain"});
  has(text, "serving/replicas");
  has(text, "serving/off-peak");
  has(text, "serving/prefill-decode-pools");
}

TEST_CASE("a prefix cache shortens prefill, accepted drafts shorten decode", "[answers]") {
  const Words serve = {"recommend",           "--task",     "llm-inference",         "--model",
                       "qwen2.5-7b-instruct", "--instance", "ecs.gn7i-c16g1.4xlarge"};
  const json plain = pick(serve)["speed"];
  const json cached = pick(with(serve, {"--prefix-cache-hit-rate", "0.7"}))["speed"];
  const json drafted = pick(with(serve, {"--speculative-acceptance", "2.5"}))["speed"];
  CHECK(cached["ttft_ms"].get<double>() < plain["ttft_ms"].get<double>());
  CHECK(drafted["tpot_ms"].get<double>() < plain["tpot_ms"].get<double>());
}

TEST_CASE("speech in real time, images a second, seconds an image, passages", "[answers]") {
  const Words speech = {"recommend", "--task", "speech-inference", "--instance", "ecs.gn7i-c16g1.4xlarge"};
  has(screen(speech), " x real time");
  const json heard = pick(speech)["speed"];
  CHECK(heard["unit"] == "audio_s/s");
  CHECK(heard["value"].get<double>() == Approx(30 * heard["samples_per_second"].get<double>()));
  for (const std::string model : {"resnet-50", "yolov7", "retinanet"}) {
    has(screen({"recommend", "--task", "cv-inference", "--model", model, "--instance", "ecs.gn7i-c16g1.4xlarge"}),
        " images/s");
  }
  const Words draw = {"recommend", "--task", "diffusion-inference", "--instance", "ecs.gn7i-c16g1.4xlarge"};
  has(screen(draw), " s per image");
  const auto rate = [&](const Words& more) {
    return pick(with(draw, more))["speed"]["samples_per_second"].get<double>();
  };
  CHECK(rate({"--steps", "15"}) > 1.5 * rate({"--steps", "30"}));
  CHECK(rate({"--resolution", "512x512"}) > rate({"--resolution", "1024x1024"}));
  has(screen({"recommend", "--task", "embedding-inference", "--instance", "ecs.gn7i-c16g1.4xlarge"}), " passages/s");
}

TEST_CASE("break-even hours stand once on a screen", "[answers]") {
  for (const auto& more : {Words{}, Words{"--hours-per-month", "730"}}) {
    const std::string text = screen(with({"recommend", "--task", "hpc", "--app", "OpenFOAM"}, more));
    CHECK(times(text, "hours a month on") == 1);
  }
  has(screen({"recommend", "--task", "hpc", "--app", "OpenFOAM", "--hours-per-month", "730", "--explain"}),
      "at 730 hours a month a monthly subscription costs less");
}

TEST_CASE("a scene that does not fit a card refuses it, and one that does stands in the bar", "[answers][rendering]") {
  const json all = answer({"recommend", "--task", "rendering", "--scene-gib", "30"});
  const json* a10 = rejection(all, "ecs.gn7i-c16g1.4xlarge");
  REQUIRE(a10 != nullptr);
  CHECK((*a10)["rule"] == "memory/fit");
  const json memory = all["recommendations"][0]["memory"];
  CHECK(memory["per_accelerator_gib"]["scene"].get<double>() == Approx(30));
  CHECK(memory["fits"] == true);
  has(screen({"recommend", "--task", "rendering", "--scene-gib", "30"}), "(scene 30.0)");
  has(screen({"recommend", "--task", "rendering"}), "the scene's size is not stated (--scene-gib)");
}

TEST_CASE("renderers without a measured scene get speed between cards and no invented score", "[answers][rendering]") {
  for (const std::string renderer : {"V-Ray", "Octane", "Blender", "Redshift"}) {
    INFO(renderer);
    const auto on = [&](const std::string& type) {
      return pick({"recommend", "--task", "rendering", "--renderer", renderer, "--instance", type});
    };
    const json l20 = on("ecs.gn8is.2xlarge");
    const json a10 = on("ecs.gn7i-c16g1.4xlarge");
    const json t4 = on("ecs.gn6i-c4g1.xlarge");
    CHECK(a10["speed"]["relative"].get<double>() == Approx(1));
    CHECK(l20["speed"]["relative"].get<double>() > 1.5);
    CHECK(t4["speed"]["relative"].get<double>() < 0.7);
    CHECK(a10["speed"]["value"].is_null());
    CHECK(a10["cost"]["per_unit"].is_null());
  }
  const Words measured = {"recommend",  "--task",     "rendering",
                          "--renderer", "KeyShot",    "--scene",
                          "Watch",      "--instance", "ecs.gn7i-c16g1.4xlarge"};
  has(screen(measured), " frames/h");
  has(screen(measured), " per frame");
}

TEST_CASE("sessions a card, AV1 and the vGPU licence", "[answers][streaming]") {
  const Words gaming = {"recommend", "--task", "cloud-gaming"};
  has(screen(gaming), " sessions");
  has(screen(gaming), "NVIDIA GRID driver");
  has(screen({"recommend", "--task", "vdi", "--explain"}), "graphics/licence-included");
  const json av1 = answer(with(gaming, {"--codec", "av1"}));
  const json* a10 = rejection(av1, "ecs.gn7i-c16g1.4xlarge");
  REQUIRE(a10 != nullptr);
  CHECK((*a10)["rule"] == "graphics/no-av1-encoder");
  for (const auto& r : av1["recommendations"]) CHECK(r["accelerator"]["id"] != "nvidia-t4");
  const json* a100 = rejection(answer(gaming), "ecs.gn7e-c16g1.4xlarge");
  REQUIRE(a100 != nullptr);
}

TEST_CASE("streams a card by codec, preset, size and rate", "[answers][transcoding]") {
  const Words t4 = {"recommend", "--task", "video-transcoding", "--instance", "ecs.gn6i-c4g1.xlarge"};
  const auto streams = [&](const Words& more) {
    const json best = pick(with(t4, more));
    CHECK(best["speed"]["unit"] == "streams");
    return best["speed"]["value"].get<double>();
  };
  has(screen(t4), " streams");
  has(screen(t4), " per stream and hour");
  const double usual = streams({});
  CHECK(usual >= 10);  // 18 in ffmpeg at its own preset, measured
  CHECK(usual <= 22);
  CHECK(streams({"--preset", "p1"}) > usual);
  CHECK(streams({"--preset", "p7"}) < usual);
  CHECK(streams({"--frame-rate", "60"}) == Approx(usual / 2).margin(1));
  // No table of AV1 rates is known: a ratio between cards, and no count.
  const json ada = pick({"recommend", "--task", "video-transcoding", "--codec", "av1"});
  CHECK(ada["speed"]["value"].is_null());
  CHECK(ada["speed"]["relative"].is_number());
}

TEST_CASE("named HPC applications compute as they are known to", "[answers][hpc]") {
  const std::vector<std::pair<std::string, std::string>> apps = {
      {"GROMACS", "mixed"},   {"NAMD", "mixed"},   {"AMBER", "mixed"},
      {"LAMMPS", "fp64"},     {"HPL", "fp64"},     {"OpenFOAM", "fp64"},
      {"WRF", "fp32"},        {"weather", "fp32"}, {"lattice Boltzmann", "fp32"},
      {"sequencing", "int32"}};
  for (const auto& [app, precision] : apps) {
    INFO(app);
    const json all = answer({"recommend", "--task", "hpc", "--app", app});
    CHECK(all["request"]["hpc"]["precision"] == precision);
    REQUIRE_FALSE(all["recommendations"].empty());
    CHECK(all["recommendations"][0]["speed"]["relative"].is_number());
  }
  // What the user says wins.
  CHECK(answer({"recommend", "--task", "hpc", "--app", "GROMACS", "--hpc-precision",
                "fp64"})["request"]["hpc"]["precision"] == "fp64");
  const json hpl = answer({"recommend", "--task", "hpc", "--app", "HPL"});
  const json* h20 = rejection(hpl, "ecs.gn8v.4xlarge");
  REQUIRE(h20 != nullptr);
  CHECK((*h20)["rule"] == "hpc/fp64-weak");
  CHECK(rejection(hpl, "ecs.gn6e-c12g1.3xlarge") == nullptr);  // a V100 is not weak
  const json two =
      answer({"recommend", "--task", "hpc", "--nodes", "2", "--instance", "ecs.gn7i-c16g1.4xlarge", "--explain"});
  const std::string notes = two["recommendations"][0]["warnings"].dump();
  has(notes, "hpc/no-rdma");
  lacks(pick({"recommend", "--task", "hpc", "--instance", "ecs.gn7i-c16g1.4xlarge"})["warnings"].dump(), "hpc/no-rdma");
}

TEST_CASE("a spot answer says how to ask for the release rate", "[answers]") {
  const Words spot = {"recommend",
                      "--task",
                      "llm-finetune",
                      "--params",
                      "7B",
                      "--instance",
                      "ecs.gn7i-c16g1.4xlarge",
                      "--method",
                      "qlora",
                      "--charge-type",
                      "spot",
                      "--checkpointing",
                      "true"};
  has(screen(spot), "DescribeSpotAdvice");
  lacks(screen({"recommend", "--task", "llm-finetune", "--params", "7B", "--instance", "ecs.gn7i-c16g1.4xlarge",
                "--method", "qlora"}),
        "DescribeSpotAdvice");
}

TEST_CASE("costs are price over speed to the last digit, in every answer of a ranking", "[answers][property]") {
  const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); };
  for (const std::string task :
       {"llm-finetune", "llm-pretrain", "llm-inference", "cv-inference", "embedding-inference"}) {
    const json all = answer({"recommend", "--task", task, "--top", "40"});
    const json& asked = all["request"]["inference"];
    int priced = 0;
    for (const auto& r : all["recommendations"]) {
      const json& cost = r["cost"];
      const json& speed = r["speed"];
      if (cost["per_hour"].is_null()) continue;
      INFO(task << " on " << r["instance_type"]);
      ++priced;
      const double hour = cost["per_hour"];
      if (!cost["per_million_tokens"].is_null()) {
        CHECK(same(cost["per_million_tokens"], hour / (speed["tokens_per_second"].get<double>() * 3600) * 1e6));
      }
      if (!cost["per_million_input_tokens"].is_null()) {
        const double request = cost["per_million_input_tokens"].get<double>() * asked["input_tokens"].get<double>() +
                               cost["per_million_output_tokens"].get<double>() * asked["output_tokens"].get<double>();
        CHECK(same(request, hour / 3600 / speed["requests_per_second"].get<double>() * 1e6));
      }
      if (!cost["per_unit"].is_null()) {
        CHECK(same(cost["per_unit"]["amount"], hour / (speed["samples_per_second"].get<double>() * 3600) *
                                                   cost["per_unit"]["count"].get<double>()));
      }
    }
    CHECK(priced > 5);
  }
}
