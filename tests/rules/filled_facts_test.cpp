// A rule that looks at a fact which nobody fills in can never fire. What `recommend` fills in is found out by asking: a
// probe rule for every field says so where the field is known, over requests of every kind.
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

#include "gpuadvise/advise.h"

#include "base/arena.h"
#include "base/node.h"
#include "catch.h"
#include "workload/profile.h"

using namespace gpuadvise;

namespace {

// Beside one request for every task with its defaults: all that a user can add.
constexpr const char* kRequests[] = {
    R"({task: llm-finetune, model: {name: qwen2.5-7b}, data: {dataset_tokens: 1e9, dataset_gib: 900},
        operations: {environment: development, interruptible: true, checkpointing: true, charge_type: on_demand,
                     hours_per_month: 400},
        constraints: {regions: [cn-beijing, cn-shanghai, cn-hangzhou], vendors: [alibaba, tencent], currency: CNY,
                      budget_per_hour: 100000, budget_total: 1e9, deadline_hours: 1e6, export_unrestricted: false, cuda_only: true,
                      domestic_only: false},
        software: {cuda: "12.4", driver: "550.54", cudnn: "9.1.0", nccl: "2.21.5", framework: "torch 2.6.0", image: "ubuntu"}})",
    R"({task: llm-finetune, model: {params: 1.5B}, training: {method: full, precision: fp16, global_batch: 8,
        micro_batch: 1}, hardware: {nodes: 2}, constraints: {instance_types: [ecs.gn6e-c12g1.24xlarge]}})",
    R"({task: llm-finetune, model: {params: 7B}, training: {method: full, framework: deepspeed, offload: optimizer}})",
    R"({task: llm-pretrain, model: {params: 175B}, data: {dataset_tokens: 1e12}})",
    R"({task: llm-inference, model: {name: qwen2.5-14b-instruct}, inference: {weights: bf16},
        operations: {environment: production}})",
    R"({task: llm-inference, model: {name: qwen2.5-7b-instruct}, inference: {weights: fp8, requests_per_second: 40,
        off_peak_requests_per_second: 4, max_context: 8192, slo: {ttft_ms: 5000, tpot_ms: 100}},
        operations: {environment: production}, constraints: {budget_per_hour: 100000}})",
    R"({task: llm-inference, model: {name: qwen2.5-7b-instruct}, inference: {requests_per_second: 40,
        slo: {ttft_ms: 1, tpot_ms: 1}}})",
    R"({task: llm-inference, model: {name: qwen2.5-7b-instruct}, inference: {requests_per_second: 4000},
        constraints: {max_nodes: 1}})",
    R"({task: llm-inference, model: {name: qwen2.5-0.5b-instruct}, constraints: {accelerators: [A100]}})",
    R"({task: llm-inference, model: {name: deepseek-r1}})",
    R"({task: llm-pretrain, model: {params: 2000B}, constraints: {max_nodes: 1}})",
    R"({task: llm-finetune, model: {params: 70B}, parallelism: {zero_stage: 1, tensor: 1, pipeline: 1, data: 8},
        training: {method: lora}})",
    R"({task: llm-finetune, model: {params: 13B}, constraints: {families: [ga1, gn8], budget_per_hour: 0.01}})",
    R"({task: llm-finetune, model: {params: 13B}, constraints: {deadline_hours: 0.001}})",
    R"({task: rendering, operations: {hours_per_month: 730}})",
    R"({task: cv-training, training: {precision: fp16, micro_batch: 16}, data: {dataset_gib: 300}, constraints: {families: [gn5]}})",
    R"({task: llm-finetune, model: {params: 7B}, constraints: {currency: USD, instance_types: [ecs.gn7e-c16g1.4xlarge]}})",
    R"({task: llm-finetune, model: {params: 7B}, constraints: {currency: USD, budget_per_hour: 100}})",
    R"({task: cv-inference, model: {params: 70B}})",
    R"({task: hpc, hpc: {app: gromacs, precision: fp64, bound: bandwidth}})",
    R"({task: rendering, rendering: {app: blender}})",
    R"({task: rendering, rendering: {frames: 5000, minutes_per_frame: 6}, constraints: {deadline_hours: 48}})",
    R"({task: hpc, hpc: {hours_per_run: 10}, operations: {runs: 40}})",
    R"({task: video-transcoding, transcoding: {codec: hevc, direction: transcode}})",
};

std::string probe_id(const FieldInfo& field, std::string_view scope) {
  std::string id = fmt::format("probe/{}-{}", scope, field.name);
  std::replace_if(
      id.begin() + 6, id.end(), [](char c) { return c == '.' || c == '_'; }, '-');
  return id;
}

std::string probes() {
  std::string out = "rules:\n";
  for (const FieldInfo& field : rule_fields()) {
    const std::string value = field.type == FieldType::real    ? "1.5"
                              : field.type == FieldType::whole ? "1"
                              : field.type == FieldType::flag  ? "true"
                              : field.type == FieldType::words ? "[a]"
                              : field.values.empty()           ? "a"
                                                               : std::string(field.values.front());
    for (const std::string_view scope : {"candidate", "recommendation"}) {
      out += fmt::format(
          "  - {{id: {}, severity: note, scope: {}, when: has({}), effect: note, message: {{en: m, zh: m}}, "
          "remedy: {{en: r, zh: r}}, tests: [{{fires: true, given: {{{}: {}}}}}, {{fires: false, given: {{}}}}]}}\n",
          probe_id(field, scope), scope, field.name, field.name, value);
    }
  }
  return out;
}

struct Seen {
  std::set<std::string, std::less<>> candidate;       // fields known where candidates are judged
  std::set<std::string, std::less<>> recommendation;  // and where the answer is
  std::set<std::string, std::less<>> rules;           // ids of everything that was printed
};

void read(const Note& note, Seen& seen) { seen.rules.insert(std::string(note.rule)); }

void ask(std::string_view request, const RuleSet& rules, Seen& seen) {
  const Knowledge& knowledge = builtin_knowledge();
  base::Arena arena;
  const std::string name = "request";
  const Profile profile = read_profile(base::parse_yaml(request, name), arena, name);
  RecommendOptions options;
  options.top = 400;
  options.include = {Status::preview, Status::retired, Status::undocumented};
  const Advice advice = recommend(profile, knowledge, rules, options);
  for (const auto& r : advice.rejected) read(r.reason, seen);
  for (const auto& r : advice.recommendations) {
    for (const auto& note : r.reasons) read(note, seen);
    for (const auto& note : r.warnings) read(note, seen);
  }
}

const Seen& seen() {
  static const Seen all = [] {
    RuleSet rules(builtin_knowledge().rules);
    rules.lay_over(probes(), "probes.yaml");
    Seen out;
    for (const auto& task : builtin_knowledge().catalog.tasks) ask(fmt::format("{{task: {}}}", task.id), rules, out);
    for (const auto* request : kRequests) ask(request, rules, out);
    for (const FieldInfo& field : rule_fields()) {
      if (out.rules.erase(probe_id(field, "candidate")) > 0) out.candidate.insert(std::string(field.name));
      if (out.rules.erase(probe_id(field, "recommendation")) > 0) out.recommendation.insert(std::string(field.name));
    }
    return out;
  }();
  return all;
}

bool filled(const Rule& rule, std::string_view field) {
  // What the search came to is told where it fails, to the rules that put that into words.
  if (field.starts_with("search.")) return true;
  return rule.spec.scope == RuleScope::candidate ? seen().candidate.contains(field)
                                                 : seen().recommendation.contains(field);
}

}  // namespace

TEST_CASE("Rules on candidates and answers look at facts that recommend fills in", "[rules]") {
  REQUIRE(seen().candidate.size() > 100);
  for (const Rule& rule : builtin_knowledge().rules) {
    if (rule.spec.scope == RuleScope::plan) continue;
    INFO(rule.spec.id);
    for (const auto index : rule.fields) {
      const std::string_view field = info(static_cast<Field>(index)).name;
      if (field.starts_with("plan.")) continue;  // what `check` adds
      INFO(field);
      CHECK(filled(rule, field));
    }
    // A rule that also serves `check` fires without what only a plan can tell.
    const auto tests = rule.spec.tests;
    CHECK(std::any_of(tests.begin(), tests.end(), [&](const RuleTest& test) {
      const auto facts = test.given.values;
      return test.fires &&
             std::all_of(facts.begin(), facts.end(), [&](const Fact& f) { return filled(rule, f.field); });
    }));
  }
}

TEST_CASE("Every id that recommend prints is a rule", "[rules]") {
  const RuleSet rules(builtin_knowledge().rules);
  for (const auto& id : seen().rules) {
    INFO(id);
    CHECK(rules.find(id) != nullptr);
  }
  for (const auto* id : {"catalog/unknown-card", "memory/fit", "memory/data-parallel-does-not-pool", "serving/load",
                         "serving/too-many", "money/budget-per-hour", "money/deadline", "sense/too-much-card",
                         "sense/quantise", "network/slower-than-one", "network/no-rdma", "operations/subscription",
                         "memory/room", "memory/smaller-card-short", "money/rank", "serving/replicas"}) {
    INFO(id);
    CHECK(seen().rules.contains(id));
  }
}
