// Whole answers, table and JSON, kept as files in golden/. Each case says why its answer is right; a change of a file
// is a change of advice and wants the same care. GPUADVISE_UPDATE_GOLDEN=1 writes them anew.
#include <cstdlib>
#include <regex>

#include "catch.h"
#include "run_program.h"

using namespace gpuadvise::test;

namespace {

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  const char* why;  // the reasoning an engineer of the field would accept
};

const std::vector<Case> kCases = {
    {"finetune-13b",
     {"recommend", "--task", "llm-finetune", "--params", "13B"},
     "LoRA keeps 26 GB of frozen bf16 weights on a card, so 24 GB cards are out and one 48 GB card is enough; adapters "
     "move so little between cards that neither NVLink nor several machines earn their price."},
    {"serve-deepseek-r1",
     {"recommend", "--task", "llm-inference", "--model", "deepseek-r1"},
     "671B parameters in FP8 are about 83 GB a card on eight cards: 8 x 80 GB is too small, 8 x 96 GB (H20) or larger "
     "works on one machine."},
    {"pretrain-175b",
     {"recommend", "--task", "llm-pretrain", "--params", "175B"},
     "16 bytes a parameter are 2.8 TB of states: many 8-card machines with NVLink inside and RDMA between them, tensor "
     "parallel within a machine."},
    {"rendering",
     {"recommend", "--task", "rendering"},
     "Ray tracing wants RT cores: A10, L20 or RTX class. V100, A100 and H20 have none and are turned away."},
    {"hpc",
     {"recommend", "--task", "hpc"},
     "Double precision and memory bandwidth: V100 and A100 class. A10, T4 and L20 have 1/32 or 1/64 rate FP64."},
    {"cloud-gaming",
     {"recommend", "--task", "cloud-gaming"},
     "Frames are drawn through a graphics API and leave through a hardware encoder: T4, A10 and vGPU families with a "
     "licence; A100 and H20 have no encoder."},
    {"cv-training",
     {"recommend", "--task", "cv-training"},
     "ResNet-50 fits any card; what counts is images a second per yuan."},
    {"sdxl",
     {"recommend", "--task", "diffusion-inference", "--model", "sdxl"},
     "SDXL in fp16 needs about 10 GB: a 24 GB A10 serves it, and larger cards only buy speed."},
    {"family-gn8",
     {"recommend", "--task", "llm-finetune", "--params", "7B", "--family", "gn8"},
     "There is no plain gn8; gn8v, gn8v-tee and gn8is are documented and are searched instead."},
    {"family-gn9",
     {"recommend", "--task", "llm-finetune", "--params", "7B", "--family", "GN9"},
     "Tencent documents no GN9; GN10Xp, GT4 and GN8 are its nearest families. V100 and P40 have no bf16, so GT4 is "
     "left "
     "for the default precision."},
    {"family-p3",
     {"recommend", "--task", "llm-finetune", "--params", "7B", "--family", "P3"},
     "P3 is documented on Open Telekom Cloud only (A100 80 GB): searched because it was asked for, and said so."},
    {"family-pv5",
     {"recommend", "--task", "llm-finetune", "--params", "7B", "--family", "PV5", "--precision", "fp16"},
     "PV5 is not documented anywhere; P2v and P2vs (V100) are nearest and run fp16."},
};

// The hash follows every byte of data/; an answer is the same answer while the facts it rests on are.
std::string without_hash(std::string text) {
  text = std::regex_replace(text, std::regex("sha256 [0-9a-f]{8}"), "sha256 ########");
  return std::regex_replace(text, std::regex("\"sha256\": \"[0-9a-f]{64}\""), "\"sha256\": \"#\"");
}

void compare(const std::string& name, const std::string& got) {
  const std::string path = std::string(GPUADVISE_SOURCE_DIR) + "/tests/cli/golden/" + name;
  if (std::getenv("GPUADVISE_UPDATE_GOLDEN") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    std::ofstream(path, std::ios::binary) << got;
    return;
  }
  CHECK(slurp(path) == got);
}

}  // namespace

TEST_CASE("whole answers stay as they were reasoned", "[golden]") {
  for (const auto& c : kCases) {
    INFO(c.name << ": " << c.why);
    const Outcome table = run_program(c.arguments);
    CHECK(table.code == 0);
    CHECK(table.err.empty());
    compare(std::string(c.name) + ".txt", without_hash(table.out));
    auto json = c.arguments;
    json.insert(json.end(), {"--format", "json"});
    const Outcome machine = run_program(json);
    CHECK(machine.code == 0);
    compare(std::string(c.name) + ".json", without_hash(machine.out));
  }
}

TEST_CASE("the first answer in Chinese", "[golden]") {
  const Outcome table = run_program({"recommend", "--task", "llm-finetune", "--params", "13B", "--lang", "zh"});
  CHECK(table.code == 0);
  compare("finetune-13b.zh.txt", without_hash(table.out));
}
