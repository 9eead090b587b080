// A plan of 10,000 resources and 50 MB in under two seconds, in a release build; time grows linearly. Other builds are
// held to the shape only: twice the plan may not cost more than three times the time.
#include <chrono>
#include <fmt/format.h>
#include <string>

#include "gpuadvise/check.h"

#include "catch.h"

using namespace gpuadvise;

namespace {

std::string large_plan(int resources, std::size_t bytes) {
  const std::string filler(
      bytes / static_cast<std::size_t>(resources) > 900 ? bytes / static_cast<std::size_t>(resources) - 900 : 1, 'x');
  std::string out = R"({"format_version":"1.2","terraform_version":"1.9.5","resource_changes":[)";
  for (int i = 0; i < resources; ++i) {
    out += fmt::format(
        R"({}{{"address":"module.pool[{}].alicloud_instance.node[{}]","mode":"managed","type":"alicloud_instance","name":"node","index":{},"change":{{"actions":["create"],"before":null,"after":{{"instance_type":"{}","availability_zone":"cn-beijing-{}","system_disk_category":"cloud_essd","system_disk_size":100,"tags":{{"env":"prod","note":"n{}"}},"user_data":"{}"}},"after_unknown":{{"id":true,"private_ip":true}},"after_sensitive":{{}}}}}})",
        i == 0 ? "" : ",", i / 100, i, i, i % 3 == 0 ? "ecs.gn6i-c16g1.3xlarge" : "ecs.gn7i-c16g1.4xlarge",
        i % 2 == 0 ? "l" : "i", i, filler);
  }
  return out + "]}";
}

double seconds(const std::string& plan, int machines) {
  const RuleSet rules(builtin_knowledge().rules);
  CheckOptions options;
  options.source_dir = "/nonexistent";
  const auto start = std::chrono::steady_clock::now();
  const CheckReport report = check_plans({{"plan.json", plan, false}}, options, builtin_knowledge(), rules);
  const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CHECK(report.machines == machines);
  CHECK_FALSE(report.findings.empty());
  return taken;
}

}  // namespace

TEST_CASE("time grows linearly with the plan", "[check][large]") {
  const double one = seconds(large_plan(1000, 2'000'000), 1000);
  const double four = seconds(large_plan(4000, 8'000'000), 4000);
  INFO("1,000 resources: " << one << " s; 4,000 resources: " << four << " s");
  CHECK(four < 8 * one + 0.2);
}

#ifdef NDEBUG
TEST_CASE("10,000 resources and 50 MB are judged in time", "[check][large][.bench]") {
  const double taken = seconds(large_plan(10'000, 50'000'000), 10'000);
  INFO(taken << " s");
  CHECK(taken < 2.0);
}
#endif
