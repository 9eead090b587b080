// Price files of the user's own and exchange rates: what is laid over what, and what is refused with its place.
#include <algorithm>
#include <fmt/format.h>

#include "gpuadvise/error.h"
#include "gpuadvise/prices.h"

#include "catch.h"
#include "run_program.h"

namespace gpuadvise {
namespace {

using test::TempFile;

constexpr std::string_view kHead = "type,charge,region,currency,amount,as_of,source\n";
constexpr std::string_view kType = "ecs.gn7i-c16g1.4xlarge";

std::string row(const std::string& cells) { return std::string(kHead) + cells + "\n"; }

std::string error_of(std::string_view text, std::string_view suffix = ".csv") {
  const TempFile file(text, suffix);
  try {
    PricedKnowledge::load({file.path()}, {}, builtin_knowledge());
  } catch (const InputError& error) {
    const std::string what = error.what();
    return what.starts_with(file.path()) ? what.substr(file.path().size()) : "not of the file: " + what;
  }
  return "no error";
}

void refused(std::string_view text, std::string_view start, std::string_view part = {},
             std::string_view suffix = ".csv") {
  const std::string error = error_of(text, suffix);
  INFO(text << " -> " << error);
  CHECK(error.starts_with(start));
  CHECK(error.find(part) != std::string::npos);
}

std::vector<Price> prices_of(const Knowledge& knowledge, std::string_view type, ChargeType charge) {
  std::vector<Price> out;
  for (const auto& p : knowledge.catalog.prices) {
    if (p.type == type && p.charge == charge) out.push_back(p);
  }
  return out;
}

TEST_CASE("a price of the user's own takes the place of the listed one", "[prices]") {
  const auto listed = prices_of(builtin_knowledge(), kType, ChargeType::on_demand);
  REQUIRE(listed.size() > 2);
  const std::string region(listed.front().region);
  const TempFile one(row(std::string(kType) + ",on_demand," + region + ",cny,8.2,2026-11-02,\"contract, 2026\""),
                     ".csv");
  const auto priced = PricedKnowledge::load({one.path()}, {}, builtin_knowledge());
  const auto now = prices_of(priced.knowledge(), kType, ChargeType::on_demand);
  const auto here = std::count_if(listed.begin(), listed.end(), [&](const Price& p) { return p.region == region; });
  CHECK(now.size() == listed.size() - static_cast<std::size_t>(here) + 1);
  const auto own =
      std::find_if(now.begin(), now.end(), [](const Price& p) { return p.confidence == SourceKind::user; });
  REQUIRE(own != now.end());
  CHECK(own->amount == 8.2);
  CHECK(own->currency == "CNY");
  CHECK(own->region == region);
  CHECK(own->as_of == "2026-11-02");
  CHECK(own->source == "contract, 2026");
  CHECK(own->vendor == "alibaba");
  // Sorted as searches need it, and told from the facts without it.
  const auto prices = priced.knowledge().catalog.prices;
  CHECK(std::is_sorted(prices.begin(), prices.end(), [](const Price& a, const Price& b) { return a.type < b.type; }));
  CHECK(priced.knowledge().catalog.sha256 != builtin_knowledge().catalog.sha256);
  CHECK(priced.remarks().empty());
}

TEST_CASE("a price without a region holds in all of them", "[prices]") {
  const TempFile file(row("GN7I-C16G1.4XLARGE,on_demand,,USD,1.2,,"), ".CSV");
  const auto priced = PricedKnowledge::load({file.path()}, {}, builtin_knowledge());
  const auto now = prices_of(priced.knowledge(), kType, ChargeType::on_demand);
  REQUIRE(now.size() == 1);  // of every listed row
  CHECK(now.front().source == file.path() + ":2");
}

TEST_CASE("YAML and CSV say the same", "[prices]") {
  const TempFile yaml("prices:\n  - {type: ecs.gn7i-c16g1.4xlarge, charge: month, currency: CNY, amount: 3100}\n",
                      ".yaml");
  const TempFile json(
      R"({"prices": [{"type": "ecs.gn7i-c16g1.4xlarge", "charge": "month", "currency": "CNY", "amount": 3100}]})",
      ".json");
  const TempFile csv("currency,amount,type,charge\r\nCNY,3100,\"ecs.gn7i-c16g1.4xlarge\",month\r\n", ".csv");
  for (const auto* file : {&yaml, &json, &csv}) {
    const auto priced = PricedKnowledge::load({file->path()}, {}, builtin_knowledge());
    const auto now = prices_of(priced.knowledge(), kType, ChargeType::month);
    REQUIRE(now.size() == 1);
    CHECK(now.front().amount == 3100);
    CHECK(now.front().as_of.empty());
  }
}

TEST_CASE("a region that the catalog does not know is remarked on", "[prices]") {
  const TempFile file(row(std::string(kType) + ",on_demand,cn-hangzhuo,CNY,8.2,,"), ".csv");
  const auto priced = PricedKnowledge::load({file.path()}, {}, builtin_knowledge());
  REQUIRE(priced.remarks().size() == 1);
  CHECK(priced.remarks().front().starts_with(file.path() + ":2:34: "));
  CHECK(priced.remarks().front().find("did you mean \"cn-hangzhou\"?") != std::string::npos);
}

TEST_CASE("price files that are wrong, with their places", "[prices]") {
  const std::string t(kType);
  refused("type,charge,amount\n" + t + ",on_demand,8\n", ":1:1: no column \"currency\"", "the columns are");
  refused(row("ecs.gn7i-c16g1.4xlrage,on_demand,,CNY,8,,"),
          ":2:1: type: \"ecs.gn7i-c16g1.4xlrage\" is not an instance type", "did you mean \"ecs.gn7i-c16g1.4xlarge\"?");
  refused(row(t + ",on-demand,,CNY,8,,"), ":2:24: charge: \"on-demand\" is not one of", "did you mean \"on_demand\"?");
  refused(row(t + ",,,CNY,8,,"), ":2:24: charge is missing");
  refused(row(t + ",on_demand,,RMB,8,,"), ":2:35: currency: \"RMB\" is not one of CNY, USD");
  refused(row(t + ",on_demand,,,8,,"), ":2:35: currency is missing");
  refused(row(t + ",on_demand,,CNY,-8,,"), ":2:39: amount: -8 is not a price");
  refused(row(t + ",on_demand,,CNY,0,,"), ":2:39: amount: 0 is not a price");
  for (const std::string word : {"NaN", "nan", "inf", "-inf", "8 CNY", "1e999", "0x8", "\"1,234\"", "free"}) {
    refused(row(t + fmt::format(",on_demand,,CNY,{},,", word)), ":2:39: amount: expected a number");
  }
  refused(row(t + ",on_demand,,CNY,8,yesterday,"), ":2:41: as_of: \"yesterday\" is not YYYY");
  refused(row(t + ",on_demand,,CNY,8,,\n" + t + ",on_demand,,CNY,9,,"), ":3:1: ", "the price stands here and at ");
  // Another spelling of the type is the same type.
  refused(row(t + ",on_demand,,CNY,8,,\nGN7I-C16G1.4XLARGE,on_demand,,CNY,9,,"), ":3:1: ", "stands here and at ");
  refused("type,charge,region,curency,amount\n" + t + ",on_demand,,CNY,8\n", ":1:1: no column \"currency\"");
  refused("type,charge,region,currency,amount,prise\n" + t + ",on_demand,,CNY,8,9\n", ":1:36: unknown key \"prise\"");
  refused("type;charge;currency;amount\n" + t + ";on_demand;CNY;8\n", ":1:1: no column \"type\"");
  refused(row(t + ",on_demand,,CNY,8"), ":2:1: 5 cells, and the first line names 7 columns");
  refused(row("\"" + t + ",on_demand,,CNY,8,,"), ":2:1: a quote that is never closed");
  refused(kHead, ":1:1: holds no price");
  refused("", ":1:1: empty");

  const std::string y = ".yaml";
  refused("prices: []\n", ":1:9: holds no price", {}, y);
  refused("price: []\n", ":1:1: unknown section \"price\"", "did you mean \"prices\"?", y);
  refused("- {type: x}\n", ":1:1: expected a map", {}, y);
  refused("prices:\n  - {type: " + t + ", charge: on_demand, currency: CNY, amount: .nan}\n",
          ":2:", "amount: expected a number", y);
  refused("prices:\n  - {type: " + t + ", charge: on_demand, currency: CNY}\n", ":2:5: prices[0].amount is missing", {},
          y);
  refused("prices:\n  - {type: " + t + ", charge: on_demand, currency: CNY, amount: 8, amuont: 9}\n",
          ":2:", "unknown key \"amuont\" in prices[0]; did you mean \"amount\"?", y);
}

TEST_CASE("exchange rates", "[prices]") {
  const auto priced = PricedKnowledge::load({}, {"USD=7.1", " eur = 7.8 "}, builtin_knowledge());
  const auto rates = priced.knowledge().catalog.exchange_rates;
  REQUIRE(rates.size() == 2);
  CHECK(rates[0].currency == "USD");
  CHECK(rates[0].worth == 7.1);
  CHECK(rates[1].currency == "EUR");
  CHECK(priced.knowledge().catalog.sha256 == builtin_knowledge().catalog.sha256);  // a rate is no fact
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"USD"}, "expected a currency and what it is worth in CNY"},
      {{"USDD=7"}, "unknown currency \"USDD\"; did you mean \"USD\"?"},
      {{"CNY=1"}, "rates are stated in CNY itself"},
      {{"USD=0"}, "not a rate"},
      {{"USD=-7"}, "not a rate"},
      {{"USD=nan"}, "not a rate"},
      {{"USD=inf"}, "not a rate"},
      {{"USD=7,1"}, "not a rate"},
      {{"USD="}, "not a rate"},
      {{"USD=7", "usd=8"}, "USD is given twice"},
  };
  for (const auto& [texts, message] : wrong) {
    INFO(texts.back());
    try {
      PricedKnowledge::load({}, texts, builtin_knowledge());
      FAIL("no error");
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).starts_with("--fx: "));
      CHECK(error.message().find(message) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace gpuadvise
