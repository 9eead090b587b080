// Side by side, and what would change the pick.
#include <algorithm>
#include <set>

#include "gpuadvise/compare.h"
#include "gpuadvise/error.h"
#include "gpuadvise/sensitivity.h"

#include "builtin_rules.h"
#include "catch.h"

namespace gpuadvise {
namespace {

using test::rules;

Profile serving_32b() {
  Profile p;
  p.task = "llm-inference";
  p.model.params = 32e9;
  return p;
}

TEST_CASE("a comparison answers for each name, in the order asked for", "[compare]") {
  const std::vector<std::string> names = {"gn7e", "h20", "ecs.gn7i-c16g1.4xlarge", "v100"};
  const Comparison c = compare(names, serving_32b(), builtin_knowledge(), rules(), {});
  REQUIRE(c.columns.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    INFO(names[i]);
    CHECK(c.columns[i].name == names[i]);
    CHECK(c.columns[i].runs.has_value() == c.columns[i].failures.empty());
    CHECK(c.columns[i].runs.has_value() == c.columns[i].rank.has_value());
    REQUIRE(c.columns[i].type != nullptr);
  }
  CHECK(c.columns[0].runs);  // A100 80 GB holds 32B in 16 bits
  CHECK(c.columns[0].family->name == "gn7e");
  CHECK(c.columns[1].runs);
  CHECK(c.columns[1].runs->machine.accelerator->name.find("H20") != std::string_view::npos);
  CHECK_FALSE(c.columns[2].runs);  // 24 GB does not
  CHECK(c.columns[2].failures.front().rule == "memory/fit");
  CHECK_FALSE(c.columns[3].runs);  // V100 has no bf16
  const auto bf16 = [](const Note& n) { return n.rule == "numbers/bf16"; };
  CHECK(std::any_of(c.columns[3].failures.begin(), c.columns[3].failures.end(), bf16));
  std::set<std::size_t> ranks;
  for (const auto& column : c.columns) {
    if (column.rank) ranks.insert(*column.rank);
  }
  CHECK(ranks == std::set<std::size_t>{1, 2});
}

TEST_CASE("a name that means nothing is refused with what is near it", "[compare]") {
  const std::vector<std::string> names = {"gn7e", "banana"};
  CHECK_THROWS_AS(compare(names, serving_32b(), builtin_knowledge(), rules(), {}), InputError);
}

TEST_CASE("where an input is said to change the pick, it does", "[sensitivity]") {
  Profile p;
  p.task = "llm-finetune";
  p.model.params = 13e9;
  const Knowledge& k = builtin_knowledge();
  const Advice advice = recommend(p, k, rules(), {});
  const auto turns = sensitivity(p, advice, k, rules(), {});
  REQUIRE_FALSE(turns.empty());
  const auto sequence = std::find_if(
      turns.begin(), turns.end(), [](const Turn& t) { return t.input == "training.sequence_length" && !t.to.empty(); });
  REQUIRE(sequence != turns.end());
  Profile there = p;
  there.training.sequence_length = std::stoi(sequence->to);
  const Advice moved = recommend(there, k, rules(), {});
  REQUIRE_FALSE(moved.recommendations.empty());
  CHECK(moved.recommendations.front().type == sequence->type);
  CHECK(moved.recommendations.front().machine.nodes == sequence->nodes);
  CHECK(sequence->type != advice.recommendations.front().type);
  // And 6 % before it, the pick is what it was.
  const int from = std::stoi(sequence->from);
  there.training.sequence_length =
      static_cast<int>(*there.training.sequence_length * (from < *there.training.sequence_length ? 0.94 : 1.06));
  CHECK(recommend(there, k, rules(), {}).recommendations.front().type == advice.recommendations.front().type);
  // Every turn names either another pick or nothing that fits.
  for (const auto& turn : turns) {
    INFO(turn.input);
    CHECK_FALSE(turn.looked.empty());
    if (turn.to.empty()) CHECK(turn.type == nullptr);
  }
}

TEST_CASE("the price at which a type would be the pick makes it the pick", "[why-not]") {
  Profile p;
  p.task = "llm-finetune";
  p.model.params = 13e9;
  const Knowledge& k = builtin_knowledge();
  const Advice advice = recommend(p, k, rules(), {});
  for (const std::string_view name : {"ecs.gn8is.2xlarge", "ecs.gn8is-8x.32xlarge"}) {
    INFO(name);
    const auto answers = why_not(name, p, advice, k, rules(), {});
    REQUIRE(answers.size() == 1);
    REQUIRE(answers.front().wins_below);
    const auto pick_at = [&](double amount) {
      std::vector<Price> prices(k.catalog.prices.begin(), k.catalog.prices.end());
      std::erase_if(prices, [&](const Price& row) { return row.type == name; });
      Price own{};
      own.vendor = answers.front().family->vendor;
      own.type = answers.front().type->name;
      own.charge = ChargeType::on_demand;
      own.currency = answers.front().wins_below_currency;
      own.amount = amount;
      own.confidence = SourceKind::user;
      const auto at = std::lower_bound(prices.begin(), prices.end(), own.type,
                                       [](const Price& row, std::string_view type) { return row.type < type; });
      prices.insert(at, own);
      Knowledge changed = k;
      changed.catalog.prices = prices;
      return recommend(p, changed, rules(), {}).recommendations.front().type;
    };
    CHECK(pick_at(*answers.front().wins_below) == answers.front().type);
    CHECK(pick_at(*answers.front().wins_below * 1.03) != answers.front().type);
  }
}

TEST_CASE("what lost its RDMA is named by the catalog's own rows", "[sensitivity]") {
  Profile p;
  p.task = "llm-pretrain";
  p.model.params = 7e9;
  const Knowledge& k = builtin_knowledge();
  const Advice advice = recommend(p, k, rules(), {});
  REQUIRE_FALSE(advice.recommendations.empty());
  for (const auto& turn : sensitivity(p, advice, k, rules(), {})) {
    if (turn.type == nullptr) continue;
    const auto types = turn.family->types;
    CHECK(turn.type >= types.data());
    CHECK(turn.type < types.data() + types.size());
  }
}

}  // namespace
}  // namespace gpuadvise
