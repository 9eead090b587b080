#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <istream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <unordered_set>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/files.h"
#include "base/node.h"
#include "base/text.h"

namespace gpuadvise::base {

namespace {

[[noreturn]] void fail(const std::string& name, int line, int column, std::string_view message) {
  throw InputError(Place{name, line, column}, message);
}

void classify_plain(Node& node) {
  const std::string& s = node.text;
  if (s.empty() || s == "~" || s == "null" || s == "Null" || s == "NULL") {
    node.kind = Node::Kind::null;
    return;
  }
  if (s == "true" || s == "True" || s == "TRUE" || s == "false" || s == "False" || s == "FALSE") {
    node.kind = Node::Kind::boolean;
    return;
  }
  const char* first = s.data() + (s[0] == '+' ? 1 : 0);
  const char* last = s.data() + s.size();
  long long integer = 0;
  if (auto [at, e] = std::from_chars(first, last, integer); e == std::errc{} && at == last) {
    node.kind = Node::Kind::integer;
    return;
  }
  // YAML's numbers start with a digit, a sign or a dot; from_chars alone would also take "inf" and "nan".
  const char lead = *first == '-' && first + 1 < last ? first[1] : *first;
  if ((lead >= '0' && lead <= '9') || lead == '.') {
    double number = 0;
    const auto [at, e] = std::from_chars(first, last, number);
    if (at == last && (e == std::errc{} || e == std::errc::result_out_of_range)) {
      node.kind = Node::Kind::number;
      return;
    }
  }
  node.kind = Node::Kind::string;
}

// What anchors and aliases may add to a document: values, and bytes of their texts.
constexpr std::size_t kCopies = 100'000;
constexpr std::size_t kCopiedBytes = std::size_t{4} << 20U;

// Builds the tree both parsers fill: counts values, bounds depth, refuses duplicate keys.
class Builder {
 public:
  Builder(std::string name, const Limits& limits) : name_(std::move(name)), limits_(limits) {}

  void scalar(Node node) {
    count(node.line, node.column);
    if (wants_key()) {
      auto& top = stack_.back();
      if (node.kind == Node::Kind::list || node.kind == Node::Kind::map) {
        fail(name_, node.line, node.column, "a map key must be a plain word");
      }
      if (!top.keys.insert(node.text).second) {
        fail(name_, node.line, node.column, fmt::format("key \"{}\" stands twice in this map", printable(node.text)));
      }
      top.node.members.push_back({std::move(node.text), node.line, node.column, {}});
      top.key_open = true;
      return;
    }
    attach(std::move(node));
  }

  void open(Node::Kind kind, int line, int column) {
    count(line, column);
    if (wants_key()) fail(name_, line, column, "a map key must be a plain word");
    if (static_cast<int>(stack_.size()) >= limits_.depth) {
      fail(name_, line, column, fmt::format("nested more than {} levels deep", limits_.depth));
    }
    Frame frame;
    frame.node.kind = kind;
    frame.node.line = line;
    frame.node.column = column;
    stack_.push_back(std::move(frame));
  }

  Node close() {
    Node node = std::move(stack_.back().node);
    stack_.pop_back();
    return node;
  }

  void attach(Node node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    auto& top = stack_.back();
    if (top.node.kind == Node::Kind::list) {
      top.node.items.push_back(std::move(node));
    } else {
      top.node.members.back().value = std::move(node);
      top.key_open = false;
    }
  }

  // An expanded alias weighs as much as what it stands for, and so does what an anchor keeps for later.
  void count_copy(const Node& node, int line, int column) {
    copied_bytes_ += node.text.size();
    if (++copies_ > kCopies || copied_bytes_ > kCopiedBytes) {
      fail(name_, line, column,
           fmt::format("anchors and aliases stand for more than {} values or {} MiB of text", kCopies,
                       kCopiedBytes >> 20U));
    }
    for (const auto& item : node.items) count_copy(item, line, column);
    for (const auto& member : node.members) {
      copied_bytes_ += member.key.size();
      count_copy(member.value, line, column);
    }
  }

  Node take_root() { return std::move(root_); }
  bool wants_key() const {
    return !stack_.empty() && stack_.back().node.kind == Node::Kind::map && !stack_.back().key_open;
  }
  const std::string& name() const { return name_; }

 private:
  struct Frame {
    Node node;
    std::unordered_set<std::string> keys;
    bool key_open = false;
  };

  void count(int line, int column) {
    if (++values_ > limits_.values) {
      fail(name_, line, column, fmt::format("more than {} values", limits_.values));
    }
  }

  std::string name_;
  Limits limits_;
  std::vector<Frame> stack_;
  Node root_;
  std::size_t values_ = 0;
  std::size_t copies_ = 0;
  std::size_t copied_bytes_ = 0;
};

class YamlEvents : public YAML::EventHandler {
 public:
  explicit YamlEvents(Builder& builder) : builder_(builder) {}

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}
  const YAML::Mark& start() const { return start_; }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    set_place(node, mark);
    keep(anchor, node);
    builder_.scalar(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fail(builder_.name(), mark.line + 1, mark.column + 1, "an alias that contains itself");
    }
    builder_.count_copy(found->second, mark.line + 1, mark.column + 1);
    Node copy = found->second;
    if (builder_.wants_key()) {
      builder_.scalar(std::move(copy));
    } else {
      builder_.attach(std::move(copy));
    }
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node;
    set_place(node, mark);
    node.text = value;
    if (tag == "!" || tag == "tag:yaml.org,2002:str") {
      node.kind = Node::Kind::string;
      node.quoted = true;
    } else {
      classify_plain(node);
    }
    keep(anchor, node);
    builder_.scalar(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  static void set_place(Node& node, const YAML::Mark& mark) {
    node.line = mark.line + 1;
    node.column = mark.column + 1;
  }
  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    builder_.open(kind, mark.line + 1, mark.column + 1);
    open_anchors_.push_back(anchor);
  }
  void close() {
    Node node = builder_.close();
    keep(open_anchors_.back(), node);
    open_anchors_.pop_back();
    builder_.attach(std::move(node));
  }
  void keep(YAML::anchor_t anchor, const Node& node) {
    if (anchor == YAML::NullAnchor) return;
    builder_.count_copy(node, node.line, node.column);
    anchors_[anchor] = node;
  }

  YAML::Mark start_;
  Builder& builder_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::vector<YAML::anchor_t> open_anchors_;
};

// Lets nlohmann's parser run over the text while we know how far it has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonEvents(Builder& builder, std::string_view text, const char** furthest)
      : builder_(builder), text_(text), furthest_(furthest), line_start_(text.data()), scanned_(text.data()) {}

  bool null() override { return put(Node::Kind::null, "null", true); }
  bool boolean(bool value) override { return put(Node::Kind::boolean, value ? "true" : "false", true); }
  bool number_integer(number_integer_t value) override { return put(Node::Kind::integer, std::to_string(value), true); }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= static_cast<number_unsigned_t>(INT64_MAX);
    return put(fits ? Node::Kind::integer : Node::Kind::number, std::to_string(value), true);
  }
  bool number_float(number_float_t, const string_t& text) override { return put(Node::Kind::number, text, true); }
  bool string(string_t& value) override { return put(Node::Kind::string, value, false); }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& value) override { return put(Node::Kind::string, value, false); }
  bool start_object(std::size_t) override { return open(Node::Kind::map); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Node::Kind::list); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
    // The parser stands behind the character that it cannot take.
    const auto [line, column] = place(std::max(*furthest_ - 1, line_start_));
    // nlohmann's text: "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ...".
    std::string_view message = error.what();
    if (const auto colon = message.find(": "); message.starts_with("[") && colon != std::string_view::npos) {
      message.remove_prefix(colon + 2);
    }
    fail(builder_.name(), line, column, printable(message));
  }

 private:
  std::pair<int, int> place(const char* at) {
    for (; scanned_ < at; ++scanned_) {
      if (*scanned_ == '\n') ++line_, line_start_ = scanned_ + 1;
    }
    return {line_, static_cast<int>(at - line_start_) + 1};
  }
  // The parser has read the token, and for numbers and words one character more.
  std::pair<int, int> token_place(std::size_t length, bool looks_ahead) {
    const char* at = *furthest_ - static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                      length, static_cast<std::size_t>(*furthest_ - text_.data())));
    if (looks_ahead && at > text_.data()) --at;
    return place(at < scanned_ ? scanned_ : at);
  }
  bool put(Node::Kind kind, std::string text, bool plain) {
    Node node;
    const bool word = kind == Node::Kind::null || kind == Node::Kind::boolean;
    std::tie(node.line, node.column) = token_place(text.size() + (plain ? 0 : 2), plain && !word);
    node.kind = kind;
    node.quoted = !plain;
    node.text = std::move(text);
    builder_.scalar(std::move(node));
    return true;
  }
  bool open(Node::Kind kind) {
    const auto [line, column] = token_place(1, false);
    builder_.open(kind, line, column);
    return true;
  }
  bool close() {
    builder_.attach(builder_.close());
    return true;
  }

  Builder& builder_;
  std::string_view text_;
  const char** furthest_;
  const char* line_start_;
  const char* scanned_;
  int line_ = 1;
};

// A stream over bytes that stay where they are.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* first = const_cast<char*>(text.data());  // NOLINT: streambuf wants char*, an input buffer is never written
    setg(first, first, first + text.size());
  }
};

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const auto& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::null:
      return "null";
    case Node::Kind::boolean:
      return "true or false";
    case Node::Kind::integer:
      return "a whole number";
    case Node::Kind::number:
      return "a number";
    case Node::Kind::string:
      return "text";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
  }
  return "?";
}

void check_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(Place{path}, "no such file");
  if (std::filesystem::is_directory(status)) throw InputError(Place{path}, "is a directory; a file is expected");
}

std::string_view checked_text(std::string_view text, const std::string& name, const Limits& limits) {
  if (text.size() > limits.bytes) {
    throw InputError(Place{name},
                     fmt::format("{} bytes long; at most {} MiB are read", text.size(), limits.bytes >> 20U));
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw InputError(Place{name, 1, 1}, "this is UTF-16; save it as UTF-8");
  }
  if (const auto bad = invalid_utf8_at(text)) {
    const std::string_view before = text.substr(0, *bad);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const auto last = before.rfind('\n');
    const std::size_t column = *bad - (last == std::string_view::npos ? 0 : last + 1) + 1;
    fail(name, static_cast<int>(lines) + 1, static_cast<int>(column), "not valid UTF-8");
  }
  return text;
}

std::string read_bytes(const std::string& path, const Limits& limits) {
  std::string bytes;
  std::ifstream file;
  if (path != "-") {
    check_file(path);
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);  // an error for pipes, which are measured as they come
    if (!error && size > limits.bytes) {
      throw InputError(Place{path}, fmt::format("longer than {} MiB, the most that is read", limits.bytes >> 20U));
    }
    file.open(path, std::ios::binary);
    if (!file) throw InputError(Place{path}, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::vector<char> block(std::size_t{1} << 16U);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
    bytes.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > limits.bytes) {
      throw InputError(Place{path}, fmt::format("longer than {} MiB, the most that is read", limits.bytes >> 20U));
    }
  }
  return bytes;
}

std::vector<Node> parse_yaml_documents(std::string_view text, const std::string& name, const Limits& limits) {
  text = checked_text(text, name, limits);
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  std::vector<Node> documents;
  try {
    YAML::Parser parser(stream);
    int last = -1;
    while (true) {
      Builder builder(name, limits);
      YamlEvents events(builder);
      if (!parser.HandleNextDocument(events)) break;
      // The parser reads a document out of a stray character without passing it, again and again.
      const YAML::Mark start = events.start();
      if (start.pos == last) fail(name, start.line + 1, start.column + 1, "a character that begins nothing");
      last = start.pos;
      documents.push_back(builder.take_root());
      if (documents.size() > limits.values) throw InputError(Place{name}, "too many documents");
    }
  } catch (const YAML::Exception& error) {
    fail(name, error.mark.line + 1, error.mark.column + 1, error.msg);
  }
  return documents;
}

Node parse_yaml(std::string_view text, const std::string& name, const Limits& limits) {
  auto documents = parse_yaml_documents(text, name, limits);
  if (documents.size() > 1) {
    fail(name, documents[1].line, documents[1].column, "a second document; one is expected");
  }
  return documents.empty() ? Node{} : std::move(documents.front());
}

Node parse_json(std::string_view text, const std::string& name, const Limits& limits) {
  text = checked_text(text, name, limits);
  Builder builder(name, limits);
  const char* furthest = text.data();
  JsonEvents events(builder, text, &furthest);
  nlohmann::json::sax_parse(CountingIterator(text.data(), &furthest),
                            CountingIterator(text.data() + text.size(), &furthest), &events);
  return builder.take_root();
}

Node scalar_node(std::string_view text) {
  Node node;
  node.text = text;
  classify_plain(node);
  return node;
}

Node parse_document(std::string_view text, const std::string& name, const Limits& limits) {
  const auto start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  // What a name says of the form wins: flow style looks like JSON and is not.
  const bool yaml = name.ends_with(".yaml") || name.ends_with(".yml");
  const bool json = !yaml && start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
  return json ? parse_json(text, name, limits) : parse_yaml(text, name, limits);
}

}  // namespace gpuadvise::base
