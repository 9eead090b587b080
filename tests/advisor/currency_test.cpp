// Money in several currencies: amounts are compared in one currency or not at all.
#include <algorithm>
#include <iterator>
#include <set>

#include "gpuadvise/advise.h"
#include "gpuadvise/prices.h"

#include "catch.h"

namespace gpuadvise {
namespace {

Advice ask(const Profile& profile, const Knowledge& knowledge) {
  static const RuleSet rules(builtin_knowledge().rules);
  RecommendOptions options;
  options.top = 3;
  return recommend(profile, knowledge, rules, options);
}

std::vector<Profile> profiles() {
  std::vector<Profile> out(4);
  out[0].task = "llm-finetune";
  out[0].model.params = 13e9;
  out[1].task = "llm-inference";
  out[1].model.params = 7e9;
  out[2].task = "cv-inference";
  out[3].task = "rendering";
  return out;
}

// The built-in prices with every second priced type listed in dollars, at the same number of them.
std::vector<Price> half_in_dollars() {
  const auto listed = builtin_knowledge().catalog.prices;
  std::vector<Price> prices(listed.begin(), listed.end());
  std::set<std::string_view> types;
  for (auto& price : prices) {
    types.insert(price.type);
    price.currency = types.size() % 2 == 0 ? "USD" : "CNY";
  }
  return prices;
}

TEST_CASE("without a rate, an amount in another currency has no part in the ranking", "[currency]") {
  const std::vector<Price> prices = half_in_dollars();
  Knowledge mixed = builtin_knowledge();
  mixed.catalog.prices = prices;
  // The same knowledge without the dollar rows: what cannot be compared must count as much as what is not known.
  std::vector<Price> yuan;
  std::copy_if(prices.begin(), prices.end(), std::back_inserter(yuan),
               [](const Price& p) { return p.currency == "CNY"; });
  Knowledge known = builtin_knowledge();
  known.catalog.prices = yuan;
  for (const auto& profile : profiles()) {
    INFO(*profile.task);
    const Advice a = ask(profile, mixed);
    const Advice b = ask(profile, known);
    REQUIRE(a.recommendations.size() == b.recommendations.size());
    std::size_t foreign = 0;
    for (std::size_t i = 0; i < a.recommendations.size(); ++i) {
      const Recommendation& r = a.recommendations[i];
      CHECK(r.type->name == b.recommendations[i].type->name);
      CHECK(r.score == b.recommendations[i].score);
      const CostEstimate& c = r.estimate.cost;
      if (c.known) {
        CHECK(c.currency == "CNY");
        CHECK(c.price->currency == "CNY");
      } else if (c.price != nullptr) {
        CHECK(c.price->currency == "USD");
        CHECK(c.why == "cost/other-currency");
        ++foreign;
      }
    }
    CHECK(foreign > 0);
  }
}

TEST_CASE("a budget in another currency than the price is unknown, and said to be", "[currency]") {
  const std::vector<Price> prices = half_in_dollars();
  Knowledge mixed = builtin_knowledge();
  mixed.catalog.prices = prices;
  Profile profile = profiles().front();
  profile.constraints.budget_per_hour = 1e6;  // any price is within it, as a number
  const Advice advice = ask(profile, mixed);
  for (const auto& r : advice.recommendations) CHECK(r.estimate.cost.price->currency == "CNY");
  const auto said = std::count_if(advice.rejected.begin(), advice.rejected.end(), [](const Rejection& r) {
    return r.reason.text.find("--fx USD=RATE") != std::string::npos;
  });
  CHECK(said > 0);
}

TEST_CASE("the currency of the answer does not change the order", "[currency]") {
  std::vector<Price> yuan_only;
  for (const auto& price : builtin_knowledge().catalog.prices) {
    if (price.currency == "CNY") yuan_only.push_back(price);  // types listed in both are taken as listed
  }
  Knowledge base = builtin_knowledge();
  base.catalog.prices = yuan_only;
  const auto rated = PricedKnowledge::load({}, {"USD=8"}, base);  // exact in binary
  for (Profile profile : profiles()) {
    INFO(*profile.task);
    const Advice yuan = ask(profile, rated.knowledge());
    profile.constraints.currency = "USD";
    const Advice dollars = ask(profile, rated.knowledge());
    REQUIRE(yuan.recommendations.size() == dollars.recommendations.size());
    std::size_t converted = 0;
    for (std::size_t i = 0; i < yuan.recommendations.size(); ++i) {
      CHECK(yuan.recommendations[i].type == dollars.recommendations[i].type);
      CHECK(yuan.recommendations[i].score == dollars.recommendations[i].score);
      const CostEstimate& a = yuan.recommendations[i].estimate.cost;
      const CostEstimate& b = dollars.recommendations[i].estimate.cost;
      REQUIRE(a.known == b.known);
      if (!a.known) continue;
      CHECK(a.price == b.price);
      CHECK(*a.per_hour == *b.per_hour * 8);
      CHECK_FALSE(a.exchange_rate);
      CHECK(b.exchange_rate == 1.0 / 8);
      CHECK(b.currency == "USD");
      ++converted;
    }
    CHECK(converted > 0);
  }
}

}  // namespace
}  // namespace gpuadvise
