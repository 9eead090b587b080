// GGUF headers, versions 2 and 3: key-value metadata, then name, shape and type of each tensor.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <istream>
#include <map>

#include "base/text.h"
#include "workload/architecture.h"
#include "workload/weights_files.h"

namespace gpuadvise {

namespace {

using base::printable;

constexpr std::uint64_t kMostHeader = std::uint64_t{128} << 20;  // vocabularies are a few MiB
constexpr std::uint64_t kMostEntries = 1'000'000;
constexpr std::uint64_t kMostText = std::uint64_t{1} << 20;
constexpr double kMostElements = 1e15;
// No key that is looked up is longer, no file has more of them.
constexpr std::size_t kLongestKey = 128;
constexpr std::size_t kMostNumbers = 10'000;

// A block of `elements` weights takes `bytes` (ggml-common.h).
struct GgmlType {
  std::uint32_t id;
  std::string_view name;
  double elements;
  double bytes;
};
constexpr auto kTypes = std::to_array<GgmlType>({
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},      {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},   {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},   {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},   {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},
});

// general.file_type (llama.h, llama_ftype).
struct FileType {
  std::uint64_t id;
  std::string_view weights;
};
constexpr auto kFileTypes = std::to_array<FileType>({
    {0, "fp32"},          {1, "fp16"},          {2, "gguf-q4_0"},    {3, "gguf-q4_1"},    {7, "gguf-q8_0"},
    {8, "gguf-q5_0"},     {9, "gguf-q5_1"},     {10, "gguf-q2_k"},   {11, "gguf-q3_k_s"}, {12, "gguf-q3_k_m"},
    {13, "gguf-q3_k_l"},  {14, "gguf-q4_k_s"},  {15, "gguf-q4_k_m"}, {16, "gguf-q5_k_s"}, {17, "gguf-q5_k_m"},
    {18, "gguf-q6_k"},    {19, "gguf-iq2_xxs"}, {20, "gguf-iq2_xs"}, {21, "gguf-q2_k_s"}, {22, "gguf-iq3_xs"},
    {23, "gguf-iq3_xxs"}, {24, "gguf-iq1_s"},   {25, "gguf-iq4_nl"}, {26, "gguf-iq3_s"},  {27, "gguf-iq3_m"},
    {28, "gguf-iq2_s"},   {29, "gguf-iq2_m"},   {30, "gguf-iq4_xs"}, {31, "gguf-iq1_m"},  {32, "bf16"},
    {36, "gguf-tq1_0"},   {37, "gguf-tq2_0"},   {38, "mxfp4"},
});

enum ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

class Gguf {
 public:
  Gguf(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  WeightsFile read() {
    std::array<char, 4> magic{};
    bytes(magic.data(), magic.size());
    if (std::string_view(magic.data(), 4) != "GGUF") fail("does not begin with GGUF");
    const auto version = whole<std::uint32_t>();
    if (version == 0x02000000 || version == 0x03000000) fail("a big-endian GGUF file, which is not read");
    if (version != 2 && version != 3) fail(fmt::format("GGUF version {}; versions 2 and 3 are read", version));
    out_.format = fmt::format("GGUF {}", version);
    const auto tensors = whole<std::uint64_t>();
    const auto entries = whole<std::uint64_t>();
    if (tensors == 0 || tensors > kMostEntries)
      fail(fmt::format("{} tensors; from 1 to {} are read", tensors, kMostEntries));
    if (entries > kMostEntries) fail(fmt::format("{} metadata entries; up to {} are read", entries, kMostEntries));
    for (std::uint64_t i = 0; i < entries; ++i) entry();
    for (std::uint64_t i = 0; i < tensors; ++i) tensor();
    totals();
    architecture();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::string_view text) const { throw InputError(Place{name_}, text); }

  void charge(std::uint64_t count) {
    if (count > kMostHeader - read_) fail(fmt::format("a header of more than {} MiB", kMostHeader >> 20));
    read_ += count;
  }
  void bytes(char* to, std::size_t count) {
    charge(count);
    if (!in_.read(to, static_cast<std::streamsize>(count))) fail("ends within its header");
  }
  void skip(std::uint64_t count) {
    charge(count);
    in_.ignore(static_cast<std::streamsize>(count));
    if (static_cast<std::uint64_t>(in_.gcount()) != count) fail("ends within its header");
  }
  template <class T>
  T whole() {
    static_assert(std::endian::native == std::endian::little, "GGUF is little-endian");
    std::array<char, sizeof(T)> raw{};
    bytes(raw.data(), raw.size());
    T value{};
    std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::string text() {
    const auto length = whole<std::uint64_t>();
    if (length > kMostText) fail(fmt::format("a text of {} bytes in its header", length));
    std::string out(static_cast<std::size_t>(length), '\0');
    bytes(out.data(), out.size());
    return out;
  }

  static std::uint64_t size_of(std::uint32_t type) {
    switch (type) {
      case u8:
      case i8:
      case boolean:
        return 1;
      case u16:
      case i16:
        return 2;
      case u32:
      case i32:
      case f32:
        return 4;
      case u64:
      case i64:
      case f64:
        return 8;
      default:
        return 0;
    }
  }
  double number(std::uint32_t type) {
    switch (type) {
      case u8:
      case boolean:
        return whole<std::uint8_t>();
      case i8:
        return whole<std::int8_t>();
      case u16:
        return whole<std::uint16_t>();
      case i16:
        return whole<std::int16_t>();
      case u32:
        return whole<std::uint32_t>();
      case i32:
        return whole<std::int32_t>();
      case f32:
        return static_cast<double>(whole<float>());
      case u64:
        return static_cast<double>(whole<std::uint64_t>());
      case i64:
        return static_cast<double>(whole<std::int64_t>());
      case f64:
        return whole<double>();
      default:
        fail(fmt::format("a metadata value of unknown type {}", type));
    }
  }

  void entry() {
    const std::string key = text();
    const auto type = whole<std::uint32_t>();
    if (type == string) {
      const std::string value = text();
      if (key == "general.architecture") arch_ = value;
      if (key == "general.name") out_.name = value;
    } else if (type == array) {
      list(key, 0);
    } else {
      const double value = number(type);
      if (key.size() <= kLongestKey && numbers_.size() < kMostNumbers) numbers_[key] = value;
    }
  }

  void list(const std::string& key, int depth) {
    const auto type = whole<std::uint32_t>();
    const auto length = whole<std::uint64_t>();
    if (length > kMostHeader) fail(fmt::format("a list of {} entries in its header", length));
    if (key == "tokenizer.ggml.tokens" && depth == 0) tokens_ = static_cast<double>(length);
    if (type == array) {
      if (depth > 2) fail("lists within lists within lists in its header");
      for (std::uint64_t i = 0; i < length; ++i) list({}, depth + 1);
    } else if (type == string) {
      for (std::uint64_t i = 0; i < length; ++i) skip(whole<std::uint64_t>());
    } else if (size_of(type) > 0 && depth == 0 && length <= 4096 && type != f32 && type != f64) {
      per_layer(key, type, length);
    } else if (size_of(type) > 0) {
      skip(length * size_of(type));
    } else {
      fail(fmt::format("a metadata list of unknown type {}", type));
    }
  }

  // A number for each layer: hybrids give layers without attention no key-value heads.
  void per_layer(const std::string& key, std::uint32_t type, std::uint64_t length) {
    double most = 0;
    double above_zero = 0;
    double lowest = kMostElements;
    for (std::uint64_t i = 0; i < length; ++i) {
      const double value = number(type);
      most = std::max(most, value);
      if (value > 0) ++above_zero;
      if (value > 0) lowest = std::min(lowest, value);
    }
    if (key.find("head_count") == std::string::npos && key.find("feed_forward") == std::string::npos) return;
    numbers_[key] = most;
    if (key.ends_with("head_count_kv") && above_zero < static_cast<double>(length)) attention_layers_ = above_zero;
    if (above_zero > 0 && lowest != most) {
      out_.warnings.push_back(
          {Place{name_}, fmt::format("{} differs by layer; the largest, {}, is taken for all", printable(key), most)});
    }
  }

  void tensor() {
    const std::string name = text();
    const auto dimensions = whole<std::uint32_t>();
    if (dimensions > 8) fail(fmt::format("tensor \"{}\" of {} dimensions", printable(name.substr(0, 80)), dimensions));
    double elements = 1;
    double last = 1;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      last = static_cast<double>(whole<std::uint64_t>());
      elements *= last;
      if (elements > kMostElements)
        fail(fmt::format("tensor \"{}\" is larger than any file", printable(name.substr(0, 80))));
    }
    const auto id = whole<std::uint32_t>();
    whole<std::uint64_t>();  // offset
    const auto* type = std::find_if(kTypes.begin(), kTypes.end(), [&](const GgmlType& t) { return t.id == id; });
    if (type == kTypes.end()) fail(fmt::format("tensor \"{}\" of unknown type {}", printable(name.substr(0, 80)), id));
    TensorTotals& total = types_[std::string(type->name)];
    total.type = type->name;
    total.tensors += 1;
    total.elements += elements;
    total.bytes += std::ceil(elements / type->elements) * type->bytes;
    if (name == "output.weight") has_head_ = true;
    if (name == "token_embd.weight" && tokens_ == 0) tokens_ = last;
    if (name.find("ffn_gate") != std::string::npos && name.find("ffn_gate_inp") == std::string::npos) gated_ = true;
    if (name.ends_with("attn_q.bias") || name.ends_with("attn_qkv.bias")) bias_ = true;
  }

  void totals() {
    for (const auto& [name, total] : types_) {
      out_.types.push_back(total);
      out_.bytes += total.bytes;
      out_.elements += total.elements;
    }
    std::stable_sort(out_.types.begin(), out_.types.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    if (const auto at = numbers_.find("general.file_type"); at != numbers_.end()) {
      for (const auto& type : kFileTypes) {
        if (static_cast<double>(type.id) == at->second) out_.weights = type.weights;
      }
    }
  }

  // <architecture>.<key>, 0 when missing.
  int meta(std::string_view key, int most = 1 << 24) const {
    const auto at = numbers_.find(fmt::format("{}.{}", arch_, key));
    if (at == numbers_.end()) return 0;
    if (!(at->second >= 0 && at->second <= most)) {
      fail(fmt::format("{}.{} is {}; from 0 to {} is possible", printable(arch_), key, at->second, most));
    }
    return static_cast<int>(at->second);
  }

  void architecture() {
    Architecture a;
    a.layers = meta("block_count", 4096);
    a.hidden = meta("embedding_length", 1 << 20);
    a.heads = meta("attention.head_count", 1 << 20);
    if (a.layers == 0 || a.hidden == 0) {
      out_.warnings.push_back({Place{name_}, "the metadata name no block_count and embedding_length: no architecture"});
      return;
    }
    a.intermediate = meta("feed_forward_length", 1 << 20);
    a.kv_heads = meta("attention.head_count_kv", 1 << 20);
    a.head_dim = meta("attention.key_length", 1 << 20);
    a.vocab = meta("vocab_size");
    if (a.vocab == 0) a.vocab = static_cast<int>(std::min(tokens_, 16777216.0));
    a.experts = meta("expert_count", 1 << 16);
    a.experts_per_token = std::min(a.experts, meta("expert_used_count", 1 << 16));
    if (a.experts > 0) {
      a.moe_intermediate = meta("expert_feed_forward_length", 1 << 20);
      a.shared_experts = meta("expert_shared_count", 1 << 16);
      a.shared_intermediate = meta("expert_shared_feed_forward_length", 1 << 20);
      if (a.shared_intermediate > 0 && a.shared_experts == 0) a.shared_experts = 1;
      a.dense_layers = std::min(a.layers, meta("leading_dense_block_count", 4096));
    }
    a.mla.kv_lora_rank = meta("attention.kv_lora_rank", 1 << 20);
    if (a.mla.kv_lora_rank > 0) {
      const int key =
          meta("attention.key_length_mla", 1 << 20) > 0 ? meta("attention.key_length_mla", 1 << 20) : a.head_dim;
      const int value = meta("attention.value_length_mla", 1 << 20);
      a.mla.q_lora_rank = meta("attention.q_lora_rank", 1 << 20);
      a.mla.qk_rope_dim = meta("rope.dimension_count", 1 << 20);
      a.mla.qk_nope_dim = std::max(0, key - a.mla.qk_rope_dim);
      a.mla.v_dim = value > 0 ? value : meta("attention.value_length", 1 << 20);
      a.head_dim = key;
    } else if (const int value = meta("attention.value_length", 1 << 20); value != a.head_dim) {
      a.value_head_dim = value;
    }
    a.sliding_window = meta("attention.sliding_window", 1 << 26);
    a.mtp_layers = meta("nextn_predict_layers", 64);
    if (a.mtp_layers > 0 && a.mtp_layers < a.layers) a.layers -= a.mtp_layers;  // block_count holds them too
    if (attention_layers_ > 0) {
      a.attention_layers = std::min(a.layers, static_cast<int>(attention_layers_));
    } else if (const int interval = meta("full_attention_interval", 4096); interval > 0) {
      a.attention_layers = a.layers / interval;
    }
    a.tie_embeddings = !has_head_;
    a.gated_mlp = gated_;
    a.attention_bias = bias_;
    if (a.heads > 0 && a.kv_heads > 0 && a.heads % a.kv_heads != 0) {
      fail(fmt::format("{} attention heads cannot share {} key-value heads", a.heads, a.kv_heads));
    }
    if (a.sliding_window > 0 && a.attention_layers == 0) {
      out_.warnings.push_back(
          {Place{name_}, "GGUF does not say which layers attend within the window; all are taken as such"});
    }
    out_.architecture = completed(a);
  }

  std::istream& in_;
  const std::string& name_;
  std::uint64_t read_ = 0;
  WeightsFile out_;
  std::string arch_;
  std::map<std::string, double> numbers_;
  std::map<std::string, TensorTotals> types_;
  double tokens_ = 0;
  double attention_layers_ = 0;
  bool has_head_ = false;
  bool gated_ = false;
  bool bias_ = false;
};

}  // namespace

WeightsFile read_gguf_header(std::istream& in, const std::string& name) { return Gguf(in, name).read(); }

}  // namespace gpuadvise
