#include <cmath>
#include <string>

#include "gpuadvise/knowledge.h"

#include "catch.h"
#include "workload/architecture.h"
#include "workload/model_lookup.h"

using namespace gpuadvise;

namespace {

const Catalog& catalog() { return builtin_knowledge().catalog; }
const Model& model(std::string_view name) {
  const ModelMatch match = find_model(catalog(), name);
  INFO(name);
  REQUIRE(match.model != nullptr);
  return *match.model;
}
Architecture llama2_7b() {
  Architecture a;
  a.layers = 32;
  a.hidden = 4096;
  a.intermediate = 11008;
  a.heads = 32;
  a.vocab = 32000;
  return a;
}

}  // namespace

// Hand count: 2 * 32000 * 4096 of tables; per layer 4 * 4096^2 + 3 * 4096 * 11008 + 2 * 4096; 4096 at the end: the
// 6,738,415,616 of the published Llama-2-7b.
TEST_CASE("the count of Llama-2-7B is exact") {
  const ParameterCount count = count_parameters(llama2_7b());
  CHECK(count.total == 6738415616.0);
  CHECK(count.active == count.total);
  CHECK(count.embedding == 131072000.0);
  CHECK(count.attention == 32 * 4.0 * 4096 * 4096);
  CHECK(count.dense_mlp == 32 * 3.0 * 4096 * 11008);
}

TEST_CASE("counts that the makers publish to the last digit") {
  const auto total = [](std::string_view name) { return count_parameters(*model(name).architecture).total; };
  CHECK(total("llama-3.1-8b") == 8030261248.0);
  CHECK(total("llama-3.1-70b") == 70553706496.0);
  CHECK(total("mistral-7b") == 7241732096.0);
  CHECK(total("qwen2.5-7b") == 7615616512.0);
  CHECK(total("mixtral-8x7b") == 46702792704.0);
}

TEST_CASE("experts: resident is all of them, active only those visited") {
  const Architecture a = *model("qwen3-30b-a3b").architecture;
  const ParameterCount count = count_parameters(a);
  CHECK(count.routed_experts == 48.0 * 128 * 3 * 2048 * 768);
  CHECK(count.total - count.active == 48.0 * 120 * 3 * 2048 * 768);
}

TEST_CASE("text tokens do not pass through the vision tower") {
  const ParameterCount count = count_parameters(*model("qwen2.5-vl-7b").architecture);
  CHECK(count.total - count.active == count.vision);
  CHECK(count.active == 7615616512.0);
}

TEST_CASE("completing is idempotent and keeps the count") {
  for (const auto& m : catalog().models) {
    if (!m.architecture) continue;
    INFO(m.id);
    const Architecture once = completed(*m.architecture);
    const Architecture twice = completed(once);
    CHECK(count_parameters(once).total == count_parameters(*m.architecture).total);
    CHECK(count_parameters(twice).total == count_parameters(once).total);
    CHECK(kv_elements_per_token(once) == kv_elements_per_token(*m.architecture));
    const LayerCounts n = layer_counts(once);
    CHECK(n.full == layer_counts(*m.architecture).full);
    CHECK(n.full + n.window + n.linear <= once.layers);
  }
}

TEST_CASE("caches: grouped queries, latent attention, hybrids") {
  CHECK(kv_elements_per_token(*model("llama-3.1-8b").architecture) == 32.0 * 2 * 8 * 128);
  CHECK(kv_elements_per_token(*model("deepseek-r1").architecture) == 61.0 * 576);
  CHECK(kv_elements_per_token(*model("qwen3-next-80b-a3b").architecture) == 12.0 * 2 * 2 * 256);
  CHECK(kv_elements_per_token(*model("gemma-3-27b").architecture) == 10.0 * 2 * 16 * 128);
  const Architecture next = completed(*model("qwen3-next-80b-a3b").architecture);
  CHECK(next.linear_state == 32 * 128 * 128 + 3 * (32 * 128 + 2 * 16 * 128));
}

TEST_CASE("check_model finds what is wrong") {
  Model m = model("llama-2-7b");
  CHECK(check_model(m).empty());
  m.params = 7.5e9;
  m.active_params = 7.5e9;
  REQUIRE(check_model(m).size() == 1);
  CHECK(check_model(m)[0].find("verified") != std::string::npos);
  m.verified = false;
  CHECK(check_model(m).empty());
  m.active_params = 8e9;
  CHECK_FALSE(check_model(m).empty());
  Model experts = model("mixtral-8x7b");
  experts.architecture->experts_per_token = 9;
  CHECK_FALSE(check_model(experts).empty());
}

TEST_CASE("impossible shapes are named, and huge ones do not overflow") {
  CHECK(out_of_range(llama2_7b()).empty());
  Architecture a = llama2_7b();
  a.linear.layers = -1;
  CHECK(out_of_range(a).find("linear.layers") == 0);
  a = llama2_7b();
  a.mla.kv_lora_rank = 2000000000;
  CHECK(out_of_range(a).find("mla.kv_lora_rank") == 0);
  a = llama2_7b();
  a.layers = 100000;
  CHECK_FALSE(out_of_range(a).empty());
  a = llama2_7b();
  a.linear = {1, 90000000, 90000000, 90000000, 90000000, 90000000, 0};
  a.experts = 90000000;
  a.shared_experts = 90000000;
  a.moe_intermediate = 90000000;
  CHECK(out_of_range(a).empty());
  CHECK(completed(a).linear_state == 2147483647);
  CHECK(std::isfinite(count_parameters(a).total));
}

TEST_CASE("the whole library holds: each row passes its own check, four in five of the language models verified") {
  int language = 0;
  int verified = 0;
  for (const auto& m : catalog().models) {
    for (const auto& wrong : check_model(m)) FAIL_CHECK(wrong);
    if (m.kind != ModelKind::llm && m.kind != ModelKind::vlm) continue;
    ++language;
    if (m.verified) ++verified;
  }
  CHECK(language >= 80);
  CHECK(verified >= 0.8 * language);
}

TEST_CASE("a shape inferred from a size counts to that size and has a plausible cache") {
  const auto& shapes = catalog().typical_shapes;
  REQUIRE(shapes.size() >= 2);
  for (double params = 0.1e9; params <= 2.1e12; params *= 1.17) {
    const Architecture a = infer_architecture(params, 0, shapes);
    INFO(params << ": " << a.layers << " layers of " << a.hidden << ", feed-forward " << a.intermediate);
    CHECK(std::abs(count_parameters(a).total / params - 1) <= 0.005);
    CHECK(a.heads * a.head_dim == a.hidden);
    CHECK(a.heads % a.kv_heads == 0);
    CHECK(a.intermediate >= a.hidden);
    CHECK(a.intermediate <= 7 * a.hidden);
    if (params >= 6.5e9) CHECK(a.kv_heads == 8);
    if (params >= 6.5e9) CHECK(a.hidden % 1024 == 0);
    if (params >= 6.5e9) CHECK(a.layers % 2 == 0);
  }
  // A size that a typical shape has is that shape.
  const Architecture eight = infer_architecture(8.03e9, 0, shapes);
  CHECK(eight.layers == 32);
  CHECK(eight.hidden == 4096);
  // Tiny models stay sane.
  for (double params : {1e5, 1e6, 2e7}) CHECK(count_parameters(infer_architecture(params, 0, shapes)).total > 0);
}

TEST_CASE("with fewer active parameters the inferred shape is a mixture of experts of both counts") {
  const auto& shapes = catalog().typical_shapes;
  for (const auto& [total, active] :
       {std::pair{30.5e9, 3.3e9}, std::pair{235e9, 22e9}, std::pair{671e9, 37e9}, std::pair{47e9, 13e9}}) {
    const Architecture a = infer_architecture(total, active, shapes);
    const ParameterCount count = count_parameters(a);
    INFO(total << " with " << active << " active: " << a.experts << " experts of " << a.moe_intermediate);
    CHECK(std::abs(count.total / total - 1) <= 0.005);
    CHECK(std::abs(count.active / active - 1) <= 0.05);
  }
}
