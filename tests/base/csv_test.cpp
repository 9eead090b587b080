#include "base/csv.h"
#include "catch.h"

using namespace gpuadvise;
using base::Node;
using base::parse_csv;

namespace {

std::string error_of(std::string_view text) {
  try {
    parse_csv(text, "f.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string cell(const Node& table, std::size_t row, std::string_view name) {
  const Node* value = table.items.at(row).find(name);
  return value == nullptr ? "no such column" : value->text;
}

}  // namespace

TEST_CASE("a table of cells") {
  const Node table =
      parse_csv("\xEF\xBB\xBFname,note,n\r\n a ,\"x, \"\"y\"\"\",1.5\r\n\r\n\"two\nlines\",,-3", "f.csv");
  REQUIRE(table.items.size() == 2);
  CHECK(cell(table, 0, "name") == "a");
  CHECK(cell(table, 0, "note") == "x, \"y\"");
  CHECK(table.items[0].find("n")->is_number());
  CHECK(cell(table, 1, "name") == "two\nlines");
  CHECK(table.items[1].find("note")->is(Node::Kind::null));
  CHECK(cell(table, 1, "n") == "-3");
  // Lines are those of the file, whatever the quotes hold.
  CHECK(table.items[0].line == 2);
  CHECK(table.items[0].find("note")->column == 5);
  CHECK(table.items[1].line == 4);
  CHECK(table.items[1].find("n")->line == 5);
  CHECK(parse_csv("a,b\n", "f.csv").items.empty());
}

TEST_CASE("tables that are none") {
  CHECK(error_of("") == "f.csv:1:1: empty: the first line should name the columns");
  CHECK(error_of("\n\n") == "f.csv:1:1: empty: the first line should name the columns");
  CHECK(error_of("a,b\n1,\"2\n").starts_with("f.csv:2:3: a quote that is never closed"));
  CHECK(error_of("a,b\n1,\"2\"x\n").starts_with("f.csv:2:6: text after the closing quote"));
  CHECK(error_of("a,b\n1,2\"x\"\n").starts_with("f.csv:2:4: a quote inside a cell"));
  CHECK(error_of("a,b\n1\n") == "f.csv:2:1: 1 cells, and the first line names 2 columns");
  CHECK(error_of("a,b\n1,2,3\n") == "f.csv:2:1: 3 cells, and the first line names 2 columns");
  CHECK(error_of("a,b,a\n") == "f.csv:1:5: column \"a\" stands twice");
  CHECK(error_of("a,,b\n") == "f.csv:1:3: a column without a name");
  CHECK(error_of("a,b\n1,\xFF\n") == "f.csv:2:3: not valid UTF-8");
  CHECK(error_of("\xFF\xFE"
                 "a")
            .find("UTF-16") != std::string::npos);
}
