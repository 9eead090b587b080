#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <istream>
#include <map>
#include <set>

#include "base/node.h"
#include "base/text.h"
#include "workload/weights_files.h"

namespace gpuadvise {

namespace {

using base::Node;
using base::printable;

constexpr std::size_t kMostHeader = std::size_t{100} << 20;  // the limit of the safetensors library itself
constexpr double kMostBytes = 1e15;

[[noreturn]] void fail(const std::string& name, std::string_view text) { throw InputError(Place{name}, text); }
[[noreturn]] void fail(const std::string& name, const Node& at, std::string_view text) {
  throw InputError(Place{name, at.line, at.column}, text);
}

// A count of bytes or elements: whole, from 0 to kMostBytes.
double count_of(const Node& node, const std::string& name, std::string_view what) {
  double value = 0;
  const char* last = node.text.data() + node.text.size();
  const auto [end, status] = std::from_chars(node.text.data(), last, value);
  if ((!node.is_number() && !node.is(Node::Kind::string)) || status != std::errc{} || end != last ||
      !(value >= 0 && value <= kMostBytes) || value != std::floor(value)) {
    fail(name, node,
         fmt::format("{}: expected a whole number from 0 to {:.0e}, found {}{}", what, kMostBytes,
                     base::kind_name(node.kind),
                     node.text.empty() ? "" : fmt::format(" \"{}\"", printable(node.text.substr(0, 60)))));
  }
  return value;
}

struct ElementType {
  std::string_view type;
  double bytes;
  std::string_view weights;  // a profile's word for it
};
// The dtypes of the safetensors format.
constexpr auto kElementTypes = std::to_array<ElementType>({{"F64", 8, ""},
                                                           {"F32", 4, "fp32"},
                                                           {"F16", 2, "fp16"},
                                                           {"BF16", 2, "bf16"},
                                                           {"F8_E4M3", 1, "fp8"},
                                                           {"F8_E5M2", 1, "fp8"},
                                                           {"F8_E8M0", 1, ""},
                                                           {"F4", 0.5, "fp4"},
                                                           {"I64", 8, ""},
                                                           {"U64", 8, ""},
                                                           {"I32", 4, ""},
                                                           {"U32", 4, ""},
                                                           {"I16", 2, ""},
                                                           {"U16", 2, ""},
                                                           {"I8", 1, "int8"},
                                                           {"U8", 1, ""},
                                                           {"BOOL", 1, ""},
                                                           {"C64", 8, ""}});

void add(std::map<std::string, TensorTotals>& totals, std::string_view type, double elements, double bytes) {
  TensorTotals& t = totals[std::string(type)];
  t.type = type;
  t.tensors += 1;
  t.elements += elements;
  t.bytes += bytes;
}

}  // namespace

WeightsFile read_safetensors_index(std::string_view text, const std::string& name) {
  const Node root = base::parse_json(text, name);
  if (!root.is(Node::Kind::map)) fail(name, root, "a safetensors index is a map");
  const Node* map = root.find("weight_map");
  if (map == nullptr || !map->is(Node::Kind::map)) fail(name, root, "no weight_map: not a safetensors index");
  const Node* metadata = root.find("metadata");
  const Node* total = metadata != nullptr && metadata->is(Node::Kind::map) ? metadata->find("total_size") : nullptr;
  if (total == nullptr) {
    fail(name, metadata == nullptr ? root : *metadata, "no metadata.total_size; name the .safetensors files instead");
  }
  WeightsFile out;
  out.format = "safetensors index";
  out.bytes = count_of(*total, name, "metadata.total_size");
  if (const Node* elements = metadata->find("total_parameters")) {
    out.elements = count_of(*elements, name, "metadata.total_parameters");
  }
  std::set<std::string_view> files;
  for (const auto& member : map->members) {
    if (!member.value.is(Node::Kind::string)) fail(name, member.value, "weight_map: expected a file name");
    files.insert(member.value.text);
  }
  if (files.empty() || out.bytes == 0) fail(name, root, "the index names no weights");
  out.files = static_cast<int>(files.size());
  return out;
}

WeightsFile read_safetensors_header(std::istream& in, const std::string& name) {
  std::array<unsigned char, 8> prefix{};
  if (!in.read(reinterpret_cast<char*>(prefix.data()), prefix.size())) {  // NOLINT
    fail(name, "shorter than the eight bytes of a safetensors prefix");
  }
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | prefix[i];
  if (length < 2 || length > kMostHeader) {
    fail(name, fmt::format("a safetensors header of {} bytes; from 2 to {} are possible", length, kMostHeader));
  }
  // In pieces, so that a short file that claims a long header costs nothing.
  std::string header;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (header.size() < length) {
    const std::size_t piece = std::min<std::size_t>(kPiece, static_cast<std::size_t>(length) - header.size());
    const std::size_t before = header.size();
    header.resize(before + piece);
    if (!in.read(header.data() + before, static_cast<std::streamsize>(piece))) {
      fail(name, fmt::format("ends within its header of {} bytes", length));
    }
  }
  base::Limits limits;
  limits.bytes = kMostHeader;
  const Node root = base::parse_json(header, name, limits);
  if (!root.is(Node::Kind::map)) fail(name, "the safetensors header is not a map");

  WeightsFile out;
  out.format = "safetensors";
  std::map<std::string, TensorTotals> totals;
  for (const auto& [key, line, column, tensor] : root.members) {
    if (key == "__metadata__") continue;
    const Node* dtype = tensor.is(Node::Kind::map) ? tensor.find("dtype") : nullptr;
    const Node* shape = tensor.is(Node::Kind::map) ? tensor.find("shape") : nullptr;
    const Node* offsets = tensor.is(Node::Kind::map) ? tensor.find("data_offsets") : nullptr;
    if (dtype == nullptr || shape == nullptr || offsets == nullptr || !shape->is(Node::Kind::list) ||
        !offsets->is(Node::Kind::list) || offsets->items.size() != 2) {
      fail(name, tensor, fmt::format("tensor \"{}\" needs dtype, shape and two data_offsets", printable(key)));
    }
    double elements = 1;
    for (const auto& side : shape->items) {
      elements *= count_of(side, name, "shape");
      if (elements > kMostBytes) fail(name, side, "shape: more elements than any file holds");
    }
    const double bytes =
        count_of(offsets->items[1], name, "data_offsets") - count_of(offsets->items[0], name, "data_offsets");
    if (bytes < 0) fail(name, *offsets, "data_offsets end before they begin");
    const auto* type = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                    [&](const ElementType& t) { return t.type == dtype->text; });
    if (type != kElementTypes.end() && std::abs(elements * type->bytes - bytes) > 1) {
      fail(name, *offsets,
           fmt::format("tensor \"{}\": {} elements of {} are not {} bytes", printable(key), elements,
                       printable(dtype->text), bytes));
    }
    add(totals, dtype->text.substr(0, 16), elements, bytes);
  }
  for (const auto& [type, t] : totals) {
    out.types.push_back(t);
    out.bytes += t.bytes;
    out.elements += t.elements;
  }
  if (out.types.empty()) fail(name, "the safetensors header names no tensor");
  std::stable_sort(out.types.begin(), out.types.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  if (out.types.front().bytes > 0.8 * out.bytes) {
    for (const auto& type : kElementTypes) {
      if (type.type == out.types.front().type) out.weights = type.weights;
    }
  }
  return out;
}

WeightsFile read_weights_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail(path, "is a folder; name one of its files");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "cannot be opened");
  std::array<char, 5> start{};
  in.read(start.data(), start.size());
  const auto got = static_cast<std::size_t>(in.gcount());
  in.clear();
  in.seekg(0);
  const std::string_view head(start.data(), got);
  if (head.starts_with("GGUF")) return read_gguf_header(in, path);
  const auto first = head.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && head[first] == '{') {
    base::Limits limits;
    limits.bytes = kMostHeader;
    return read_safetensors_index(base::read_bytes(path, limits), path);
  }
  WeightsFile out = read_safetensors_header(in, path);
  // Data follow the header; a file that is shorter is a broken download.
  const auto header_end = static_cast<double>(in.tellg());
  const auto size = static_cast<double>(std::filesystem::file_size(path, error));
  if (!error && header_end > 0 && size < header_end + out.bytes) {
    out.warnings.push_back({Place{path}, fmt::format("the file is {:.0f} bytes shorter than its header says",
                                                     header_end + out.bytes - size)});
  }
  return out;
}

}  // namespace gpuadvise
