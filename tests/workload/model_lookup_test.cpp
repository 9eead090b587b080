#include <string>

#include "gpuadvise/knowledge.h"

#include "catch.h"
#include "workload/model_lookup.h"

using namespace gpuadvise;

namespace {

std::string found(std::string_view name) {
  const ModelMatch match = find_model(builtin_knowledge().catalog, name);
  return match.model == nullptr ? "" : std::string(match.model->id);
}

}  // namespace

TEST_CASE("models answer to the names people use") {
  CHECK(found("deepseek r1") == "deepseek-r1");
  CHECK(found("DeepSeek-R1") == "deepseek-r1");
  CHECK(found("deepseek-ai/DeepSeek-R1") == "deepseek-r1");
  CHECK(found("llama3-8b") == "llama-3-8b");
  CHECK(found("Llama-3-8B-Instruct") == "llama-3-8b");
  CHECK(found("meta-llama/Meta-Llama-3-8B-Instruct") == "llama-3-8b");
  CHECK(found("qwen2.5 7b") == "qwen2.5-7b");
  CHECK(found("qwen2.5-7b-instruct") == "qwen2.5-7b");
  CHECK(found("Qwen/Qwen2.5-7B-Instruct-AWQ") == "qwen2.5-7b");
  CHECK(found("Qwen-1_8B-Chat") == "qwen-1.8b");
  CHECK(found("sdxl") == "sdxl");
  CHECK(found("stabilityai/stable-diffusion-xl-base-1.0") == "sdxl");
  CHECK(found("sd1.5") == "stable-diffusion-1.5");
  CHECK(found("SD 1.5") == "stable-diffusion-1.5");
  CHECK(found("whisper-large-v3") == "whisper-large-v3");
  CHECK(found("Whisper large-v3") == "whisper-large-v3");
  CHECK(found("bge-m3") == "bge-m3");
  CHECK(found("baichuan-13b") == "baichuan-13b");
  CHECK(found("Baichuan2-13B-Chat") == "baichuan2-13b");
  CHECK(found("resnet50") == "resnet-50");
  CHECK(found("ViT-B/16") == "vit-b/16");
  CHECK(found("3D U-Net KiTS19 (99%)") == "3d-u-net-kits19");
  CHECK(found("qwen3-embedding-0.6b") == "qwen3-embedding-0.6b");
  CHECK(found("llama-2-70b") == "llama-2-70b");
  CHECK(found("opt-13b") == "opt-13b");
  CHECK(found("opt-1.3b") == "opt-1.3b");
}

TEST_CASE("what was taken off the name is told") {
  const auto& catalog = builtin_knowledge().catalog;
  CHECK(find_model(catalog, "qwen2.5-7b-instruct-gptq-int4").variant == "instruct gptq int4");
  CHECK(find_model(catalog, "qwen2.5-7b").variant.empty());
}

TEST_CASE("unknown names are unknown, and the nearest are offered") {
  const auto& catalog = builtin_knowledge().catalog;
  for (const char* name : {"", "  ", "no-such-model", "instruct", "/", "qwen9-7b", "deepseek-r1-distill-nothing"}) {
    INFO(name);
    CHECK(find_model(catalog, name).model == nullptr);
  }
  CHECK(find_model(catalog, std::string(100000, 'a')).model == nullptr);
  const auto near = nearest_models(catalog, "qwen2.5-7c", 3);
  REQUIRE(near.size() == 3);
  CHECK(near[0] == "qwen2.5-7b");
}

TEST_CASE("every id, name, alias and hf_id finds its own row") {
  for (const auto& model : builtin_knowledge().catalog.models) {
    INFO(model.id);
    CHECK(found(model.id) == model.id);
    CHECK(found(model.name) == model.id);
    if (!model.hf_id.empty()) CHECK(found(model.hf_id) == model.id);
    for (const auto alias : model.aliases) {
      INFO(alias);
      CHECK(found(alias) == model.id);
    }
  }
}
