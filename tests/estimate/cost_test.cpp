// Which price a cost rests on, and what follows from it.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "gpuadvise/advise.h"
#include "gpuadvise/prices.h"

#include "catalog/lookup.h"
#include "catch.h"
#include "estimate/cost.h"
#include "run_program.h"

namespace gpuadvise {
namespace {

using test::TempFile;

constexpr std::string_view kType = "ecs.gn7i-c16g1.4xlarge";

// What stands in the price file of these tests, on top of the listed prices.
PricedKnowledge priced(const std::string& rows, const std::vector<std::string>& rates = {}) {
  const TempFile file("type,charge,region,currency,amount\n" + rows, ".csv");
  return PricedKnowledge::load({file.path()}, rates, builtin_knowledge());
}

std::string line(std::string_view charge, std::string_view region, std::string_view currency, double amount) {
  return fmt::format("{},{},{},{},{}\n", kType, charge, region, currency, amount);
}

PriceChoice choose(const Knowledge& k, ChargePreference charge = ChargePreference::on_demand,
                   std::optional<std::string_view> currency = {}, std::span<const std::string_view> regions = {}) {
  Workload w;
  w.profile.operations.charge_type = charge;
  w.profile.constraints.currency = currency;
  if (!regions.empty()) w.profile.constraints.regions = regions;
  const Family* family = nullptr;
  const InstanceType* type = find_type(k.catalog, kType, &family);
  REQUIRE(type != nullptr);
  return choose_price(k.catalog, find_vendor(k.catalog, family->vendor), *type, w);
}

Workload training(double tokens) {
  Workload w;
  w.kind = TaskKind::llm_training;
  w.profile.data.dataset_tokens = tokens;
  return w;
}

SpeedEstimate speed_of(double tokens_per_second) {
  SpeedEstimate s;
  s.known = true;
  s.tokens_per_second = tokens_per_second;
  return s;
}

Profile serving(double params, std::string_view type) {
  Profile p;
  p.task = "llm-inference";
  p.model.params = params;
  p.hardware.instance_type = type;
  return p;
}

TEST_CASE("the user's price, then the currency asked for, then the region's rank, then the newest", "[cost]") {
  const PriceChoice listed = choose(builtin_knowledge());
  REQUIRE(listed.price != nullptr);
  CHECK(listed.price->currency == "CNY");
  CHECK(listed.price->region.starts_with("cn-"));  // the vendor's home, before cheaper ones elsewhere
  CHECK(listed.per_hour == listed.price->amount);

  // Dearer and of a region that nobody asked for: still the user's.
  const auto own = priced(line("on_demand", "cn-wulanchabu", "CNY", 99));
  CHECK(choose(own.knowledge()).per_hour == 99);
  constexpr std::array<std::string_view, 1> kShanghai = {"cn-shanghai"};
  const PriceChoice there = choose(own.knowledge(), ChargePreference::on_demand, {}, kShanghai);
  REQUIRE(there.price != nullptr);
  CHECK(there.price->region == "cn-shanghai");
  CHECK(there.price->confidence != SourceKind::user);

  const auto both = priced(line("on_demand", "", "USD", 1) + line("on_demand", "", "CNY", 9));
  CHECK(choose(both.knowledge()).per_hour == 9);
  CHECK(choose(both.knowledge(), ChargePreference::on_demand, "USD").per_hour == 1);

  constexpr std::array<std::string_view, 1> kNowhere = {"us-east-1"};
  CHECK(choose(builtin_knowledge(), ChargePreference::year).why == "cost/no-price");
  CHECK(choose(both.knowledge(), ChargePreference::on_demand, {}, kNowhere).per_hour == 9);
}

TEST_CASE("price pages name areas for several regions", "[cost]") {
  const Catalog& catalog = builtin_knowledge().catalog;
  const Family* family = nullptr;
  const InstanceType* type = find_type(catalog, "GN7.5XLARGE80", &family);
  REQUIRE(type != nullptr);
  Workload w;
  constexpr std::array<std::string_view, 1> kGuangzhou = {"ap-guangzhou"};
  constexpr std::array<std::string_view, 1> kFrankfurt = {"eu-frankfurt"};
  w.profile.constraints.regions = kGuangzhou;
  const PriceChoice here = choose_price(catalog, find_vendor(catalog, family->vendor), *type, w);
  REQUIRE(here.price != nullptr);
  CHECK(here.price->region.starts_with("mainland China"));
  w.profile.constraints.regions = kFrankfurt;
  CHECK(choose_price(catalog, find_vendor(catalog, family->vendor), *type, w).why == "cost/no-price");
}

TEST_CASE("nothing is converted without a rate", "[cost]") {
  const auto dollars = priced(line("on_demand", "", "USD", 2));
  const PriceChoice plain = choose(dollars.knowledge());
  CHECK(plain.why == "cost/other-currency");
  CHECK_FALSE(plain.per_hour);
  REQUIRE(plain.price != nullptr);
  CHECK(plain.price->currency == "USD");
  const CostEstimate cost = estimate_cost(training(1e9), speed_of(1000), plain, dollars.knowledge().catalog, 1);
  CHECK_FALSE(cost.known);
  CHECK_FALSE(cost.per_hour);
  CHECK_FALSE(cost.to_finish);
  CHECK(cost.price == plain.price);

  const auto rated = priced(line("on_demand", "", "USD", 2), {"USD=7.25", "EUR=8"});
  const PriceChoice converted = choose(rated.knowledge());
  CHECK(converted.per_hour == 14.5);
  CHECK(converted.rate == 7.25);
  CHECK(choose(rated.knowledge(), ChargePreference::on_demand, "EUR").per_hour == 2 * (7.25 / 8));
  CHECK(choose(rated.knowledge(), ChargePreference::on_demand, "USD").per_hour == 2);
  CHECK_FALSE(choose(rated.knowledge(), ChargePreference::on_demand, "USD").rate);
  CHECK(choose(rated.knowledge(), ChargePreference::on_demand, "JPY").why == "cost/other-currency");
}

TEST_CASE("spot is the vendor's range unless the user gives a price", "[cost]") {
  const double fraction = *find_vendor(builtin_knowledge().catalog, "alibaba")->spot_min_fraction;
  const PriceChoice on_demand = choose(builtin_knowledge());
  const PriceChoice spot = choose(builtin_knowledge(), ChargePreference::spot);
  CHECK(spot.per_hour == on_demand.per_hour);
  REQUIRE(spot.per_hour_low);
  CHECK(*spot.per_hour_low == *on_demand.per_hour * fraction);
  const auto own = priced(line("spot", "", "CNY", 2.5));
  const PriceChoice given = choose(own.knowledge(), ChargePreference::spot);
  CHECK(given.per_hour == 2.5);
  CHECK_FALSE(given.per_hour_low);
  // A vendor that states no range gives none.
  Vendor silent = *find_vendor(builtin_knowledge().catalog, "alibaba");
  silent.spot_min_fraction.reset();
  Workload w;
  w.profile.operations.charge_type = ChargePreference::spot;
  const auto& catalog = builtin_knowledge().catalog;
  const PriceChoice none = choose_price(catalog, &silent, *find_type(catalog, kType), w);
  CHECK(none.why == "cost/no-spot-range");
  CHECK_FALSE(none.per_hour);
}

TEST_CASE("interruptions count for spot training that writes checkpoints, and for nothing else", "[cost]") {
  const Catalog& catalog = builtin_knowledge().catalog;
  const SpotInterruptions& s = catalog.spot_interruptions;
  REQUIRE(s.hours_between > 0);
  Workload w = training(3.6e9);
  w.profile.operations.charge_type = ChargePreference::spot;
  w.profile.operations.checkpointing = true;
  const double loss = 2 * (s.checkpoint_hours / 2 + s.restart_hours) / s.hours_between;
  CHECK(interruption_loss(w, s, 2) == Approx(loss).epsilon(1e-12));
  CHECK(*hours_to_finish(w, speed_of(1000), catalog, 2) == Approx(1000 / (1 - loss)).epsilon(1e-12));
  const PriceChoice price = choose(builtin_knowledge(), ChargePreference::spot);
  const CostEstimate cost = estimate_cost(w, speed_of(1000), price, catalog, 2);
  REQUIRE(cost.to_finish);
  CHECK(*cost.to_finish == Approx(*cost.per_hour * 1000 / (1 - loss)).epsilon(1e-12));
  CHECK(cost.interruption_loss == interruption_loss(w, s, 2));
  CHECK_FALSE(cost.month);

  // Where machines are taken back faster than they get on, the work never ends.
  const int many = static_cast<int>(s.hours_between / (s.checkpoint_hours / 2 + s.restart_hours)) + 1;
  CHECK_FALSE(hours_to_finish(w, speed_of(1000), catalog, many));
  const CostEstimate endless = estimate_cost(w, speed_of(1000), price, catalog, many);
  CHECK_FALSE(endless.to_finish);
  CHECK(endless.why == "cost/spot-too-many");

  for (const auto checkpointing : {std::optional<bool>(), std::optional<bool>(false)}) {
    w.profile.operations.checkpointing = checkpointing;
    CHECK_FALSE(interruption_loss(w, s, 2));
    CHECK(*hours_to_finish(w, speed_of(1000), catalog, 2) == Approx(1000));
    const CostEstimate lost = estimate_cost(w, speed_of(1000), price, catalog, 2);
    CHECK(lost.known);
    CHECK_FALSE(lost.to_finish);
    CHECK(lost.why == "cost/spot-no-checkpoints");
  }
  w.profile.operations.checkpointing = true;
  w.profile.operations.charge_type = ChargePreference::on_demand;
  CHECK_FALSE(interruption_loss(w, s, 2));
  Workload service = w;
  service.kind = TaskKind::llm_serving;
  service.profile.operations.charge_type = ChargePreference::spot;
  CHECK_FALSE(interruption_loss(service, s, 2));
}

TEST_CASE("a subscription is paid in whole terms", "[cost]") {
  const auto own = priced(line("month", "", "CNY", 7300) + line("year", "", "CNY", 70080));
  Workload w = training(3.6e9);  // 1,000 hours at 1,000 tokens/s
  w.profile.operations.charge_type = ChargePreference::month;
  const PriceChoice month = choose(own.knowledge(), ChargePreference::month);
  CHECK(*month.per_hour == Approx(10));
  const Catalog& catalog = own.knowledge().catalog;
  CHECK(*estimate_cost(w, speed_of(1000), month, catalog, 1).to_finish == Approx(2 * 7300));
  CHECK(*estimate_cost(w, speed_of(1e9), month, catalog, 3).to_finish == Approx(3 * 7300));
  CHECK(*estimate_cost(training(3.6e6 * 730), speed_of(1000), month, catalog, 1).to_finish == Approx(7300));
  w.profile.operations.charge_type = ChargePreference::year;
  const PriceChoice year = choose(own.knowledge(), ChargePreference::year);
  CHECK(*year.per_hour == Approx(8));
  CHECK(*estimate_cost(w, speed_of(1000), year, catalog, 1).to_finish == Approx(70080));
}

TEST_CASE("break-even hours compare prices of one region and currency", "[cost]") {
  const auto own = priced(line("on_demand", "cn-shanghai", "CNY", 10) + line("month", "cn-shanghai", "CNY", 3650) +
                          line("year", "cn-shanghai", "CNY", 96360));
  const Catalog& catalog = own.knowledge().catalog;
  for (const auto charge : {ChargePreference::on_demand, ChargePreference::month}) {
    const PriceChoice price = choose(own.knowledge(), charge);
    Workload w = training(1e9);
    w.profile.operations.charge_type = charge;
    const CostEstimate cost = estimate_cost(w, speed_of(1000), price, catalog, 4);
    REQUIRE(cost.month);
    CHECK(cost.month->hours_per_month == Approx(365));  // of one machine as of four
    CHECK(cost.month->on_demand->amount == 10);
    CHECK(cost.month->subscription->amount == 3650);
    REQUIRE(cost.year);
    CHECK(cost.year->hours_per_month == Approx(803));  // above 730: never
  }
  // At the break-even, a month on demand costs what the subscription does.
  const CostEstimate cost = estimate_cost(training(1e9), speed_of(1000), choose(own.knowledge()), catalog, 1);
  CHECK(*cost.per_hour * cost.month->hours_per_month == Approx(3650));
  const auto elsewhere = priced(line("on_demand", "cn-shanghai", "CNY", 10) + line("month", "cn-beijing", "CNY", 3650));
  CHECK_FALSE(
      estimate_cost(training(1e9), speed_of(1000), choose(elsewhere.knowledge()), elsewhere.knowledge().catalog, 1)
          .month);
  const auto foreign = priced(line("on_demand", "", "CNY", 10) + line("month", "", "USD", 500), {"USD=7"});
  CHECK_FALSE(
      estimate_cost(training(1e9), speed_of(1000), choose(foreign.knowledge()), foreign.knowledge().catalog, 1).month);
}

TEST_CASE("cost per token is price over speed, to the last digit", "[cost][property]") {
  for (const double params : {1.5e9, 7e9, 14e9, 32e9}) {
    for (const std::string_view type : {"ecs.gn7i-c16g1.4xlarge", "ecs.ebmgn7e.32xlarge", "GN10Xp.20XLARGE320"}) {
      for (const double concurrency : {1.0, 8.0, 64.0}) {
        Profile p = serving(params, type);
        p.inference.weights = "fp16";
        p.inference.concurrency = concurrency;
        p.inference.input_tokens = 700;
        p.inference.output_tokens = 300;
        const ProfileEstimate e = estimate(p, builtin_knowledge());
        const CostEstimate& c = e.estimate.cost;
        const SpeedEstimate& s = e.estimate.speed;
        if (!c.known || !s.known) continue;
        INFO(type << " " << params << " " << concurrency);
        CHECK(*c.per_hour == c.price->amount * e.machine.nodes);
        CHECK(*c.per_million_tokens == *c.per_hour / (*s.tokens_per_second * 3600) * 1e6);
        REQUIRE(c.per_million_input_tokens);
        REQUIRE(c.per_million_output_tokens);
        const double request = *c.per_hour / 3600 / *s.requests_per_second;
        const double parts = (700 * *c.per_million_input_tokens + 300 * *c.per_million_output_tokens) / 1e6;
        CHECK(std::abs(parts - request) <= 4 * std::numeric_limits<double>::epsilon() * request);
      }
      Profile tune;
      tune.task = "llm-finetune";
      tune.model.params = params;
      tune.training.precision = Precision::fp16;
      tune.hardware.instance_type = type;
      tune.data.dataset_tokens = 5e8;
      const ProfileEstimate e = estimate(tune, builtin_knowledge());
      const CostEstimate& c = e.estimate.cost;
      if (!c.known || !e.estimate.speed.known) continue;
      INFO(type << " " << params);
      const double rate = *e.estimate.speed.tokens_per_second;
      CHECK(*c.per_million_tokens == *c.per_hour / (rate * 3600) * 1e6);
      CHECK(*c.to_finish == 5e8 / rate / 3600 * *c.per_hour);
    }
  }
}

TEST_CASE("cost of what is not counted in tokens", "[cost]") {
  const auto per_unit = [](std::string_view task, std::string_view type) {
    Profile p;
    p.task = task;
    p.hardware.instance_type = type;
    return estimate(p, builtin_knowledge());
  };
  const auto images = per_unit("cv-inference", "ecs.gn7i-c16g1.4xlarge");
  REQUIRE(images.estimate.cost.per_unit);
  CHECK(images.estimate.cost.per_unit->unit == CostUnit::image);
  CHECK(images.estimate.cost.per_unit->amount ==
        Approx(*images.estimate.cost.per_hour / 3600 / *images.estimate.speed.samples_per_second * 1000));
  const auto sessions = per_unit("cloud-gaming", "ecs.gn7i-c16g1.4xlarge");
  REQUIRE(sessions.estimate.cost.per_unit);
  CHECK(sessions.estimate.cost.per_unit->unit == CostUnit::session_hour);
  CHECK(sessions.estimate.cost.per_unit->amount ==
        Approx(*sessions.estimate.cost.per_hour / *sessions.estimate.speed.value));
  const auto speech = per_unit("speech-inference", "ecs.gn7i-c16g1.4xlarge");
  if (speech.estimate.speed.samples_per_second) {
    REQUIRE(speech.estimate.cost.per_unit);
    CHECK(speech.estimate.cost.per_unit->unit == CostUnit::audio_hour);
    // An hour of audio is 120 windows of 30 seconds.
    CHECK(speech.estimate.cost.per_unit->amount ==
          Approx(*speech.estimate.cost.per_hour / 3600 / *speech.estimate.speed.samples_per_second * 120));
  }
  // Without a price: no cost, and said so.
  Profile none;
  none.task = "cv-inference";
  none.hardware.accelerator = "nvidia-a10";
  const auto unpriced = estimate(none, builtin_knowledge());
  CHECK_FALSE(unpriced.estimate.cost.known);
  CHECK_FALSE(unpriced.estimate.cost.per_unit);
  CHECK(unpriced.estimate.cost.why == "cost/no-type");
}

TEST_CASE("a frame costs the same on a fleet as on one machine, in less time", "[cost]") {
  Profile p;
  p.task = "rendering";
  p.rendering.app = "KeyShot";
  p.rendering.version = "11";
  p.rendering.scene = "Watch";
  p.rendering.resolution = "3556x2000";
  p.rendering.samples = 512;
  const auto on = [&](std::string_view type, int nodes) {
    p.hardware.instance_type = type;
    p.hardware.nodes = nodes;
    return estimate(p, builtin_knowledge()).estimate;
  };
  const Estimate one = on("ecs.gn6i-c4g1.xlarge", 1);
  const Estimate fleet = on("ecs.gn6i-c4g1.xlarge", 10);
  REQUIRE(one.cost.per_unit);
  REQUIRE(fleet.cost.per_unit);
  CHECK(one.cost.per_unit->unit == CostUnit::frame);
  CHECK(one.cost.per_unit->amount == Approx(*one.cost.per_hour / (*one.speed.samples_per_second * 3600)));
  CHECK(fleet.cost.per_unit->amount == Approx(one.cost.per_unit->amount));
  CHECK(*fleet.speed.samples_per_second == Approx(10 * *one.speed.samples_per_second));
  // Many cheap cards against few big ones: cost per frame is what tells them apart.
  const Estimate big = on("ecs.gn7i-c16g1.4xlarge", 1);
  REQUIRE(big.cost.per_unit);
  CHECK(
      big.cost.per_unit->amount / one.cost.per_unit->amount ==
      Approx(*big.cost.per_hour / *one.cost.per_hour * *one.speed.samples_per_second / *big.speed.samples_per_second));
  CHECK(*one.speed.relative / *big.speed.relative ==
        Approx(*one.speed.samples_per_second / *big.speed.samples_per_second).epsilon(0.01));
}

TEST_CASE("T4 beats V100 in cost per image for INT8 ResNet-50 when prices say so", "[cost]") {
  const auto per_thousand = [](const Knowledge& k, std::string_view type) {
    Profile p;
    p.task = "cv-inference";
    p.model.name = "resnet-50";
    p.inference.weights = "int8";
    p.inference.concurrency = 32;
    p.hardware.instance_type = type;
    const ProfileEstimate e = estimate(p, k);
    REQUIRE(e.estimate.cost.per_unit);
    return e.estimate.cost.per_unit->amount;
  };
  // One card each, at list prices: a V100 costs far more than twice a T4, and does less than twice its images.
  const Knowledge& listed = builtin_knowledge();
  CHECK(per_thousand(listed, "ecs.gn6i-c4g1.xlarge") < per_thousand(listed, "ecs.gn6v-c8g1.2xlarge"));
  // Were a V100 the cheaper of the two, it would win: the answer follows the prices.
  const TempFile file(
      "type,charge,currency,amount\necs.gn6i-c4g1.xlarge,on_demand,CNY,10\n"
      "ecs.gn6v-c8g1.2xlarge,on_demand,CNY,8\n",
      ".csv");
  const auto own = PricedKnowledge::load({file.path()}, {}, builtin_knowledge());
  CHECK(per_thousand(own.knowledge(), "ecs.gn6i-c4g1.xlarge") > per_thousand(own.knowledge(), "ecs.gn6v-c8g1.2xlarge"));
}

}  // namespace
}  // namespace gpuadvise
