// A parsed document, YAML or JSON alike, that remembers where each value stood. Input is hostile: size, depth and the
// number of values (aliases expanded) are bounded, and a document is either read whole or refused with its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuadvise/error.h"

namespace gpuadvise::base {

struct Node {
  enum class Kind : unsigned char { null, boolean, integer, number, string, list, map };
  struct Member;

  Kind kind = Kind::null;
  bool quoted = false;  // a YAML scalar in quotes: never a number
  int line = 0;
  int column = 0;
  std::string text;             // scalars, as written
  std::vector<Node> items;      // lists
  std::vector<Member> members;  // maps, in the order of the file

  bool is(Kind k) const { return kind == k; }
  bool is_number() const { return kind == Kind::integer || kind == Kind::number; }
  const Node* find(std::string_view key) const;
};

struct Node::Member {
  std::string key;
  int line = 0;
  int column = 0;
  Node value;
};

std::string_view kind_name(Node::Kind kind);  // "a list", "a number", ... for messages

struct Limits {
  std::size_t bytes = std::size_t{16} << 20;
  std::size_t values = 1'000'000;
  int depth = 64;
};

// The bytes of a file, or of standard input for "-". Refuses directories, missing files and files over the limit.
std::string read_bytes(const std::string& path, const Limits& limits = {});

// `name` is what error messages call the input.
// The text without its byte order mark. Refuses what is too long, UTF-16, or not valid UTF-8.
std::string_view checked_text(std::string_view text, const std::string& name, const Limits& limits = {});

Node parse_yaml(std::string_view text, const std::string& name, const Limits& limits = {});
std::vector<Node> parse_yaml_documents(std::string_view text, const std::string& name, const Limits& limits = {});
Node parse_json(std::string_view text, const std::string& name, const Limits& limits = {});
// One plain word as YAML would read it: a number, true, null or text.
Node scalar_node(std::string_view text);
// JSON when the text starts with { or [ and the name does not say YAML; YAML otherwise.
Node parse_document(std::string_view text, const std::string& name, const Limits& limits = {});

}  // namespace gpuadvise::base
