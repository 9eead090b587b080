#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "catch.h"
#include "workload/architecture.h"
#include "workload/weights_files.h"

using namespace gpuadvise;

namespace {

std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

WeightsFile safetensors(const std::string& header) {
  std::istringstream in(little(header.size(), 8) + header);
  return read_safetensors_header(in, "model.safetensors");
}

// Writes a GGUF file piece by piece.
struct Gguf {
  std::string entries;
  std::string tensors;
  std::uint64_t entry_count = 0;
  std::uint64_t tensor_count = 0;

  static std::string text(const std::string& t) { return little(t.size(), 8) + t; }
  Gguf& number(const std::string& key, std::uint32_t value) {
    entries += text(key) + little(4, 4) + little(value, 4);
    ++entry_count;
    return *this;
  }
  Gguf& word(const std::string& key, const std::string& value) {
    entries += text(key) + little(8, 4) + text(value);
    ++entry_count;
    return *this;
  }
  Gguf& words(const std::string& key, int count) {
    entries += text(key) + little(9, 4) + little(8, 4) + little(static_cast<std::uint64_t>(count), 8);
    for (int i = 0; i < count; ++i) entries += text("token");
    ++entry_count;
    return *this;
  }
  Gguf& tensor(const std::string& name, std::vector<std::uint64_t> shape, std::uint32_t type) {
    tensors += text(name) + little(shape.size(), 4);
    for (const auto side : shape) tensors += little(side, 8);
    tensors += little(type, 4) + little(0, 8);
    ++tensor_count;
    return *this;
  }
  std::string file(std::uint32_t version = 3) const {
    return "GGUF" + little(version, 4) + little(tensor_count, 8) + little(entry_count, 8) + entries + tensors;
  }
};

WeightsFile gguf(const std::string& file) {
  std::istringstream in(file);
  return read_gguf_header(in, "model.gguf");
}
std::string gguf_error(const std::string& file) {
  try {
    gguf(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Gguf small_llama() {
  Gguf g;
  g.word("general.architecture", "llama").word("general.name", "Small").number("general.file_type", 15);
  g.number("llama.block_count", 2).number("llama.embedding_length", 256).number("llama.feed_forward_length", 512);
  g.number("llama.attention.head_count", 4).number("llama.attention.head_count_kv", 2);
  g.words("tokenizer.ggml.tokens", 1000);
  g.tensor("token_embd.weight", {256, 1000}, 12);     // Q4_K: 144 bytes for 256
  g.tensor("blk.0.ffn_gate.weight", {256, 512}, 14);  // Q6_K: 210 bytes for 256
  g.tensor("output_norm.weight", {256}, 0);           // F32
  return g;
}

}  // namespace

TEST_CASE("a safetensors index gives the bytes of all shards") {
  const auto index = read_safetensors_index(
      R"({"metadata": {"total_size": 16060522496},
          "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors",
                         "c": "model-00001-of-00002.safetensors"}})",
      "model.safetensors.index.json");
  CHECK(index.bytes == 16060522496.0);
  CHECK(index.files == 2);
  for (const char* bad : {R"({"metadata": {}, "weight_map": {"a": "x"}})",
                          R"({"metadata": {"total_size": -1}, "weight_map": {"a": "x"}})",
                          R"({"metadata": {"total_size": 1e400}, "weight_map": {"a": "x"}})", R"({"weight_map": 4})",
                          "[]", "{}", R"({"metadata": {"total_size": 10}, "weight_map": {"a": 3}})"}) {
    INFO(bad);
    CHECK_THROWS_AS(read_safetensors_index(bad, "x"), InputError);
  }
}

TEST_CASE("a safetensors header is summed by dtype") {
  const auto file = safetensors(R"({"__metadata__": {"format": "pt"},
    "w": {"dtype": "BF16", "shape": [64, 64], "data_offsets": [0, 8192]},
    "v": {"dtype": "BF16", "shape": [64], "data_offsets": [8192, 8320]},
    "s": {"dtype": "F32", "shape": [], "data_offsets": [8320, 8324]}})");
  CHECK(file.bytes == 8324);
  CHECK(file.elements == 64 * 64 + 64 + 1);
  CHECK(file.weights == "bf16");
  REQUIRE(file.types.size() == 2);
  CHECK(file.types[0].type == "BF16");
  CHECK(file.types[0].tensors == 2);
}

TEST_CASE("hostile safetensors headers are refused") {
  const auto refused = [](const std::string& bytes) {
    std::istringstream in(bytes);
    CHECK_THROWS_AS(read_safetensors_header(in, "x"), InputError);
  };
  refused("");
  refused("abc");
  refused(little(0xffffffffffffffff, 8) + "{}");
  refused(little(std::uint64_t{99} << 20, 8) + "{}");  // claims 99 MiB, has two bytes
  refused(little(2, 8) + "{}");
  CHECK_THROWS_AS(safetensors(R"({"w": {"dtype": "BF16", "shape": [64, 64], "data_offsets": [0, 8]}})"), InputError);
  CHECK_THROWS_AS(safetensors(R"({"w": {"dtype": "X", "shape": [4], "data_offsets": [8, 0]}})"), InputError);
  CHECK_THROWS_AS(safetensors(R"({"w": {"dtype": "X", "shape": [1e15, 1e15], "data_offsets": [0, 8]}})"), InputError);
  CHECK_THROWS_AS(safetensors(R"({"w": {"dtype": "BF16", "shape": [-4], "data_offsets": [0, 8]}})"), InputError);
  CHECK_THROWS_AS(safetensors(R"({"w": 3})"), InputError);
}

TEST_CASE("a GGUF header gives bytes by type and the architecture") {
  const auto file = gguf(small_llama().file());
  CHECK(file.format == "GGUF 3");
  CHECK(file.name == "Small");
  CHECK(file.weights == "gguf-q4_k_m");
  CHECK(file.bytes == 1000 * 144 + 512 * 210 + 256 * 4);
  CHECK(file.elements == 256000 + 131072 + 256);
  REQUIRE(file.architecture);
  CHECK(file.architecture->layers == 2);
  CHECK(file.architecture->kv_heads == 2);
  CHECK(file.architecture->vocab == 1000);
  CHECK(file.architecture->tie_embeddings);  // there is no output.weight
  CHECK(file.architecture->gated_mlp);
  CHECK(gguf(small_llama().file(2)).bytes == file.bytes);
}

TEST_CASE("hostile GGUF headers are refused, whatever they are cut to") {
  const std::string whole = small_llama().file();
  for (std::size_t cut = 0; cut < whole.size(); cut += 7) {
    INFO(cut);
    CHECK_FALSE(gguf_error(whole.substr(0, cut)).empty());
  }
  CHECK(gguf_error(small_llama().file(1)).find("version 1") != std::string::npos);
  CHECK(gguf_error("GGUF" + little(0x03000000, 4)).find("big-endian") != std::string::npos);
  CHECK_FALSE(gguf_error("GGUF" + little(3, 4) + little(~std::uint64_t{0}, 8) + little(0, 8)).empty());
  CHECK_FALSE(gguf_error("GGUF" + little(3, 4) + little(1, 8) + little(~std::uint64_t{0}, 8)).empty());
  // A text that claims four exabytes.
  CHECK_FALSE(
      gguf_error("GGUF" + little(3, 4) + little(1, 8) + little(1, 8) + little(std::uint64_t{1} << 62, 8)).empty());
  // A list that claims more than there is.
  CHECK_FALSE(gguf_error("GGUF" + little(3, 4) + little(1, 8) + little(1, 8) + Gguf::text("k") + little(9, 4) +
                         little(5, 4) + little(std::uint64_t{1} << 60, 8))
                  .empty());
  Gguf odd = small_llama();
  odd.tensor("w", {1ULL << 40, 1ULL << 40}, 0);
  CHECK_FALSE(gguf_error(odd.file()).empty());
  Gguf type = small_llama();
  type.tensor("w", {4}, 200);
  CHECK(gguf_error(type.file()).find("unknown type 200") != std::string::npos);
  Gguf heads = small_llama();
  heads.number("llama.attention.head_count", 3);
  CHECK_FALSE(gguf_error(heads.file()).empty());
  Gguf many = small_llama();
  many.number("llama.block_count", 4000000000U);
  CHECK_FALSE(gguf_error(many.file()).empty());
}

TEST_CASE("a weights file is known by what it holds") {
  const auto folder = std::filesystem::temp_directory_path() / "gpuadvise_weights_files_test";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return (folder / name).string();
  };
  CHECK(read_weights_file(write("a.bin", small_llama().file())).format == "GGUF 3");
  const std::string header = R"({"w": {"dtype": "F16", "shape": [4], "data_offsets": [0, 8]}})";
  const auto cut = read_weights_file(write("b.bin", little(header.size(), 8) + header + "1234"));
  CHECK(cut.format == "safetensors");
  REQUIRE(cut.warnings.size() == 1);
  CHECK(cut.warnings[0].text.find("4 bytes shorter") != std::string::npos);
  CHECK(read_weights_file(write("c", R"( {"metadata": {"total_size": 8}, "weight_map": {"w": "b.bin"}})")).bytes == 8);
  CHECK_THROWS_AS(read_weights_file(folder.string()), InputError);
  CHECK_THROWS_AS(read_weights_file((folder / "none").string()), InputError);
  CHECK_THROWS_AS(read_weights_file(write("d", "")), InputError);
  std::filesystem::remove_all(folder);
}
