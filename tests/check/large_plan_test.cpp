// A plan of 10,000 resources and 50 MB in under two seconds and 500 MB, in a release build; time grows linearly. The
// fast test holds every build to the shape only, in processor time, which other work on the machine disturbs little.
#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/format.h>
#include <string>
#include <sys/resource.h>

#include "gpuadvise/check.h"

#include "catch.h"
#include "run_program.h"

using namespace gpuadvise;

namespace {

// One of the kinds of resource that plans are full of: machines of three vendors, good ones and bad ones, among
// networks that are none of our business. Ten models are served, each machine in its own words.
struct Resource {
  std::string_view type;
  std::string attributes;
};

Resource resource(int i) {
  static constexpr auto kAlibaba =
      std::to_array<std::string_view>({"ecs.gn6i-c16g1.3xlarge", "ecs.gn7i-c16g1.4xlarge", "ecs.gn7e-c16g1.4xlarge",
                                       "ecs.gn6v-c8g1.16xlarge", "ecs.g7.xlarge"});
  static constexpr auto kTencent =
      std::to_array<std::string_view>({"GN7.2XLARGE32", "GT4.41XLARGE948", "PNV4.7XLARGE116"});
  static constexpr auto kHuawei = std::to_array<std::string_view>({"p2s.2xlarge.8", "p2s.16xlarge.8", "pi2.2xlarge.4"});
  static constexpr auto kModels =
      std::to_array<std::string_view>({"Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-72B-Instruct"});
  const auto n = static_cast<std::size_t>(i / 5);
  switch (i % 5) {
    case 0:
      return {
          "alicloud_instance",
          fmt::format(
              R"("instance_type":"{}","availability_zone":"cn-beijing-{}","system_disk_category":"cloud_essd","system_disk_size":40,)"
              R"("user_data":"#!/bin/sh\nvllm serve {} --max-model-len {}\n")",
              kAlibaba.at(n % kAlibaba.size()), n % 2 == 0 ? "l" : "i", kModels.at(n % kModels.size()),
              4096 * (1 + n % 5))};
    case 1:
      return {"tencentcloud_instance", fmt::format(R"("instance_type":"{}")", kTencent.at(n % kTencent.size()))};
    case 2:
      return {"huaweicloud_compute_instance", fmt::format(R"("flavor_id":"{}")", kHuawei.at(n % kHuawei.size()))};
    case 3:
      return {"alicloud_vpc", R"("cidr_block":"10.0.0.0/8")"};
    default:
      return {"alicloud_ecs_disk", R"("zone_id":"cn-beijing-l","size":100)"};
  }
}

// As `show -json` writes it: values twice, references once.
std::string large_plan(int resources, std::size_t bytes) {
  std::string changes;
  std::string values;
  std::string references;
  const std::size_t each = bytes / static_cast<std::size_t>(resources);
  const std::string filler(each > 1500 ? (each - 1500) / 2 : 1, 'x');
  for (int i = 0; i < resources; ++i) {
    const Resource one = resource(i);
    const std::string_view comma = i == 0 ? "" : ",";
    const std::string address = fmt::format("module.pool[{}].{}.r{}", i / 100, one.type, i);
    const std::string after =
        fmt::format(R"({{{},"tags":{{"env":"prod","note":"n{}"}},"description":"{}"}})", one.attributes, i, filler);
    changes += fmt::format(
        R"({}{{"address":"{}","mode":"managed","type":"{}","name":"r{}","change":{{"actions":["create"],"before":null,"after":{},"after_unknown":{{"id":true}},"after_sensitive":{{}}}}}})",
        comma, address, one.type, i, after);
    values += fmt::format(R"({}{{"address":"{}","mode":"managed","type":"{}","name":"r{}","values":{}}})", comma,
                          address, one.type, i, after);
    references += fmt::format(
        R"({}{{"address":"{}.r{}","mode":"managed","type":"{}","name":"r{}","expressions":{{"vswitch_id":{{"references":["alicloud_vpc.r{}.id","alicloud_vpc.r{}"]}}}}}})",
        comma, one.type, i, one.type, i, i - 1, i - 1);
  }
  return R"({"format_version":"1.2","terraform_version":"1.9.5","planned_values":{"root_module":{"child_modules":[{"address":"module.pool","resources":[)" +
         values + R"(]}]}},"resource_changes":[)" + changes +
         R"(],"configuration":{"root_module":{"module_calls":{"pool":{"module":{"resources":[)" + references +
         "]}}}}}}";
}

// The least of three runs, in processor time.
double seconds(const std::string& plan, int resources) {
  const RuleSet rules(builtin_knowledge().rules);
  CheckOptions options;
  options.source_dir = "/nonexistent";
  double least = 1e9;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t start = std::clock();
    const CheckReport report = check_plans({{"plan.json", plan, false}}, options, builtin_knowledge(), rules);
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    CHECK(report.machines == resources / 5 * 3);
    CHECK(report.findings.size() > static_cast<std::size_t>(resources) / 5);
  }
  return least;
}

}  // namespace

TEST_CASE("time grows linearly with the plan", "[check][large]") {
  const double one = seconds(large_plan(500, 1'000'000), 500);
  const double four = seconds(large_plan(2000, 4'000'000), 2000);
  INFO("500 resources: " << one << " s; 2,000 resources: " << four << " s");
  CHECK(four < 8 * one + 0.1);
}

#ifdef NDEBUG
// Run by hand: test_check "[.bench]". Figures are of the program itself, reading the file and writing JSON.
TEST_CASE("10,000 resources and 50 MB are judged in time and memory", "[.bench]") {
  for (const int resources : {1000, 2000, 5000, 10'000}) {
    const test::TempFile plan(large_plan(resources, static_cast<std::size_t>(resources) * 5000), ".json");
    rusage before{};
    getrusage(RUSAGE_CHILDREN, &before);
    const auto outcome = test::run_program({"check", plan.path(), "--format", "json"});
    rusage after{};
    getrusage(RUSAGE_CHILDREN, &after);
    const auto spent = [](const timeval& from, const timeval& to) {
      return static_cast<double>(to.tv_sec - from.tv_sec) + static_cast<double>(to.tv_usec - from.tv_usec) / 1e6;
    };
    const double taken = spent(before.ru_utime, after.ru_utime) + spent(before.ru_stime, after.ru_stime);
    const double peak_mb = static_cast<double>(after.ru_maxrss) / 1024;  // of the largest child so far
    fmt::print("{:6} resources: {:.2f} s, peak {:.0f} MB\n", resources, taken, peak_mb);
    CHECK(outcome.code == 1);
    CHECK(taken < 2.0);
    CHECK(peak_mb < 500);
  }
}
#endif
