// Work that machines share without talking to each other: frames, the runs of a sweep, replicas.
#include <algorithm>
#include <cmath>

#include "gpuadvise/advise.h"
#include "gpuadvise/knowledge.h"

#include "builtin_rules.h"
#include "catch.h"

namespace gpuadvise::test {
namespace {

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

// It would point into an answer that is gone.
const Recommendation* find(const Advice&& advice, std::string_view type) = delete;

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
  CHECK(*large->hours_to_finish == Approx(1));
  CHECK(*large->estimate.speed.relative == Approx(3));
}

TEST_CASE("a frame or a run is not split to finish the last round sooner") {
  // Nine frames of an hour on eight cards are two rounds.
  const Advice nine = ask(frames(9, 60, 10));
  REQUIRE(find(nine, kEightA10) != nullptr);
  CHECK(*find(nine, kEightA10)->hours_to_finish == Approx(2));
  // Three of an hour within an hour and a half need three machines of one card.
  const Advice three = ask(frames(3, 60, 1.5));
  REQUIRE(find(three, kOneA10) != nullptr);
  CHECK(find(three, kOneA10)->machine.nodes == 3);
  CHECK(*find(three, kOneA10)->hours_to_finish == Approx(1));
  Profile runs;
  runs.task = "hpc";
  runs.hpc.hours_per_run = 10;
  runs.operations.runs = 3;
  runs.constraints.deadline_hours = 15;
  const Advice swept = ask(runs);
  const Recommendation* a100 = find(swept, "ecs.gn7e-c16g1.4xlarge");
  REQUIRE(a100 != nullptr);
  CHECK(a100->machine.nodes == 3);
}

TEST_CASE("one frame takes all the cards of a machine") {
  const Advice one = ask(frames(1, 60, 10));
  const Recommendation* large = find(one, kEightA10);
  REQUIRE(large != nullptr);
  CHECK(*large->hours_to_finish == Approx(1 / *large->estimate.speed.relative));
}

TEST_CASE("training without an amount of work is not given more machines than hold it") {
  for (const char* task : {"diffusion-training", "speech-training", "recsys-training", "cv-training"}) {
    Profile p;
    p.task = task;
    const Advice advice = ask(p);
    for (const int most : {1, 2, 4}) {
      p.constraints.max_nodes = most;
      const Advice fewer = ask(p);
      for (const auto& r : advice.recommendations) {
        INFO(task << " " << r.type->name << " on " << r.machine.nodes);
        if (!r.hours_to_finish && r.machine.nodes > most) CHECK(find(fewer, r.type->name) == nullptr);
      }
    }
  }
}

TEST_CASE("the hours, the relative speed and what is said of faster and cheaper agree") {
  for (const Profile& p : {frames(1000, 2, 1), frames(20, 60, 10), sweep(20, 48)}) {
    const Advice advice = ask(p);
    const Recommendation& pick = advice.recommendations.front();
    for (const auto& r : advice.recommendations) {
      INFO(*p.task << " " << r.type->name);
      if (!r.estimate.speed.relative || !pick.estimate.speed.relative) continue;
      CHECK(*r.estimate.speed.relative / *pick.estimate.speed.relative ==
            Approx(*pick.hours_to_finish / *r.hours_to_finish).epsilon(1e-6));
    }
  }
}

TEST_CASE("a deadline inside the error of the estimate is said to be so") {
  const Advice untied = ask(frames(100, 6, 10));
  REQUIRE(find(untied, kOneA10) != nullptr);
  CHECK(*find(untied, kOneA10)->hours_to_finish == Approx(10));
  Profile tight = frames(100, 6, 10);
  constexpr std::string_view kOnly[] = {kOneA10};
  tight.constraints.instance_types = std::span<const std::string_view>(kOnly);
  CHECK(says(ask(tight).recommendations.front().warnings, "money/deadline-tight"));
  tight.constraints.deadline_hours = 15;
  CHECK_FALSE(says(ask(tight).recommendations.front().warnings, "money/deadline-tight"));
}

TEST_CASE("a service has no end that a deadline could meet") {
  Profile p;
  p.task = "llm-inference";
  p.model.params = 7e9;
  p.constraints.deadline_hours = 5;
  const Advice advice = ask(p);
  CHECK(advice.recommendations.empty());
  CHECK(std::any_of(advice.rejected.begin(), advice.rejected.end(),
                    [](const auto& r) { return r.reason.rule == "money/no-end"; }));
  CHECK(std::none_of(advice.rejected.begin(), advice.rejected.end(),
                     [](const auto& r) { return r.reason.rule == "money/time-unknown"; }));
}

TEST_CASE("the nearest miss within a budget is one that meets it once changed") {
  Profile p;
  p.task = "llm-inference";
  p.model.params = 7e9;
  p.constraints.budget_per_hour = 5;
  const Advice advice = ask(p);
  REQUIRE(advice.recommendations.empty());
  REQUIRE(advice.nearest_miss);
  REQUIRE_FALSE(advice.nearest_miss->change.empty());
  Profile changed = p;
  const std::string_view flags = advice.nearest_miss->change;
  REQUIRE(flags.starts_with("--weights "));
  changed.inference.weights = flags.substr(std::string_view("--weights ").size());
  const std::string_view only[] = {advice.nearest_miss->type->name};
  changed.constraints.instance_types = std::span<const std::string_view>(only);
  const Advice again = ask(changed);
  REQUIRE_FALSE(again.recommendations.empty());
  CHECK(*again.recommendations.front().estimate.cost.per_hour <= 5);
}

TEST_CASE("what is said to be cheapest and fastest is so by what is paid and by the whole") {
  for (const char* task : {"llm-inference", "vlm-inference", "cv-inference", "diffusion-inference", "vdi",
                           "speech-inference", "cloud-gaming", "llm-finetune"}) {
    Profile p;
    p.task = task;
    if (std::string_view(task).starts_with("llm")) p.model.params = 7e9;
    const Advice advice = ask(p);
    const auto money = [](const Recommendation& r) {
      return r.estimate.cost.to_finish ? r.estimate.cost.to_finish : r.estimate.cost.per_hour;
    };
    for (const auto& named : advice.recommendations) {
      const auto is = [&](Role role) {
        return std::find(named.roles.begin(), named.roles.end(), role) != named.roles.end();
      };
      for (const auto& r : advice.recommendations) {
        INFO(task << " " << named.type->name << " against " << r.type->name);
        if (is(Role::cheapest) && money(r)) CHECK(*money(named) <= *money(r) * 1.0011);
        if (is(Role::fastest) && !named.hours_to_finish && r.estimate.speed.known && r.estimate.speed.relative &&
            named.estimate.speed.relative) {
          CHECK(*named.estimate.speed.relative >= *r.estimate.speed.relative * 0.99);
        }
      }
    }
  }
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
    const double rounds = std::ceil(24.0 / r.runs_at_once);
    CHECK(*r.hours_to_finish == Approx(rounds * *alone->hours_to_finish));
    CHECK(*r.estimate.speed.tokens_per_second == Approx(*alone->estimate.speed.tokens_per_second * 24 / rounds));
    CHECK(*r.hours_to_finish <= 12 * (1 + 1e-9));
    if (r.estimate.cost.known && alone->estimate.cost.known) {
      CHECK(*r.estimate.cost.to_finish == Approx(rounds * r.runs_at_once * *alone->estimate.cost.to_finish));
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
  const std::vector<Note> served = ask(serving).recommendations.front().reasons;
  CHECK((says(served, "fleet/small-machines") || says(served, "fleet/large-machines")));
  Profile job;
  job.task = "llm-finetune";
  job.model.params = 8e9;
  const std::vector<Note> alone = ask(job).recommendations.front().reasons;
  CHECK_FALSE((says(alone, "fleet/small-machines") || says(alone, "fleet/large-machines")));
}

}  // namespace
}  // namespace gpuadvise::test
