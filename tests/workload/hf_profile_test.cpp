#include <sstream>

#include "gpuadvise/knowledge.h"

#include "catch.h"
#include "workload/hf_profile.h"

using namespace gpuadvise;

namespace {

Profile read(const std::string& text, base::Arena& arena, std::vector<ConfigWarning>& warnings) {
  return read_profile(base::parse_document(text, "profile.yaml"), arena, "profile.yaml", builtin_knowledge().catalog,
                      warnings);
}

}  // namespace

TEST_CASE("a profile takes a config.json in place of an architecture") {
  base::Arena arena;
  std::vector<ConfigWarning> warnings;
  const Profile p = read(R"(
task: llm-inference
model:
  architecture: {model_type: qwen2, hidden_size: 3584, intermediate_size: 18944, num_attention_heads: 28,
                 num_hidden_layers: 28, num_key_value_heads: 4, vocab_size: 152064, tie_word_embeddings: false,
                 quantization_config: {quant_method: awq, bits: 4, group_size: 128}}
)",
                         arena, warnings);
  REQUIRE(p.model.architecture);
  CHECK(p.model.architecture->layers == 28);
  CHECK(p.model.params == 7615616512.0);
  CHECK(p.inference.weights == "awq-int4");
  CHECK(warnings.empty());
}

TEST_CASE("what the profile says itself stays") {
  base::Arena arena;
  std::vector<ConfigWarning> warnings;
  const Profile p = read(R"(
model:
  params: 5B
  architecture: {model_type: unheard_of, hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 2, vocab_size: 100,
                 intermediate_size: 128, torch_dtype: bfloat16}
inference: {weights: fp8}
)",
                         arena, warnings);
  CHECK(p.model.params == 5e9);
  CHECK(p.inference.weights == "fp8");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].place.line == 4);
}

TEST_CASE("an architecture in the profile's own words is read as before") {
  base::Arena arena;
  std::vector<ConfigWarning> warnings;
  const Profile p = read("model: {architecture: {layers: 2, hidden: 64}}", arena, warnings);
  CHECK(p.model.architecture->hidden == 64);
  CHECK_THROWS_AS(read("model: {architecture: {hidden_size: 64, num_hidden_layers: -2}}", arena, warnings), InputError);
  CHECK_THROWS_AS(read("model: {architecture: {layer: 2}}", arena, warnings), InputError);
  CHECK_THROWS_AS(read("- 1", arena, warnings), InputError);
}
