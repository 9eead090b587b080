// Which fields of a profile each kind of task reads.
#include <algorithm>
#include <set>

#include "gpuadvise/knowledge.h"
#include "gpuadvise/workload.h"

#include "base/arena.h"
#include "base/node.h"
#include "catch.h"
#include "workload/profile.h"
#include "workload/unused_fields.h"

namespace gpuadvise::test {
namespace {

const Catalog& catalog() { return builtin_knowledge().catalog; }

std::set<TaskKind> kinds() {
  std::set<TaskKind> out;
  for (const auto& task : catalog().tasks) out.insert(task.kind);
  return out;
}

std::vector<std::string> unused(const std::string& yaml) {
  base::Arena arena;
  const auto node = base::parse_document(yaml, "profile.yaml");
  return unused_fields(resolve(read_profile(node, arena, "profile.yaml"), catalog()));
}

using Fields = std::vector<std::string>;

TEST_CASE("every field is read by a kind of task, and every kind reads its own part", "[workload]") {
  const auto all = profile_fields();
  CHECK(all.size() > 90);
  for (const auto& field : all) {
    std::size_t readers = 0;
    for (const TaskKind kind : kinds()) readers += reads(kind, field) ? 1 : 0;
    INFO(field);
    CHECK(readers > 0);
    const std::string section = field.substr(0, field.find('.'));
    const std::set<std::string> shared = {"schema_version", "id", "task", "hardware", "software", "constraints"};
    CHECK((readers == kinds().size()) == (shared.contains(section) || field == "data.dataset_gib" ||
                                          (section == "operations" && field != "operations.runs")));
    for (const TaskKind kind : kinds()) {
      const auto instead = used_instead(kind, field);
      if (instead.empty()) continue;
      CHECK_FALSE(reads(kind, field));
      CHECK(reads(kind, instead));
      CHECK(std::find(all.begin(), all.end(), instead) != all.end());
    }
  }
  CHECK_FALSE(reads(TaskKind::hpc, "no.such_field"));
}

TEST_CASE("what a task assumes by itself is read by it", "[workload]") {
  for (const auto& task : catalog().tasks) {
    const bool needs_model = task.default_model.empty() && reads(task.kind, "model.params");
    INFO(task.id);
    CHECK(unused("task: " + std::string(task.id) + (needs_model ? "\nmodel: {params: 7B}" : "")).empty());
    // The filled-in defaults as a profile of the user's.
    Workload stated = resolve(
        [&] {
          Profile p;
          p.task = task.id;
          if (needs_model) p.model.params = 7e9;
          return p;
        }(),
        catalog());
    stated.assumptions.clear();
    CHECK(unused_fields(stated) == Fields{});
  }
}

TEST_CASE("fields of another task are told, with the one that is meant", "[workload]") {
  CHECK(unused("{task: llm-finetune, model: {params: 7B}, rendering: {frames: 100}}") == Fields{"rendering.frames"});
  CHECK(unused("{task: llm-finetune, model: {params: 7B}, inference: {slo: {ttft_ms: 200}, concurrency: 4}}") ==
        Fields{"inference.concurrency", "inference.slo.ttft_ms"});
  CHECK(unused("{task: hpc, data: {dataset_tokens: 1B}}") == Fields{"data.dataset_tokens"});
  CHECK(unused("{task: rendering, hpc: {hours_per_run: 5}, inference: {frames: 1000}}") ==
        Fields{"inference.frames", "hpc.hours_per_run"});
  CHECK(unused("{task: cloud-gaming, inference: {requests_per_second: 100}}") ==
        Fields{"inference.requests_per_second"});
  CHECK(unused("{task: llm-inference, model: {params: 7B}, training: {optimizer: sgd}}") ==
        Fields{"training.optimizer"});
  CHECK(unused("{task: llm-inference, model: {params: 7B}, transcoding: {codec: hevc}, hpc: {app: gromacs}}") ==
        Fields{"hpc.app", "transcoding.codec"});
  CHECK(used_instead(TaskKind::rendering, "inference.frames") == "rendering.frames");
  CHECK(used_instead(TaskKind::streaming, "inference.requests_per_second") == "inference.concurrency");
  CHECK(used_instead(TaskKind::llm_training, "rendering.frames").empty());
}

}  // namespace
}  // namespace gpuadvise::test
