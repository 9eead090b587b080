// The order within a tie, on candidates made by hand.
#include <algorithm>
#include <memory>

#include "advisor/standing.h"
#include "catalog/lookup.h"
#include "catch.h"

namespace gpuadvise::test {
namespace {

struct Candidate {
  std::string_view card;
  std::optional<double> cost;  // of the work
  double hours = 10;
  double firm = 1;      // share of the points that rest on no estimate
  double band = 20;     // per cent, either way
  std::string_view id;  // stands in for the type's name
};

Recommendation make(const Candidate& c, double cheapest, double fastest) {
  static std::vector<std::unique_ptr<InstanceType>> types;
  types.push_back(std::make_unique<InstanceType>());
  types.back()->name = c.id;
  Recommendation r;
  r.type = types.back().get();
  r.machine.accelerator = find_accelerator(builtin_knowledge().catalog, c.card);
  r.estimate.speed.band_low_percent = -c.band;
  r.estimate.speed.band_high_percent = c.band;
  const auto term = [&](std::string_view criterion, std::optional<double> value, double share, double weight) {
    ScoreTerm t;
    t.criterion = criterion;
    t.value = value;
    t.weight = weight;
    t.normalised = share;
    t.contribution = weight * share;
    r.score += 100 * t.contribution;
    r.criteria.push_back(t);
  };
  term("cost", c.cost, c.cost ? cheapest / *c.cost : 0, 0.2);
  term("time", c.hours, fastest / c.hours, 0.6);
  term("lifecycle", std::nullopt, c.firm, 0.2);
  return r;
}

// The ids in the order that ties are put in.
std::vector<std::string_view> ordered(const std::vector<Candidate>& given) {
  double cheapest = 1e9, fastest = 1e9;
  for (const auto& c : given) {
    cheapest = std::min(cheapest, c.cost.value_or(1e9));
    fastest = std::min(fastest, c.hours);
  }
  std::vector<Recommendation> all;
  for (const auto& c : given) all.push_back(make(c, cheapest, fastest));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  order_ties(all);
  std::vector<std::string_view> out;
  for (const auto& r : all) out.push_back(r.type->name);
  return out;
}

using Names = std::vector<std::string_view>;
constexpr std::string_view kA100 = "nvidia-a100-sxm4-80gb";
constexpr std::string_view kH20 = "nvidia-h20-96gb";
constexpr std::string_view kL20 = "nvidia-l20";

TEST_CASE("of two cards that tie the cheaper goes first") {
  // The second is 11 % slower, within an error of 28 %, and 10 % cheaper: its score is lower.
  CHECK(ordered({{kA100, 100, 9, 1, 20, "dear"}, {kH20, 90, 10, 1, 20, "cheap"}}) == Names{"cheap", "dear"});
}

TEST_CASE("estimates that are sure leave the score to decide") {
  CHECK(ordered({{kA100, 100, 9, 1, 2, "dear"}, {kH20, 90, 10, 1, 2, "cheap"}}) == Names{"dear", "cheap"});
}

TEST_CASE("types with one card stay in the order of the score") {
  CHECK(ordered({{kA100, 100, 9, 1, 20, "dear"}, {kA100, 90, 10, 1, 20, "cheap"}}) == Names{"dear", "cheap"});
}

TEST_CASE("the cheaper card stays behind where something that is not estimated is against it") {
  CHECK(ordered({{kA100, 100, 9, 1, 20, "dear"}, {kH20, 90, 10, 0.9, 20, "cheap"}}) == Names{"dear", "cheap"});
}

TEST_CASE("the cheaper card stays behind where it is slower by more than the error") {
  // Much cheaper and three times slower: near in score, but not for want of knowing.
  CHECK(ordered({{kA100, 300, 9, 1, 50, "dear"}, {kH20, 80, 27, 1, 50, "cheap"}}) == Names{"dear", "cheap"});
}

TEST_CASE("an unknown price is not cheaper, and nothing is cheaper than it") {
  CHECK(ordered({{kA100, 100, 9, 1, 20, "priced"}, {kH20, std::nullopt, 9, 1, 20, "unpriced"}}) ==
        Names{"priced", "unpriced"});
  CHECK(ordered({{kA100, std::nullopt, 5, 1, 60, "unpriced"}, {kH20, 90, 9, 1, 60, "priced"}}) ==
        Names{"unpriced", "priced"});
}

TEST_CASE("of three the cheapest goes first, the score orders the rest") {
  CHECK(ordered({{kA100, 100, 9, 1, 20, "first"}, {kH20, 99, 9.1, 1, 20, "second"}, {kL20, 90, 10, 1, 20, "third"}}) ==
        Names{"third", "second", "first"});
}

TEST_CASE("every candidate carries the number of its tie") {
  std::vector<Recommendation> all = {make({kA100, 10, 9, 1, 5, "a"}, 10, 9), make({kH20, 10.1, 9.1, 1, 5, "b"}, 10, 9),
                                     make({kL20, 50, 60, 1, 5, "c"}, 10, 9)};
  order_ties(all);
  CHECK(all[0].tie == 1);
  CHECK(all[1].tie == 1);
  CHECK(all[2].tie == 2);
}

}  // namespace
}  // namespace gpuadvise::test
