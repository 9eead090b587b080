// Plans come from strangers.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "gpuadvise/check.h"

#include "base/text.h"
#include "catch.h"
#include "report/findings.h"

using namespace gpuadvise;

namespace {

const RuleSet& rules() {
  static const RuleSet set(builtin_knowledge().rules);
  return set;
}

CheckReport run(const std::string& bytes, const std::string& name = "plan.json") {
  CheckOptions options;
  options.source_dir = "/nonexistent";
  return check_plans({{name, bytes, false}}, options, builtin_knowledge(), rules());
}

// A path of the tables with `value` at its end: "a[].b" becomes {"a": [{"b": value}]}.
std::string at_path(std::string_view path, const std::string& value) {
  const auto dot = path.find('.');
  std::string_view key = path.substr(0, dot);
  const bool list = key.ends_with("[]");
  if (list) key.remove_suffix(2);
  std::string inner = dot == std::string_view::npos ? value : at_path(path.substr(dot + 1), value);
  if (list) inner = "[" + inner + "]";
  return fmt::format("{{\"{}\":{}}}", key, inner);
}

std::string change(std::string_view type, int index, const std::string& after) {
  return fmt::format(
      R"({{"address":"{0}.x[{1}]","mode":"managed","type":"{0}","name":"x","change":{{"actions":["create"],"before":null,"after":{2},"after_unknown":{{}},"after_sensitive":false}}}})",
      type, index, after);
}

std::string plan_of(const std::string& changes) {
  return R"({"format_version":"1.2","resource_changes":[)" + changes + "]}";
}

const std::vector<std::string>& values() {
  static const std::vector<std::string> all = {"null",
                                               "true",
                                               "false",
                                               "0",
                                               "-1",
                                               "1e999",
                                               "123456789012345678901234567890",
                                               "0.5",
                                               "\"\"",
                                               "\"text\"",
                                               "\"ecs.gn7i-c8g1.2xlarge\"",
                                               "[]",
                                               "[1]",
                                               "[null]",
                                               "[[[]]]",
                                               "[\"a\",\"b\"]",
                                               "{}",
                                               "{\"a\":1}",
                                               "{\"key\":[],\"value\":{}}",
                                               "\"\\u0000\\u001b[31m::error::\""};
  return all;
}

std::vector<std::string_view> paths_of(const PlanResource& row) {
  std::vector<std::string_view> out;
  for (const Paths paths : {row.types,       row.families, row.count,          row.min_count, row.max_count,
                            row.zones,       row.subnets,  row.zone_policy,    row.charge,    row.spot,
                            row.spot_cap,    row.image,    row.user_data,      row.placement, row.placement_strategy,
                            row.hpc_cluster, row.erdma,    row.public_address, row.labels,    row.names,
                            row.claims,      row.gpus,     row.driver}) {
    out.insert(out.end(), paths.begin(), paths.end());
  }
  return out;
}

}  // namespace

TEST_CASE("each field of each resource survives each kind of value", "[check][hostile]") {
  for (const auto& row : builtin_knowledge().plans.resources) {
    if (row.type.find("::") != std::string_view::npos) continue;
    std::string changes;
    int index = 0;
    const auto add = [&](std::string after) {
      if (!row.each.empty()) {
        // The entries of the list carry the field.
        after = at_path(row.each, after);
      }
      changes += (changes.empty() ? "" : ",") + change(row.type, index++, after);
    };
    for (const auto& value : values()) {
      for (const auto path : paths_of(row)) add(at_path(path, value));
      for (const auto& disks : {row.system_disk, row.data_disks}) {
        for (const auto& disk : disks) {
          for (const auto path : {disk.category, disk.size, disk.level}) {
            if (path.empty()) continue;
            const std::string entry = at_path(path, value);
            add(disk.each.empty() ? entry : at_path(disk.each, entry));
            if (!disk.each.empty()) add(at_path(disk.each, value));
          }
        }
      }
      // The whole of `after`, and a list of machines that is none.
      changes += (changes.empty() ? "" : ",") + change(row.type, index++, value);
      if (!row.each.empty()) changes += "," + change(row.type, index++, at_path(row.each, value));
    }
    INFO(row.type);
    CHECK_NOTHROW(run(plan_of(changes)));
  }
}

TEST_CASE("a truncated plan is one clear error at any byte", "[check][hostile]") {
  const std::string whole =
      plan_of(change("alicloud_instance", 0, R"({"instance_type":"ecs.gn7i-c8g1.2xlarge","tags":{"a":"\u00e9"}})"));
  REQUIRE_NOTHROW(run(whole));
  for (std::size_t n = 1; n < whole.size(); ++n) {
    CHECK_THROWS_AS(run(whole.substr(0, n)), InputError);
  }
}

TEST_CASE("depth, duplicates and huge numbers are refused or passed over, never followed", "[check][hostile]") {
  const std::string deep(100'000, '[');
  CHECK_THROWS_AS(run(R"({"format_version":"1.2","resource_changes":[],"variables":)" + deep), InputError);
  CHECK_THROWS_AS(run(deep), InputError);
  CHECK_THROWS_AS(run(plan_of(change("alicloud_instance", 0, R"({"instance_type":"a","instance_type":"b"})"))),
                  InputError);
  CHECK_THROWS_AS(run(R"({"format_version":"1.2","resource_changes":[],"resource_changes":[]})"), InputError);
  CHECK_NOTHROW(run(
      plan_of(change("alicloud_ecs_instance_set", 0, R"({"instance_type":"ecs.gn7i-c8g1.2xlarge","amount":1e308})"))));
  std::string yaml = "kind: Pod\napiVersion: v1\nspec: ";
  for (int i = 0; i < 5000; ++i) yaml += "[";
  const CheckReport report = run(yaml, "pod.yaml");
  CHECK(report.partial);
}

TEST_CASE("UTF-16 and byte order marks are read", "[check][hostile]") {
  const std::string plan = plan_of(change("alicloud_instance", 0, R"({"instance_type":"ecs.gn6i-c16g1.3xlarge"})"));
  std::string little = "\xFF\xFE";
  std::string big = "\xFE\xFF";
  for (const char c : plan) {
    little += c;
    little += '\0';
    big += '\0';
    big += c;
  }
  for (const auto& bytes : {"\xEF\xBB\xBF" + plan, little, big, little.substr(2)}) {
    const CheckReport report = run(bytes);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].rule == "type/unknown");
  }
  CHECK_THROWS_AS(run("{\"format_version\":\"1.2\",\"planned_values\":\"\xC3\x28\"}"), InputError);
}

TEST_CASE("sensitive values are never printed", "[check][hostile]") {
  const std::string secret = "ecs.gn6i-c16g1.3xlarge";
  const std::string plan = plan_of(
      R"({"address":"alicloud_instance.x","mode":"managed","type":"alicloud_instance","name":"x","change":{"actions":["create"],"after":{"instance_type":")" +
      secret +
      R"(","tags":{"gpu":"2 x T4 topsecret"},"instance_name":"topsecret","data_disks":[{"category":"topsecret","size":20}],"user_data":"vllm serve topsecret-7b"},"after_unknown":{},"after_sensitive":{"instance_type":true,"tags":true,"instance_name":true,"data_disks":[{"category":true}],"user_data":true}}})");
  const CheckReport report = run(plan);
  const base::Texts texts(builtin_knowledge().messages, Lang::en);
  const report::FindingsView view{report, rules(), texts, false, 100, "error", 0};
  for (const auto& format : report::findings_formats()) {
    const std::string out = format.write(view);
    CHECK(out.find(secret) == std::string::npos);
    CHECK(out.find("topsecret") == std::string::npos);
  }
  CHECK(std::any_of(report.findings.begin(), report.findings.end(),
                    [](const Finding& f) { return f.rule == "type/sensitive"; }));
}

TEST_CASE("names cannot speak for us", "[check][hostile]") {
  const std::string evil =
      R"(alicloud_instance.x[\"\u001b[31m\n::error::pwn <script>alert(1)</script> =cmd() %0A | `a` @all\"])";
  const std::string plan =
      R"({"format_version":"1.2","resource_changes":[{"address":")" + evil +
      R"(","mode":"managed","type":"alicloud_instance","name":"x","change":{"actions":["create"],"after":{"instance_type":"ecs.gn6i-c16g1.3xlarge"}}}]})";
  const CheckReport report = run(plan);
  REQUIRE(report.findings.size() == 1);
  const base::Texts texts(builtin_knowledge().messages, Lang::en);
  const report::FindingsView view{report, rules(), texts, false, 100, "error", 0};
  for (const auto& format : report::findings_formats()) {
    const std::string out = format.write(view);
    INFO(format.name << ":\n" << out);
    CHECK(out.find('\x1b') == std::string::npos);
    CHECK(out.find("\n::error::pwn") == std::string::npos);
    if (format.name == "markdown" || format.name == "junit") CHECK(out.find("<script>") == std::string::npos);
    if (format.name == "markdown") CHECK(out.find("@all") == std::string::npos);
    if (format.name == "github") {
      CHECK(out.find("%0A") == std::string::npos);
      CHECK(std::count(out.begin(), out.end(), '\n') == 2);
    }
  }
}
