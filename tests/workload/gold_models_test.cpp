// Every model that the published measurements name is in the library, under that spelling. The measurements are not
// part of the tree; where they are not beside it the test says so and passes.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "gpuadvise/knowledge.h"

#include "base/node.h"
#include "catch.h"
#include "workload/model_lookup.h"

using namespace gpuadvise;

TEST_CASE("models that measurements name without an architecture are in the library") {
  const std::filesystem::path gold = std::filesystem::path(GPUADVISE_SOURCE_DIR) / ".." / "shared" / "gold";
  const std::filesystem::path worktree = std::filesystem::path(GPUADVISE_SOURCE_DIR) / ".." / ".." / "shared" / "gold";
  const auto folder = std::filesystem::exists(gold) ? gold : worktree;
  if (!std::filesystem::exists(folder)) {
    WARN("no published measurements beside the tree: skipped");
    return;
  }
  std::map<std::string, int> missing;
  int named = 0;
  for (const char* file : {"classic_ai", "throughput_train", "inference", "memory_train", "memory_inference"}) {
    std::ifstream in(folder / (std::string(file) + ".jsonl"));
    for (std::string line; std::getline(in, line);) {
      const base::Node row = base::parse_json(line, file);
      const base::Node* profile = row.find("profile");
      const base::Node* model = profile == nullptr ? nullptr : profile->find("model");
      const base::Node* name = model == nullptr ? nullptr : model->find("name");
      if (name == nullptr || !name->is(base::Node::Kind::string)) continue;
      ++named;
      // Test shapes of the Megatron tree carry their architecture.
      const base::Node* architecture = model->find("architecture");
      if (architecture != nullptr && architecture->is(base::Node::Kind::map)) continue;
      if (find_model(builtin_knowledge().catalog, name->text).model == nullptr) ++missing[name->text];
    }
  }
  CHECK(named > 1000);
  for (const auto& [name, rows] : missing) FAIL_CHECK(name << " (" << rows << " rows)");
}
