// --prices and --fx as a person uses them: what the screen and the JSON say, and what is refused.
#include <nlohmann/json.hpp>
#include <regex>

#include "catch.h"
#include "run_program.h"

using namespace gpuadvise::test;
using nlohmann::json;

namespace {

const Words kTask = {"recommend", "--task", "llm-finetune", "--params", "7B", "--instance", "ecs.gn7i-c16g1.4xlarge",
                     "--method",  "qlora",  "--tokens",     "100M"};

json pick(const Words& arguments) {
  const Outcome outcome = run_program(with(arguments, {"--format", "json"}));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json answer = json::parse(outcome.out);
  return answer["recommendations"].at(0);
}

std::string screen(const Words& arguments) {
  const Outcome outcome = run_program(arguments);
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  return outcome.out;
}

// Wherever the lines are broken.
void has(const std::string& lines, const std::string& part) {
  const std::string text = std::regex_replace(lines, std::regex("\\s+"), " ");
  INFO(text << "\n  should say: " << part);
  CHECK(text.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("a price of one's own is used and named", "[prices]") {
  const TempFile csv(
      "type,charge,currency,amount,as_of\necs.gn7i-c16g1.4xlarge,on_demand,CNY,5,2026-11-02\n"
      "ecs.gn7i-c16g1.4xlarge,month,CNY,1825,\n",
      ".csv");
  const Words own = with(kTask, {"--prices", csv.path()});
  const std::string text = screen(own);
  has(text, "CNY 5.00 per hour");
  has(text, "your price file (" + csv.path() + ":2)");
  has(text, "CNY 1,825 / month costs less than CNY 5.00 / hour, on demand from 365 hours a month on");
  const json cost = pick(own)["cost"];
  CHECK(cost["per_hour"] == 5);
  CHECK(cost["basis"]["user_supplied"] == true);
  CHECK(cost["basis"]["confidence"] == "user");
  CHECK(cost["basis"]["source"] == csv.path() + ":2");
  CHECK(cost["basis"]["as_of"] == "2026-11-02");
  CHECK(cost["basis"]["age_months"] == 0);
  CHECK(cost["basis"]["region"].is_null());
  CHECK(cost["breakeven"]["month"]["hours_per_month"] == 365);
  CHECK(cost["breakeven"]["month"]["subscription"]["user_supplied"] == true);
  CHECK(cost["breakeven"]["year"].is_null());
  const json listed = pick(kTask)["cost"];
  CHECK(listed["basis"]["user_supplied"] == false);
  CHECK(listed["per_hour"] != 5);
}

TEST_CASE("dollars become yuan at the rate given, and not without", "[prices]") {
  const TempFile csv("type,charge,currency,amount\necs.gn7i-c16g1.4xlarge,on_demand,USD,2\n", ".csv");
  const Words dollars = with(kTask, {"--prices", csv.path()});
  const std::string plain = screen(dollars);
  has(plain, "priced in USD: not comparable without --fx USD=RATE");
  has(plain, "USD 2.00 / hour, on demand");
  const json unknown = pick(dollars)["cost"];
  CHECK(unknown["per_hour"].is_null());
  CHECK(unknown["currency"].is_null());
  CHECK(unknown["basis"]["amount"] == 2);
  CHECK(unknown["basis"]["currency"] == "USD");
  CHECK(unknown["why"].get<std::string>().find("--fx") != std::string::npos);
  // A budget in yuan is not answered by a price in dollars.
  const Outcome budget = run_program(with(dollars, {"--budget-per-hour", "1000"}));
  CHECK(budget.code == 1);
  has(budget.out, "--fx USD=RATE");

  const Words rated = with(dollars, {"--fx", "USD=7.1"});
  has(screen(rated), "CNY 14.2 per hour");
  has(screen(rated), "listed at USD 2.00 / hour, on demand; 1 USD = 7.1 CNY as given");
  const json cost = pick(rated)["cost"];
  CHECK(cost["currency"] == "CNY");
  CHECK(cost["per_hour"] == Approx(14.2));
  CHECK(cost["basis"]["exchange_rate"] == 7.1);
  CHECK(cost["basis"]["amount"] == 2);
  CHECK(screen(with(rated, {"--budget-per-hour", "15"})).find("CNY 14.2") != std::string::npos);
  CHECK(run_program(with(rated, {"--budget-per-hour", "14"})).code == 1);
}

TEST_CASE("spot is a range, with an allowance for training that writes checkpoints", "[prices]") {
  const Words spot = with(kTask, {"--charge-type", "spot"});
  const json lost = pick(spot)["cost"];
  CHECK(lost["per_hour_range"].size() == 2);
  CHECK(lost["per_hour_range"][1] == lost["per_hour"]);
  CHECK(lost["to_finish"].is_null());
  has(screen(spot), "no cost to finish: an interruption loses the work");
  const Words kept = with(spot, {"--checkpointing", "true"});
  const json cost = pick(kept)["cost"];
  CHECK(cost["interruption_loss"].get<double>() > 0);
  CHECK(cost["to_finish"].is_number());
  has(screen(kept), "reckoned lost to interruptions (planning value)");
}

TEST_CASE("tokens in and out have prices of their own", "[prices]") {
  const Words serve = {"recommend", "--task",     "llm-inference",         "--params",
                       "7B",        "--instance", "ecs.gn7i-c16g1.4xlarge"};
  const json cost = pick(serve)["cost"];
  CHECK(cost["per_million_output_tokens"].get<double>() > cost["per_million_input_tokens"].get<double>());
  has(screen(serve), "per million input tokens");
  has(screen(serve), "per million output tokens");
}

TEST_CASE("price files and rates that are wrong end with 2 and one line", "[prices][bad-input]") {
  const std::string head = "type,charge,region,currency,amount\n";
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {head + "ecs.gn7i-c16g1.4xlrage,on_demand,,CNY,8\n", ":2:1: type: \"ecs.gn7i-c16g1.4xlrage\""},
      {head + "ecs.gn7i-c16g1.4xlarge,on_demand,,CNY,-8\n", ":2:39: amount: -8"},
      {head + "ecs.gn7i-c16g1.4xlarge,on_demand,,CNY,NaN\n", ":2:39: amount: expected a number"},
      {head + "ecs.gn7i-c16g1.4xlarge,on_demand,,XYZ,8\n", ":2:35: currency: \"XYZ\""},
      {head + "ecs.gn7i-c16g1.4xlarge,on_demand,,\"CNY,8\n", ":2:35: a quote that is never closed"},
      {"type,charge,amount\nx,on_demand,8\n", ":1:1: no column \"currency\""},
  };
  for (const auto& [text, part] : wrong) {
    const TempFile file(text, ".csv");
    for (const Words& command : {kTask, Words{"estimate", "--task", "llm-finetune", "--params", "7B", "--instance",
                                              "ecs.gn7i-c16g1.4xlarge"}}) {
      const Outcome outcome = run_program(with(command, {"--prices", file.path()}));
      CHECK(outcome.code == 2);
      CHECK(outcome.out.empty());
      has(outcome.err, file.path() + part);
    }
  }
  for (const std::string rate : {"USD", "USD=x", "USDX=7", "CNY=1"}) {
    const Outcome outcome = run_program(with(kTask, {"--fx", rate}));
    CHECK(outcome.code == 2);
    CHECK(outcome.err.starts_with("gpuadvise: --fx: "));
  }
  CHECK(run_program(with(kTask, {"--prices", "/nonexistent.csv"})).code == 2);
}

// A budget in a plan's configuration is held against the same price that recommend reckons with.
namespace {

std::string plans_with(const std::string& constraints, const std::string& more) {
  return "version: 1\nworkloads:\n  serve: {task: llm-inference, model: {name: qwen2.5-7b-instruct}, inference: "
         "{weights: bf16, "
         "max_context: 4096}, constraints: {" +
         constraints + "}}\nplans:\n  - {name: one, instance_type: ecs.gn7i-c16g1.4xlarge, workload: serve" + more +
         "}\n";
}

Outcome check_plan(const std::string& config, const Words& more) {
  const TempFile file(config, ".yaml");
  return run_program(with({"check", "--config", file.path()}, more));
}

}  // namespace

TEST_CASE("check holds a budget against prices as recommend reckons them", "[prices][check]") {
  const TempFile csv("type,charge,currency,amount\necs.gn7i-c16g1.4xlarge,on_demand,USD,2\n", ".csv");
  const Words dollars = {"--prices", csv.path()};
  const Words rated = with(dollars, {"--fx", "USD=7.1"});
  // 2 USD an hour are 14.2 CNY at that rate, and nothing without one.
  const Outcome unknown = check_plan(plans_with("budget_per_hour: 14", ""), dollars);
  CHECK(unknown.code == 0);
  has(unknown.out, "cost/price-currency");
  has(unknown.out, "--fx USD=RATE");
  const Outcome over = check_plan(plans_with("budget_per_hour: 14", ""), rated);
  CHECK(over.code == 1);
  has(over.out, "1 x ecs.gn7i-c16g1.4xlarge cost 14.20 CNY an hour, over the budget");
  CHECK(check_plan(plans_with("budget_per_hour: 20", ""), rated).code == 0);
  // The budget's own currency is that of the answer.
  has(check_plan(plans_with("budget_per_hour: 1.9, currency: USD", ""), rated).out, "cost 2.00 USD an hour");
}

TEST_CASE("check takes spot as the vendor's range, as the plan or the workload says it", "[prices][check]") {
  const TempFile csv("type,charge,currency,amount\necs.gn7i-c16g1.4xlarge,on_demand,CNY,10\n", ".csv");
  const Words own = {"--prices", csv.path()};
  for (const auto& config :
       {plans_with("budget_per_hour: 9", ", charge_type: spot"),
        std::string("version: 1\nworkloads:\n  serve: {task: llm-inference, model: {name: qwen2.5-7b-instruct}, "
                    "inference: {weights: bf16, max_context: 4096}, operations: {charge_type: spot}, "
                    "constraints: {budget_per_hour: 9}}\nplans:\n  - {name: one, instance_type: "
                    "ecs.gn7i-c16g1.4xlarge, workload: serve}\n")}) {
    const Outcome spot = check_plan(config, own);
    CHECK(spot.code == 1);
    has(spot.out, "on spot: 1.00 to 10.00 CNY an hour as the vendor states its range");
    has(spot.out, "cost 10.00 CNY an hour, over the budget");
  }
  // A spot price of one's own is a price, not a range.
  const TempFile known("type,charge,currency,amount\necs.gn7i-c16g1.4xlarge,spot,CNY,3\n", ".csv");
  const Outcome fine = check_plan(plans_with("budget_per_hour: 9", ", charge_type: spot"), {"--prices", known.path()});
  CHECK(fine.code == 0);
  CHECK(fine.out.find("cost/") == std::string::npos);
  // The same words as recommend: the lower end, the upper end, the same numbers.
  const json cost = pick(with(kTask, {"--prices", csv.path(), "--charge-type", "spot"}))["cost"];
  CHECK(cost["per_hour_range"] == json::array({1.0, 10.0}));
}

TEST_CASE("a budget with no price to hold against it is said, and no unpriced type is offered", "[prices][check]") {
  const std::string unpriced = R"(version: 1
workloads:
  serve: {task: llm-inference, model: {name: qwen2.5-7b-instruct}, inference: {weights: bf16, max_context: 4096}, constraints: {budget_per_hour: 1}}
plans:
  - {name: one, instance_type: ecs.gn7i-c48e.12xlarge, workload: serve}
)";
  has(check_plan(unpriced, {}).out, "a budget is set, and no sourced price says what 1 x ecs.gn7i-c48e.12xlarge cost");
  const Outcome over = check_plan(plans_with("budget_per_hour: 1", ""), {});
  CHECK(over.code == 1);
  CHECK(over.out.find("ecs.gn7i-c48e.12xlarge") == std::string::npos);
}
