#include <cmath>
#include <string>
#include <vector>

#include "gpuadvise/knowledge.h"

#include "catch.h"
#include "workload/hf_config.h"

using namespace gpuadvise;

namespace {

HfConfig read(const std::string& text) {
  return read_hf_config(base::parse_json(text, "config.json"), "config.json", builtin_knowledge().catalog);
}
HfConfig read_file(const std::string& name) {
  const std::string path = std::string(GPUADVISE_SOURCE_DIR) + "/tests/workload/configs/" + name + ".json";
  return read_hf_config(base::parse_json(base::read_bytes(path), path), path, builtin_knowledge().catalog);
}
std::string message_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
bool warned(const HfConfig& config, const std::string& words) {
  for (const auto& warning : config.warnings) {
    if (warning.text.find(words) != std::string::npos) return true;
  }
  return false;
}

// A small Llama to break in one place at a time.
std::string llama(const std::string& more) {
  return R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
             "intermediate_size": 128, "vocab_size": 1000)" +
         (more.empty() ? "" : ", " + more) + "}";
}

}  // namespace

// Published totals: the safetensors metadata or model cards of each model.
TEST_CASE("the count from a family's config.json is within 1 % of the published total") {
  struct Row {
    const char* file;
    double published;
  };
  for (const Row& row : std::vector<Row>{{"llama-3.1-8b", 8030261248.0},
                                         {"mixtral-8x7b", 46702792704.0},
                                         {"qwen-7b", 7721324544.0},
                                         {"qwen2.5-7b", 7615616512.0},
                                         {"qwen1.5-moe", 14315784192.0},
                                         {"qwen3-30b-a3b", 30532122624.0},
                                         {"qwen3-next-80b", 80e9},
                                         {"qwen2.5-vl-7b", 8292166656.0},
                                         {"qwen3-vl-8b", 8767123696.0},
                                         {"deepseek-v3", 671026419200.0},
                                         {"deepseek-v2-lite", 15706484224.0},
                                         {"gemma-2-9b", 9241705984.0},
                                         {"gemma-3-4b", 4300079472.0},
                                         {"chatglm3-6b", 6243584000.0},
                                         {"baichuan2-13b", 13896668160.0},
                                         {"glm-4.5-air", 106e9},
                                         {"falcon-7b", 6921720704.0},
                                         {"gpt2", 124439808.0},
                                         {"opt-6.7b", 6658473984.0},
                                         {"bloom-7b1", 7069016064.0},
                                         {"bge-m3", 567754752.0},
                                         {"bert-base", 109482240.0},
                                         {"t5-base", 222903552.0},
                                         {"whisper-large-v3", 1543490560.0},
                                         {"gpt-oss-20b", 20914757184.0},
                                         {"nemotron-3-nano", 31.6e9},
                                         {"jamba-v0.1", 51570323328.0},
                                         {"mamba-2.8b", 2768345600.0},
                                         {"minimax-m2", 228.7e9},
                                         {"minicpm3-4b", 4.07e9},
                                         {"starcoder2-7b", 7173923840.0},
                                         {"llama-4-maverick", 402e9}}) {
    const HfConfig config = read_file(row.file);
    INFO(row.file << " counts to " << config.params);
    CHECK(config.known_type);
    CHECK(std::abs(config.params / row.published - 1) <= 0.01);
  }
}

TEST_CASE("layer kinds come from lists, patterns, periods and intervals") {
  const auto kinds = [](const std::string& file) { return layer_counts(read_file(file).architecture); };
  CHECK(kinds("gpt-oss-20b").window == 12);
  CHECK(kinds("gpt-oss-20b").full == 12);
  CHECK(kinds("qwen3-next-80b").linear == 36);
  CHECK(kinds("qwen3-next-80b").full == 12);
  CHECK(kinds("gemma-3-4b").window == 29);  // every sixth of 34 sees everything
  CHECK(kinds("gemma-2-9b").window == 21);
  const auto nano = kinds("nemotron-3-nano");
  CHECK(nano.linear == 23);
  CHECK(nano.full == 6);
  CHECK(nano.moe == 23);
  CHECK(nano.dense_mlp == 0);
  const auto jamba = kinds("jamba-v0.1");
  CHECK(jamba.full == 4);
  CHECK(jamba.linear == 28);
  CHECK(jamba.moe == 16);
  CHECK(kinds("llama-4-maverick").moe == 24);
  CHECK(kinds("llama-4-maverick").full == 12);
  CHECK(kinds("deepseek-v3").dense_mlp == 3);
  CHECK(kinds("mamba-2.8b").linear == 64);
  CHECK(kinds("qwen2.5-7b").window == 0);  // use_sliding_window is false
}

TEST_CASE("active parameters, caches and dtypes") {
  CHECK(read_file("deepseek-v3").active_params == Approx(37.55e9).epsilon(0.01));
  CHECK(kv_elements_per_token(read_file("deepseek-v3").architecture) == 61 * 576);
  CHECK(kv_elements_per_token(read_file("llama-3.1-8b").architecture) == 32 * 2 * 8 * 128);
  CHECK(read_file("llama-3.1-8b").dtype == "bf16");
  CHECK(read_file("chatglm3-6b").dtype == "fp16");
  CHECK(read_file("bge-m3").kind == ModelKind::encoder);
  CHECK(read_file("whisper-large-v3").kind == ModelKind::speech);
  CHECK(read_file("qwen2.5-vl-7b").kind == ModelKind::vlm);
  CHECK(read_file("qwen2.5-vl-7b").architecture.vision.layers == 32);
}

TEST_CASE("an unknown model_type is said, with its place") {
  const HfConfig config = read(R"({"model_type": "brand_new", "hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 1000})");
  CHECK_FALSE(config.known_type);
  REQUIRE(warned(config, "brand_new"));
  CHECK(config.warnings.front().place.line == 1);
  CHECK(config.params == count_parameters(read(llama("")).architecture).total);
}

TEST_CASE("wrong kinds, negative and huge numbers are errors with a place") {
  CHECK(message_of(R"({"model_type": "llama"})").find("num_hidden_layers") != std::string::npos);
  CHECK(message_of(R"([1, 2])").find("a map") != std::string::npos);
  for (const char* bad :
       {R"("num_key_value_heads": -1)", R"("num_key_value_heads": "four")", R"("num_key_value_heads": 1e400)",
        R"("num_key_value_heads": 2.5)", R"("num_key_value_heads": 3)", R"("head_dim": 99999999999)",
        R"("head_dim": {"a": 1})", R"("tie_word_embeddings": "maybe")", R"("num_experts": 1e9)"}) {
    INFO(bad);
    CHECK(message_of(llama(bad)).rfind("config.json:", 0) == 0);
  }
  CHECK(message_of(R"({"hidden_size": 64, "num_hidden_layers": 0, "num_attention_heads": 4})") != "");
}

TEST_CASE("a list of unequal widths is its mean, and said") {
  const HfConfig config = read(R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": [128, 256], "vocab_size": 1000})");
  CHECK(config.architecture.intermediate == 192);
  CHECK(warned(config, "differs by layer"));
}

TEST_CASE("quantization_config: methods, group sizes, and what stays in 16 bits") {
  const auto quantised = [](const std::string& more) {
    const HfConfig config = read(llama(R"("quantization_config": )" + more));
    REQUIRE(config.quantization);
    return *config.quantization;
  };
  const auto gptq = quantised(R"({"bits": 4, "group_size": 128, "quant_method": "gptq", "desc_act": false})");
  CHECK(gptq.weights == "gptq-int4");
  CHECK(gptq.bytes_per_weight() == Approx(0.5 + 2.5 / 128));
  CHECK(gptq.kept.embedding == 1);
  CHECK(gptq.kept.head == 1);
  CHECK(quantised(R"({"w_bit": 4, "q_group_size": 64, "quant_method": "awq"})").group_size == 64);
  CHECK(quantised(R"({"bits": 8, "group_size": -1, "quant_method": "gptq"})").bytes_per_weight() == 1);
  const auto nf4 = quantised(R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4",
                                 "bnb_4bit_use_double_quant": true})");
  CHECK(nf4.weights == "nf4");
  CHECK(nf4.bytes_per_weight() == Approx(0.516).epsilon(0.001));
  CHECK(quantised(R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4"})")
            .bytes_per_weight() == Approx(0.5625));
  const auto packed = quantised(R"({"quant_method": "compressed-tensors", "ignore": ["lm_head",
    "model.layers.0.self_attn.q_proj"], "config_groups": {"group_0": {"targets": ["Linear"],
    "weights": {"num_bits": 8, "type": "int", "strategy": "channel"}, "input_activations": {"num_bits": 8}}}})");
  CHECK(packed.weights == "w8a8");
  CHECK(packed.kept.attention == Approx(0.5));  // one layer of two
  CHECK(quantised(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})").weights == "nvfp4");
  CHECK(message_of(llama(R"("quantization_config": {"quant_method": "gptq", "bits": -4})")) != "");
  CHECK(message_of(llama(R"("quantization_config": [4])")) != "");

  const HfConfig unknown = read(llama(R"("quantization_config": {"quant_method": "novel", "bits": 3})"));
  CHECK(warned(unknown, "novel"));
  CHECK(unknown.quantization->bits == 3);
}

// 671e9 weights of one byte, embedding and head in two, and the routers: the files of DeepSeek-V3 hold 641 GiB with the
// prediction layer (688.6e9 bytes); without it about 674e9.
TEST_CASE("bytes of quantised weights") {
  const HfConfig v3 = read_file("deepseek-v3");
  CHECK(weight_bytes(count_parameters(v3.architecture), *v3.quantization) == Approx(673.5e9).epsilon(0.005));
  // The published gpt-oss-20b files hold 13.76e9 bytes.
  const HfConfig oss = read_file("gpt-oss-20b");
  CHECK(weight_bytes(count_parameters(oss.architecture), *oss.quantization) == Approx(13.76e9).epsilon(0.01));
}

TEST_CASE("a config.json is told from an architecture in a profile's words") {
  CHECK(looks_like_hf_config(base::parse_json(llama(""), "x")));
  CHECK_FALSE(looks_like_hf_config(base::parse_json(R"({"layers": 2, "hidden": 64})", "x")));
}
