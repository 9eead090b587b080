// Plans come from strangers.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "gpuadvise/check.h"

#include "base/node.h"
#include "base/text.h"
#include "catch.h"
#include "check/case_runner.h"
#include "report/findings.h"

using namespace gpuadvise;

namespace {

using test::rules;

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
  for (const Paths paths :
       {row.types,       row.families, row.count,          row.min_count,       row.max_count,
        row.zones,       row.subnets,  row.zone_policy,    row.charge,          row.spot,
        row.spot_cap,    row.image,    row.user_data,      row.placement,       row.placement_strategy,
        row.hpc_cluster, row.erdma,    row.public_address, row.security_groups, row.labels,
        row.names,       row.claims,   row.gpus,           row.driver}) {
    out.insert(out.end(), paths.begin(), paths.end());
  }
  return out;
}

std::vector<std::string> firewall_paths(const PlanResource& row) {
  std::vector<std::string> out;
  for (const auto& rule : row.firewall) {
    const std::string lead = rule.each.empty() ? "" : std::string(rule.each) + ".";
    if (!rule.each.empty()) out.emplace_back(rule.each);
    for (const auto path :
         {rule.line, rule.direction, rule.policy, rule.protocol, rule.ports, rule.port_from, rule.port_to}) {
      if (!path.empty()) out.push_back(lead + std::string(path));
    }
    for (const Paths paths : {rule.sources, rule.groups}) {
      for (const auto path : paths) out.push_back(lead + std::string(path));
    }
  }
  return out;
}

// The same attributes as a resource of a ROS template.
std::string template_of(std::string_view type, const std::string& properties) {
  return fmt::format(
      R"({{"ROSTemplateFormatVersion":"2015-09-01","Resources":{{"X":{{"Type":"{}","Properties":{}}}}}}})", type,
      properties);
}

// A document as JSON, with the node of this number, counted from the top, replaced by a text. Counts down to below
// zero.
void write_replaced(const base::Node& node, int& countdown, const std::string& value, std::string& out) {
  if (countdown-- == 0) {
    out += value;
    return;
  }
  using Kind = base::Node::Kind;
  if (node.is(Kind::map)) {
    out += '{';
    for (const auto& member : node.members) {
      out += (&member == &node.members.front() ? "" : ",") + nlohmann::json(member.key).dump() + ":";
      write_replaced(member.value, countdown, value, out);
    }
    out += '}';
  } else if (node.is(Kind::list)) {
    out += '[';
    for (const auto& item : node.items) {
      if (&item != &node.items.front()) out += ',';
      write_replaced(item, countdown, value, out);
    }
    out += ']';
  } else if (node.is(Kind::string)) {
    out += nlohmann::json(node.text).dump();
  } else {
    out += node.is(Kind::null) ? "null" : node.text;
  }
}

int count_nodes(const base::Node& node) {
  int count = 1;
  for (const auto& item : node.items) count += count_nodes(item);
  for (const auto& member : node.members) count += count_nodes(member.value);
  return count;
}

}  // namespace

TEST_CASE("each field of each resource survives each kind of value", "[check][hostile]") {
  for (const auto& row : builtin_knowledge().plans.resources) {
    const bool ros = row.type.find("::") != std::string_view::npos;
    std::string changes;
    int index = 0;
    const auto add = [&](const std::string& value, std::string after) {
      if (!row.each.empty()) {
        // The entries of the list carry the field.
        after = at_path(row.each, after);
      }
      if (ros) {
        INFO(row.type << " " << after);
        try {
          run(template_of(row.type, after), "t.json");
        } catch (const InputError& error) {
          CHECK(value == "1e999");  // the one value that no number holds
          CHECK(error.place().line > 0);
        }
        return;
      }
      changes += (changes.empty() ? "" : ",") + change(row.type, index++, after);
    };
    for (const auto& value : values()) {
      for (const auto path : paths_of(row)) add(value, at_path(path, value));
      for (const auto& path : firewall_paths(row)) add(value, at_path(path, value));
      for (const auto& disks : {row.system_disk, row.data_disks}) {
        for (const auto& disk : disks) {
          for (const auto path : {disk.category, disk.size, disk.level, disk.encrypted}) {
            if (path.empty()) continue;
            const std::string entry = at_path(path, value);
            add(value, disk.each.empty() ? entry : at_path(disk.each, entry));
            if (!disk.each.empty()) add(value, at_path(disk.each, value));
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

TEST_CASE("each value of each other kind of file survives each kind of value", "[check][hostile]") {
  std::set<std::string> seen;
  for (const auto& folder : test::case_folders()) {
    CheckOptions options;
    for (const auto& input : test::case_inputs(folder, options)) {
      const std::string name = std::filesystem::path(input.name).filename().string();
      if (name.find("plan") == 0 || name.find("schema") == 0 || name.find("tfstate") != std::string::npos) continue;
      base::Node document;
      try {
        document = base::parse_document(input.bytes, name);
      } catch (const InputError&) {
        continue;  // several documents, or none
      }
      if (!seen.insert(name + std::to_string(count_nodes(document))).second) continue;
      for (int i = 0; i < count_nodes(document); ++i) {
        for (const std::string value : {"null", "true", "-7.5", "\"text\"", "[[]]", "{\"a\":[1]}"}) {
          std::string text;
          int countdown = i;
          write_replaced(document, countdown, value, text);
          INFO(input.name << ": " << text);
          try {
            run(text, name);
          } catch (const InputError&) {
            SUCCEED();  // an error with a place is an answer
          }
        }
      }
    }
  }
  CHECK(seen.size() > 10);
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
  const CheckReport report = run(plan, "=cmd()\n::error::a,b:c<script>\u202e.json");
  REQUIRE(report.findings.size() == 1);
  const base::Texts texts(builtin_knowledge().messages, Lang::en);
  const report::FindingsView view{report, rules(), texts, false, 100, "error", 0};
  for (const auto& format : report::findings_formats()) {
    const std::string out = format.write(view);
    INFO(format.name << ":\n" << out);
    CHECK(out.find('\x1b') == std::string::npos);
    CHECK(out.find("\u202e") == std::string::npos);  // would turn the rest of the line around
    CHECK(out.find("\n::error::pwn") == std::string::npos);
    CHECK(out.find("\n=cmd()") == std::string::npos);
    const bool markup = format.name == "markdown" || format.name == "junit";
    if (markup) CHECK(out.find("<script>") == std::string::npos);
    if (format.name == "markdown") CHECK(out.find("@all") == std::string::npos);
    if (format.name == "tap") CHECK(std::count(out.begin(), out.end(), '#') <= 1);
    if (format.name == "github") {
      CHECK(out.find("%0A") == std::string::npos);
      CHECK(std::count(out.begin(), out.end(), '\n') == 2);
    }
    if (format.name == "json" || format.name == "sarif" || format.name == "gitlab") {
      CHECK_NOTHROW(nlohmann::json::parse(out));
    }
  }
}

TEST_CASE("an empty file is called empty", "[check][hostile]") {
  for (const std::string bytes : {"", "  \n\t\n", "\xEF\xBB\xBF"}) {
    try {
      run(bytes, "-");
      FAIL("accepted");
    } catch (const InputError& error) {
      CHECK(std::string(error.message()).find("empty") != std::string::npos);
    }
  }
}

TEST_CASE("each alternative is told by its type in every format", "[check][hostile]") {
  const CheckReport report = run(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {k8s.aliyun.com/eci-use-specs: "
      "'ecs.gn6i-c4g1.xlarge,ecs.gn6i-c8g1.2xlarge'}}\nspec: {containers: [{name: c, image: vllm/vllm-openai, args: "
      "[--model, Qwen/Qwen2.5-14B-Instruct, --dtype, half], resources: {limits: {nvidia.com/gpu: 1}}}]}\n",
      "pod.yaml");
  const base::Texts texts(builtin_knowledge().messages, Lang::en);
  for (const auto& format : report::findings_formats()) {
    const std::string out = format.write({report, rules(), texts, false, 100, "error", 1});
    INFO(format.name << ":\n" << out);
    CHECK(out.find("ecs.gn6i-c4g1.xlarge") != std::string::npos);
    CHECK(out.find("ecs.gn6i-c8g1.2xlarge") != std::string::npos);
  }
}

TEST_CASE("a secret tag is not read, and the others are", "[check][hostile]") {
  const std::string plan = plan_of(
      R"({"address":"alicloud_instance.x","mode":"managed","type":"alicloud_instance","name":"x","change":{"actions":["create"],"after":{"instance_type":"ecs.gn7i-c8g1.2xlarge","tags":{"token":"2 x H100 topsecret","gpu":"T4"}},"after_sensitive":{"tags":{"token":true}}}})");
  const CheckReport report = run(plan);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].rule == "claim/wrong-card");
  CHECK(report.findings[0].message.find("T4") != std::string::npos);
}

TEST_CASE("a list that is marked sensitive hides all its entries", "[check][hostile]") {
  for (const std::string marks :
       {"true", R"({"worker_config":true})", R"({"worker_config":[{"instance_type":true},{"instance_type":true}]})"}) {
    const CheckReport report = run(plan_of(
        R"({"address":"tencentcloud_kubernetes_cluster.x","mode":"managed","type":"tencentcloud_kubernetes_cluster","name":"x","change":{"actions":["create"],"after":{"worker_config":[{"instance_type":"GN7.3XLARGE32"},{"instance_type":"GN7.5XLARGE32"}]},"after_sensitive":)" +
        marks + "}}"));
    for (const auto& finding : report.findings) CHECK(finding.message.find("XLARGE32") == std::string::npos);
  }
}
