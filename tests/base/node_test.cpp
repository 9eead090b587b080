// The readers: places, kinds, limits.
#include "base/node.h"
#include "catch.h"
#include "run_program.h"

namespace gpuadvise::base {
namespace {

using Kind = Node::Kind;

void place_is(const Node& node, int line, int column) {
  CHECK(node.line == line);
  CHECK(node.column == column);
}

// The whole message of the error that `text` gives.
template <class Parse>
std::string error_of(Parse parse) {
  try {
    parse();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
std::string yaml_error(std::string_view text, const Limits& limits = {}) {
  return error_of([&] { parse_yaml(text, "f", limits); });
}
std::string json_error(std::string_view text, const Limits& limits = {}) {
  return error_of([&] { parse_json(text, "f", limits); });
}

TEST_CASE("YAML values know where they stand", "[node]") {
  const Node root = parse_yaml("a: 1\nb:\n  - x\n  - {c: 2.5, d: \"3\"}\n", "f");
  REQUIRE(root.is(Kind::map));
  REQUIRE(root.members.size() == 2);
  CHECK(root.members[1].key == "b");
  CHECK(root.members[1].line == 2);
  CHECK(root.members[1].column == 1);
  place_is(*root.find("a"), 1, 4);
  const Node& list = *root.find("b");
  REQUIRE(list.items.size() == 2);
  place_is(list.items[0], 3, 5);
  place_is(*list.items[1].find("c"), 4, 9);
  CHECK(list.items[1].find("c")->is(Kind::number));
  CHECK(list.items[1].find("d")->is(Kind::string));
  CHECK(list.items[1].find("d")->quoted);
  CHECK(root.find("z") == nullptr);
}

TEST_CASE("JSON values know where they stand", "[node]") {
  const Node root = parse_json("{\"a\": 12,\n  \"b\": [true, null,\n\"x\"], \"c\": -1.5e3}", "f");
  REQUIRE(root.members.size() == 3);
  CHECK(root.members[1].line == 2);
  CHECK(root.members[1].column == 3);
  place_is(*root.find("a"), 1, 7);
  const Node& list = *root.find("b");
  place_is(list, 2, 8);
  REQUIRE(list.items.size() == 3);
  CHECK(list.items[0].is(Kind::boolean));
  place_is(list.items[0], 2, 9);
  CHECK(list.items[1].is(Kind::null));
  place_is(list.items[1], 2, 15);
  place_is(list.items[2], 3, 1);
  CHECK(root.find("c")->is(Kind::number));
  CHECK(root.find("c")->text == "-1.5e3");
}

TEST_CASE("plain words are what YAML 1.2 says they are", "[node]") {
  const auto kind = [](std::string_view text) { return scalar_node(text).kind; };
  for (const auto text : {"", "~", "null", "NULL"}) CHECK(kind(text) == Kind::null);
  for (const auto text : {"true", "False", "TRUE"}) CHECK(kind(text) == Kind::boolean);
  for (const auto text : {"0", "-7", "+7", "123456789012"}) CHECK(kind(text) == Kind::integer);
  for (const auto text : {"0.5", ".5", "-1e3", "7.6e9", "1e400"}) CHECK(kind(text) == Kind::number);
  // Words that other readers take for numbers or truth.
  for (const auto text : {"inf", "nan", "-inf", "yes", "no", "on", "13B", "1.2.3", "0x10", "-", "1_000"}) {
    INFO(text);
    CHECK(kind(text) == Kind::string);
  }
}

TEST_CASE("a document is JSON when it starts like JSON", "[node]") {
  CHECK(parse_document("  {\"a\": 1}", "f").find("a")->text == "1");
  CHECK(parse_document("\xEF\xBB\xBF[1]", "f").items.size() == 1);
  CHECK(parse_document("a: {b: 1}", "f").find("a")->is(Kind::map));
  // A YAML flow map is not JSON.
  CHECK(json_error("{a: 1}").starts_with("f:1:2: "));
}

TEST_CASE("a byte order mark is skipped, UTF-16 and broken UTF-8 are refused with their place", "[node]") {
  place_is(*parse_yaml("\xEF\xBB\xBFkey: 1", "f").find("key"), 1, 6);
  CHECK(yaml_error(std::string_view("\xFF\xFE"
                                    "a\0",
                                    4))
            .find("f:1:1: this is UTF-16") == 0);
  CHECK(json_error("\xFE\xFF").find("UTF-16") != std::string::npos);
  CHECK(yaml_error("a: 1\nb: \xC3\x28") == "f:2:4: not valid UTF-8");
  CHECK(json_error("\"\xED\xA0\x80\"") == "f:1:2: not valid UTF-8");  // half a surrogate pair
}

TEST_CASE("a key stands once in a map", "[node]") {
  CHECK(yaml_error("a: 1\nb: 2\na: 3\n") == "f:3:1: key \"a\" stands twice in this map");
  CHECK(json_error("{\"a\": 1,\n \"a\": 2}") == "f:2:2: key \"a\" stands twice in this map");
  CHECK(yaml_error("{x: {a: 1}, y: {a: 1}}") == "no error");
}

TEST_CASE("broken documents are refused where they break", "[node]") {
  CHECK(yaml_error("a: [1, 2\nb: 3").starts_with("f:2:"));
  CHECK(yaml_error("a: 1\n b: 2").starts_with("f:2:"));
  CHECK(yaml_error("? [a]\n: 1").find("a map key must be a plain word") != std::string::npos);
  CHECK(yaml_error("a: 1\n---\nb: 2\n").find("a second document") != std::string::npos);
  CHECK(json_error("{\"a\": 1,}").starts_with("f:1:9: "));
  CHECK(json_error("{\"a\": 1}}").starts_with("f:1:9: "));
  CHECK(json_error("").starts_with("f:1:1: "));
  CHECK(parse_yaml("", "f").is(Kind::null));
}

TEST_CASE("aliases stand for what their anchor holds", "[node]") {
  const Node root = parse_yaml("a: &x {b: [1, 2]}\nc: *x\nd: &k key\n*k : 5\n", "f");
  REQUIRE(root.find("c") != nullptr);
  CHECK(root.find("c")->find("b")->items.size() == 2);
  CHECK(root.find("key")->text == "5");
  CHECK(yaml_error("a: &x [*x]").find("an alias that contains itself") != std::string::npos);
  CHECK(yaml_error("a: *nowhere") != "no error");
}

TEST_CASE("anchors and aliases have a budget of values and of text", "[node]") {
  std::string values = "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\nb: &b [";
  for (int i = 0; i < 1000; ++i) values += "*a, ";
  CHECK(yaml_error(values + "]\n") == "no error");
  CHECK(yaml_error(values + "]\nc: [*b, *b, *b, *b, *b, *b, *b, *b, *b]").find("anchors and aliases") !=
        std::string::npos);
  const std::string text = "a: &a " + std::string(1'000'000, 'x') + "\nb: [*a, *a";
  CHECK(yaml_error(text + "]") == "no error");
  CHECK(yaml_error(text + ", *a, *a, *a]").find("f:2:") == 0);
}

TEST_CASE("size, number of values and depth are bounded", "[node]") {
  Limits limits;
  limits.bytes = 20;
  limits.values = 5;
  limits.depth = 3;
  CHECK(yaml_error("a: 123456789012345678", limits).find("at most") != std::string::npos);
  CHECK(yaml_error("[1, 2, 3, 4]", limits) == "no error");
  CHECK(yaml_error("[1, 2, 3, 4, 5]", limits) == "f:1:14: more than 5 values");
  CHECK(json_error("[1, 2, 3, 4, 5]", limits) == "f:1:14: more than 5 values");
  CHECK(yaml_error("[[[1]]]", limits) == "no error");
  CHECK(yaml_error("[[[[1]]]]", limits) == "f:1:4: nested more than 3 levels deep");
  CHECK(json_error("[[[[1]]]]", limits) == "f:1:4: nested more than 3 levels deep");
  CHECK(yaml_error("- - - - 1", limits) == "f:1:7: nested more than 3 levels deep");
}

TEST_CASE("files are read whole or refused by name", "[node]") {
  const test::TempFile file("a: 1\n");
  CHECK(read_bytes(file.path()) == "a: 1\n");
  Limits limits;
  limits.bytes = 3;
  CHECK(error_of([&] { read_bytes(file.path(), limits); }).starts_with(file.path() + ": longer than"));
  CHECK(error_of([] { read_bytes("/tmp"); }) == "/tmp: is a directory; a file is expected");
  CHECK(error_of([] { read_bytes("/no/such"); }) == "/no/such: no such file");
}

TEST_CASE("a stray character is one error, not endless empty documents", "[node]") {
  for (const std::string_view text : {", a", " , ", "a: 1\n---\n, b", "]", "}"}) {
    INFO(text);
    try {
      parse_yaml_documents(text, "f");
      FAIL_CHECK("no error");
    } catch (const InputError& error) {
      CHECK(error.place().line > 0);
      CHECK(error.message().find("too many documents") == std::string::npos);
    }
  }
}

TEST_CASE("several documents in one file", "[node]") {
  const auto documents = parse_yaml_documents("a: 1\n---\nb: 2\n", "f");
  REQUIRE(documents.size() == 2);
  place_is(*documents[1].find("b"), 3, 4);
}

}  // namespace
}  // namespace gpuadvise::base
