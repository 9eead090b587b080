#include <charconv>
#include <fmt/format.h>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "check/readers/json_cursor.h"

namespace gpuadvise::check {

using base::Node;

void JsonCursor::fail(std::string_view message) const { throw InputError(Place{name_, here_.line, column()}, message); }

void JsonCursor::space() {
  while (here_.at < text_.size()) {
    const char c = text_[here_.at];
    if (c == '\n') {
      ++here_.line;
      here_.line_start = here_.at + 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
    ++here_.at;
  }
}

void JsonCursor::expect(char c, std::string_view what) {
  space();
  if (here_.at >= text_.size()) fail(fmt::format("the file ends where {} was expected", what));
  if (text_[here_.at] != c) {
    fail(fmt::format("expected {}, found \"{}\"", what, base::printable(text_.substr(here_.at, 1))));
  }
  ++here_.at;
}

void JsonCursor::deeper() {
  if (++here_.depth > kDepth) fail(fmt::format("nested more than {} levels deep", kDepth));
}

Node::Kind JsonCursor::peek() {
  space();
  switch (at()) {
    case '{':
      return Node::Kind::map;
    case '[':
      return Node::Kind::list;
    case '"':
      return Node::Kind::string;
    case 't':
    case 'f':
      return Node::Kind::boolean;
    case 'n':
      return Node::Kind::null;
    default:
      return Node::Kind::number;
  }
}

void JsonCursor::enter_object() {
  expect('{', "an object");
  deeper();
  first_ = true;
}

bool JsonCursor::next_key(std::string& key) {
  space();
  if (at() == '}') {
    ++here_.at;
    --here_.depth;
    first_ = false;
    return false;
  }
  if (!std::exchange(first_, false)) expect(',', "a comma or the end of the object");
  space();
  if (at() != '"') fail(here_.at < text_.size() ? "a key in quotes was expected" : "the file ends inside an object");
  key = string();
  expect(':', "a colon after the key");
  return true;
}

void JsonCursor::enter_array() {
  expect('[', "a list");
  deeper();
  first_ = true;
}

bool JsonCursor::next_item() {
  space();
  if (at() == ']') {
    ++here_.at;
    --here_.depth;
    first_ = false;
    return false;
  }
  if (!std::exchange(first_, false)) expect(',', "a comma or the end of the list");
  return true;
}

unsigned JsonCursor::hex4() {
  unsigned value = 0;
  if (here_.at + 4 > text_.size()) fail("the file ends inside a string");
  const char* first = text_.data() + here_.at;
  const auto [end, error] = std::from_chars(first, first + 4, value, 16);
  if (error != std::errc{} || end != first + 4) fail("\\u needs four hexadecimal digits");
  here_.at += 4;
  return value;
}

void JsonCursor::escape(std::string& out) {
  const char c = at();
  ++here_.at;
  switch (c) {
    case '"':
    case '\\':
    case '/':
      out += c;
      return;
    case 'b':
      out += '\b';
      return;
    case 'f':
      out += '\f';
      return;
    case 'n':
      out += '\n';
      return;
    case 'r':
      out += '\r';
      return;
    case 't':
      out += '\t';
      return;
    case 'u':
      break;
    default:
      fail("unknown escape in a string");
  }
  unsigned code = hex4();
  if (code >= 0xD800 && code < 0xDC00) {
    if (text_.substr(here_.at, 2) != "\\u") fail("half of a surrogate pair");
    here_.at += 2;
    const unsigned low = hex4();
    if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code < 0xE000) {
    fail("half of a surrogate pair");
  }
  const auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | (code >> 6U)), put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U)), put(0x80U | ((code >> 6U) & 0x3FU)), put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | (code >> 18U)), put(0x80U | ((code >> 12U) & 0x3FU)), put(0x80U | ((code >> 6U) & 0x3FU)),
        put(0x80U | (code & 0x3FU));
  }
}

std::string JsonCursor::string() {
  expect('"', "text in quotes");
  std::string out;
  std::size_t run = here_.at;
  while (true) {
    if (here_.at >= text_.size()) fail("the file ends inside a string");
    const char c = text_[here_.at];
    if (c == '"' || c == '\\') {
      out.append(text_, run, here_.at - run);
      ++here_.at;
      if (c == '"') return out;
      escape(out);
      run = here_.at;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fail("a control character inside a string");
    } else {
      ++here_.at;
    }
  }
}

void JsonCursor::skip_string() {
  ++here_.at;
  std::string unused;
  const char* p = text_.data() + here_.at;
  const char* end = text_.data() + text_.size();
  while (true) {
    while (p < end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20) ++p;
    here_.at = static_cast<std::size_t>(p - text_.data());
    if (p >= end) fail("the file ends inside a string");
    if (*p == '"') {
      ++here_.at;
      return;
    }
    if (*p != '\\') fail("a control character inside a string");
    ++here_.at;
    unused.clear();
    escape(unused);
    p = text_.data() + here_.at;
  }
}

std::string_view JsonCursor::number() {
  const std::size_t start = here_.at;
  const auto digits = [&] {
    const std::size_t from = here_.at;
    while (at() >= '0' && at() <= '9') ++here_.at;
    return here_.at > from;
  };
  if (at() == '-') ++here_.at;
  const bool zero = at() == '0';
  const std::size_t whole = here_.at;
  if (!digits()) fail(here_.at < text_.size() ? "a value was expected" : "the file ends where a value was expected");
  if (zero && here_.at > whole + 1) fail("a number must not start with 0");
  if (at() == '.') {
    ++here_.at;
    if (!digits()) fail("a digit must follow the decimal point");
  }
  if (at() == 'e' || at() == 'E') {
    ++here_.at;
    if (at() == '+' || at() == '-') ++here_.at;
    if (!digits()) fail("a digit must follow the exponent");
  }
  return text_.substr(start, here_.at - start);
}

void JsonCursor::word(std::string_view expected) {
  if (text_.substr(here_.at, expected.size()) != expected) fail("a value was expected");
  here_.at += expected.size();
}

void JsonCursor::skip() {
  std::vector<char> open;  // what must close, innermost last
  const int outer = here_.depth;
  bool first = true;
  while (true) {
    space();
    if (!open.empty()) {
      const char close = open.back();
      if (at() == close) {
        ++here_.at;
        open.pop_back();
        --here_.depth;
        first = false;
        if (open.empty()) break;
        continue;
      }
      if (!std::exchange(first, false))
        expect(',', close == '}' ? "a comma or the end of the object" : "a comma or the end of the list");
      space();
      if (close == '}') {
        if (at() != '"')
          fail(here_.at < text_.size() ? "a key in quotes was expected" : "the file ends inside an object");
        skip_string();
        expect(':', "a colon after the key");
        space();
      }
    }
    switch (at()) {
      case '{':
      case '[':
        open.push_back(at() == '{' ? '}' : ']');
        ++here_.at;
        deeper();
        first = true;
        continue;
      case '"':
        skip_string();
        break;
      case 't':
        word("true");
        break;
      case 'f':
        word("false");
        break;
      case 'n':
        word("null");
        break;
      default:
        number();
    }
    if (open.empty()) break;
  }
  here_.depth = outer;
  first_ = false;
}

Node JsonCursor::build() {
  space();
  Node node;
  node.line = here_.line;
  node.column = column();
  switch (peek()) {
    case Node::Kind::map: {
      node.kind = Node::Kind::map;
      std::unordered_set<std::string> seen;
      std::string key;
      enter_object();
      while (next_key(key)) {
        const int key_line = here_.line;
        const int key_column = column();
        if (node.members.size() < 16) {
          if (node.find(key) != nullptr) fail(fmt::format("key \"{}\" stands twice", base::printable(key)));
        } else {
          if (seen.empty()) {
            for (const auto& member : node.members) seen.insert(member.key);
          }
          if (!seen.insert(key).second) fail(fmt::format("key \"{}\" stands twice", base::printable(key)));
        }
        std::string own = std::move(key);
        Node value = build();
        node.members.push_back({std::move(own), key_line, key_column, std::move(value)});
      }
      break;
    }
    case Node::Kind::list:
      node.kind = Node::Kind::list;
      enter_array();
      while (next_item()) node.items.push_back(build());
      break;
    case Node::Kind::string:
      node.kind = Node::Kind::string;
      node.quoted = true;
      node.text = string();
      break;
    case Node::Kind::boolean:
      node.kind = Node::Kind::boolean;
      node.text = at() == 't' ? "true" : "false";
      word(node.text);
      break;
    case Node::Kind::null:
      node.text = "null";
      word("null");
      break;
    default:
      node.text = std::string(number());
      node.kind = node.text.find_first_of(".eE") == std::string::npos ? Node::Kind::integer : Node::Kind::number;
  }
  first_ = false;
  return node;
}

void JsonCursor::end() {
  space();
  if (here_.at < text_.size()) fail("something stands after the end of the document");
}

}  // namespace gpuadvise::check
