// Work that machines share without talking to each other: frames, the runs of a sweep, replicas.
#include <algorithm>
#include <cmath>

#include "gpuadvise/advise.h"
#include "gpuadvise/knowledge.h"

#include "catch.h"

namespace gpuadvise::test {
namespace {

const RuleSet& rules() {
  static const RuleSet set(builtin_knowledge().rules);
  return set;
}

Advice ask(const Profile& p) { return recommend(p, builtin_knowledge(), rules()); }

Profile frames(int count, double minutes, double deadline) {
  Profile p;
  p.task = "rendering";
  p.rendering.frames = count;
  p.rendering.minutes_per_frame = minutes;
  p.constraints.deadline_hours = deadline;
  return p;
}

Profile sweep(int runs, double deadline) {
  Profile p;
  p.task = "llm-finetune";
  p.model.params = 7e9;
  p.training.method = Method::lora;
  p.data.dataset_tokens = 20e6;
  p.operations.runs = runs;
  p.constraints.deadline_hours = deadline;
  return p;
}

const Recommendation* find(const Advice& advice, std::string_view type) {
  const auto at = std::find_if(advice.recommendations.begin(), advice.recommendations.end(),
                               [&](const auto& r) { return r.type->name == type; });
  return at == advice.recommendations.end() ? nullptr : &*at;
}

bool says(const std::vector<Note>& notes, std::string_view rule) {
  return std::any_of(notes.begin(), notes.end(), [&](const Note& n) { return n.rule == rule; });
}

constexpr std::string_view kOneA10 = "ecs.gn7i-c16g1.4xlarge";
constexpr std::string_view kEightA10 = "ecs.ebmgn7ix.32xlarge";

TEST_CASE("one A10 takes for a frame what the profile says") {
  // 100 frames of 6 minutes are 10 hours.
  const Advice advice = ask(frames(100, 6, 10));
  const Recommendation* one = find(advice, kOneA10);
  REQUIRE(one != nullptr);
  CHECK(one->machine.nodes == 1);
  CHECK(*one->hours_to_finish == Approx(10));
}

TEST_CASE("a film is spread over as many machines as the deadline asks for") {
  // 5,000 frames of 6 minutes are 500 hours of one A10.
  for (const double deadline : {500.0, 100.0, 48.0, 10.0}) {
    const Advice advice = ask(frames(5000, 6, deadline));
    const Recommendation* one = find(advice, kOneA10);
    REQUIRE(one != nullptr);
    CHECK(one->machine.nodes == std::ceil(500 / deadline));
    CHECK(one->machines_together == 1);
    for (const auto& r : advice.recommendations) {
      INFO(r.type->name);
      REQUIRE(r.hours_to_finish);
      CHECK(*r.hours_to_finish <= deadline * (1 + 1e-9));
      const CostEstimate& cost = r.estimate.cost;
      if (!cost.known) continue;
      CHECK(*cost.to_finish == Approx(*cost.per_hour * *r.hours_to_finish));
      REQUIRE(cost.per_unit);
      CHECK(cost.per_unit->amount * 5000 == Approx(*cost.to_finish));
    }
  }
}

TEST_CASE("eight cards in one machine render as eight machines with one") {
  const Advice advice = ask(frames(5000, 6, 62.5));
  const Recommendation* small = find(advice, kOneA10);
  const Recommendation* large = find(advice, kEightA10);
  REQUIRE(small != nullptr);
  REQUIRE(large != nullptr);
  CHECK(small->machine.nodes == 8);
  CHECK(large->machine.nodes == 1);
  CHECK(*small->hours_to_finish == Approx(*large->hours_to_finish));
  CHECK(*small->hours_to_finish == Approx(62.5));
}

TEST_CASE("three frames keep three cards busy, however many there are") {
  const Advice advice = ask(frames(3, 60, 10));
  const Recommendation* large = find(advice, kEightA10);
  REQUIRE(large != nullptr);
  CHECK(large->machine.nodes == 1);
  // All eight on one frame are slower than one card on each of three, or faster: never more than eight times one.
  CHECK(*large->hours_to_finish <= 1 + 1e-9);
  CHECK(*large->hours_to_finish >= 3.0 / 8 - 1e-9);
}

TEST_CASE("frames of unknown length are said to be so") {
  Profile p;
  p.task = "rendering";
  p.rendering.frames = 2000;
  const Advice advice = ask(p);
  REQUIRE_FALSE(advice.recommendations.empty());
  const Recommendation& pick = advice.recommendations.front();
  CHECK_FALSE(pick.hours_to_finish);
  CHECK_FALSE(pick.estimate.cost.to_finish);
  CHECK(says(pick.warnings, "fleet/frames-of-unknown-length"));
}

TEST_CASE("the runs of a sweep take their own machines and do not talk") {
  const Advice one = ask(sweep(1, 1000));
  const Advice many = ask(sweep(24, 12));
  const Recommendation& pick = many.recommendations.front();
  CHECK(says(pick.reasons, "fleet/runs"));
  for (const auto& r : many.recommendations) {
    INFO(r.type->name);
    const Recommendation* alone = find(one, r.type->name);
    if (alone == nullptr || alone->machine.nodes != r.machines_together) continue;
    CHECK(r.machine.nodes == r.machines_together * r.runs_at_once);
    CHECK(r.runs_at_once <= 24);
    CHECK(*r.hours_to_finish == Approx(24 * *alone->hours_to_finish / r.runs_at_once));
    CHECK(*r.estimate.speed.tokens_per_second == Approx(*alone->estimate.speed.tokens_per_second * r.runs_at_once));
    CHECK(*r.hours_to_finish <= 12 * (1 + 1e-9));
    if (r.estimate.cost.known && alone->estimate.cost.known) {
      CHECK(*r.estimate.cost.to_finish == Approx(24 * *alone->estimate.cost.to_finish));
      CHECK(*r.estimate.cost.per_million_tokens == Approx(*alone->estimate.cost.per_million_tokens));
    }
  }
}

TEST_CASE("a run cannot be split to meet a deadline") {
  // On one machine a run takes longer than this; two runs on a thousand machines do too.
  const Advice one = ask(sweep(1, 1000));
  const Recommendation* alone = find(one, kOneA10);
  REQUIRE(alone != nullptr);
  const Advice tight = ask(sweep(2, *alone->hours_to_finish * 0.9));
  CHECK(find(tight, kOneA10) == nullptr);
  const Advice enough = ask(sweep(2, *alone->hours_to_finish * 1.01));
  REQUIRE(find(enough, kOneA10) != nullptr);
  CHECK(find(enough, kOneA10)->runs_at_once == 2);
}

TEST_CASE("a tighter deadline never adds a type, with frames and runs") {
  for (const bool film : {true, false}) {
    const auto within = [&](double hours) { return ask(film ? frames(5000, 6, hours) : sweep(24, hours)); };
    const Advice loose = within(40);
    for (const double hours : {20.0, 5.0, 1.0}) {
      for (const auto& r : within(hours).recommendations) {
        INFO(hours << " h: " << r.type->name);
        CHECK(find(loose, r.type->name) != nullptr);
      }
    }
  }
}

TEST_CASE("an HPC run of known length has hours and a price on every card") {
  Profile p;
  p.task = "hpc";
  p.hpc.bound = Bound::bandwidth;
  p.hpc.hours_per_run = 10;
  p.operations.runs = 40;
  p.constraints.deadline_hours = 100;
  const Advice advice = ask(p);
  const Recommendation* a100 = find(advice, "ecs.gn7e-c16g1.4xlarge");
  REQUIRE(a100 != nullptr);
  CHECK(a100->machine.nodes == 4);  // 400 hours of one A100 SXM4 80GB
  CHECK(*a100->hours_to_finish == Approx(100));
}

TEST_CASE("many small are held against few large where machines share the work") {
  const Advice advice = ask(frames(5000, 6, 48));
  const auto& reasons = advice.recommendations.front().reasons;
  CHECK((says(reasons, "fleet/small-machines") || says(reasons, "fleet/large-machines")) ==
        std::any_of(advice.recommendations.begin() + 1, advice.recommendations.end(), [&](const auto& r) {
          const Recommendation& pick = advice.recommendations.front();
          return r.machine.accelerator == pick.machine.accelerator && r.estimate.cost.to_finish && !r.type->slice &&
                 r.machine.accelerators_per_node != pick.machine.accelerators_per_node;
        }));
  Profile serving;
  serving.task = "llm-inference";
  serving.model.params = 8e9;
  serving.inference.requests_per_second = 20;
  const auto& served = ask(serving).recommendations.front().reasons;
  CHECK((says(served, "fleet/small-machines") || says(served, "fleet/large-machines")));
  Profile job;
  job.task = "llm-finetune";
  job.model.params = 8e9;
  const auto& alone = ask(job).recommendations.front().reasons;
  CHECK_FALSE((says(alone, "fleet/small-machines") || says(alone, "fleet/large-machines")));
}

}  // namespace
}  // namespace gpuadvise::test
