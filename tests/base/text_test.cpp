// Text as people and terminals see it.
#include <array>

#include "base/text.h"
#include "catch.h"

namespace gpuadvise::base {
namespace {

using Lines = std::vector<std::string>;
using Names = std::vector<std::string_view>;

TEST_CASE("display width counts columns, not bytes", "[text]") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("显存") == 4);
  CHECK(display_width("，。") == 4);
  CHECK(display_width("é") == 1);
  CHECK(display_width("e\xCC\x81") == 1);      // a combining accent
  CHECK(display_width("a\xE2\x80\x8B") == 1);  // zero width space
  CHECK(display_width("🚀") == 2);
  CHECK(display_width("") == 0);
  CHECK(pad_right("显存", 6) == "显存  ");
  CHECK(pad_left("显存", 6) == "  显存");
  CHECK(pad_right("longer", 3) == "longer");
}

TEST_CASE("wrapping keeps words whole and Chinese within the columns", "[text]") {
  CHECK(wrap("one two three", 8) == Lines{"one two", "three"});
  CHECK(wrap("one  two", 80) == Lines{"one  two"});
  CHECK(wrap("a-word-longer-than-the-line b", 10) == Lines{"a-word-longer-than-the-line", "b"});
  CHECK(wrap("", 10) == Lines{""});
  CHECK(wrap("显存够用", 4) == Lines{"显存", "够用"});
  CHECK(wrap("用 A10，好", 6) == Lines{"用", "A10，", "好"});   // no line begins with a comma
  CHECK(wrap("显存（够）用", 8) == Lines{"显存", "（够）用"});  // or ends with an opening bracket
  for (const auto& line : wrap("每张卡需要的显存，加上余量，超过了可用的显存。", 12)) {
    CHECK(display_width(line) <= 12);
    // Closing punctuation never begins a line.
    CHECK_FALSE(line.starts_with("，"));
    CHECK_FALSE(line.starts_with("。"));
  }
}

TEST_CASE("words of strangers cannot steer a terminal", "[text]") {
  CHECK(printable("plain 显存") == "plain 显存");
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("a\nb\tc") == "a\\x0ab\\x09c");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");           // C1 control sequence introducer
  CHECK(printable("\xe2\x80\xae") == "\\xe2\\x80\\xae");  // right-to-left override
  CHECK(printable("\xff") == "\\xff");
}

TEST_CASE("counts are read as people write them", "[text]") {
  CHECK(parse_count("13B") == 13e9);
  CHECK(parse_count(" 7.62e9 ") == 7.62e9);
  CHECK(parse_count("350m") == 350e6);
  CHECK(parse_count("1.5T") == 1.5e12);
  CHECK(parse_count("4k") == 4000);
  for (const auto text :
       {"", "B", "-7B", "0", "13X", "13BB", "13 B", "1e400", "1e308T", "nan", "inf", "0x10", "banana"}) {
    INFO(text);
    CHECK_FALSE(parse_count(text).has_value());
  }
  CHECK(format_count(13e9) == "13B");
  CHECK(format_count(7.62e9) == "7.62B");
  CHECK(format_count(999.9e6) == "999.9M");
  CHECK(format_count(999.99e6) == "1B");
  CHECK(format_count(12) == "12");
}

TEST_CASE("numbers keep three digits that mean something", "[text]") {
  CHECK(significant(1234.5) == "1,230");
  CHECK(significant(45.64) == "45.6");
  CHECK(significant(0.78912) == "0.789");
  CHECK(significant(9.996) == "10.0");
  CHECK(significant(-1234567) == "-1,230,000");
  CHECK(significant(0) == "0");
  CHECK(group_thousands(1234567) == "1,234,567");
  CHECK(group_thousands(-1234.56, 1) == "-1,234.6");
  CHECK(group_thousands(999) == "999");
  CHECK(group_thousands(-0.2) == "0");
}

TEST_CASE("a swapped pair of letters is one edit, and case is none", "[text]") {
  CHECK(edit_distance("gn6i", "GN6I") == 0);
  CHECK(edit_distance("recommned", "recommend") == 1);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("x", "y") == edit_distance("y", "x"));
  CHECK(edit_distance(std::string(100'000, 'a'), std::string(100'000, 'b')) <= 128);  // bounded work
}

TEST_CASE("the nearest names, and only those that could be a slip", "[text]") {
  constexpr std::array<std::string_view, 4> kNames = {"params", "precision", "profile", "pipeline"};
  CHECK(nearest("parms", kNames, 2) == Names{"params"});
  CHECK(nearest("zzzzzz", kNames, 2).empty());
  CHECK(nearest("zzzzzz", kNames, 2, false).size() == 2);
  CHECK(did_you_mean("profle", kNames) == "; did you mean \"profile\"?");
  CHECK(did_you_mean("zzzzzz", kNames).empty());
}

TEST_CASE("UTF-8 is checked to the last byte", "[text]") {
  CHECK_FALSE(invalid_utf8_at("plain 显存 🚀").has_value());
  CHECK(invalid_utf8_at("a\xff") == 1U);
  CHECK(invalid_utf8_at("ab\xC3") == 2U);            // cut short
  CHECK(invalid_utf8_at("\xC0\x80") == 0U);          // overlong
  CHECK(invalid_utf8_at("\xED\xA0\x80") == 0U);      // surrogate
  CHECK(invalid_utf8_at("\xF4\x90\x80\x80") == 0U);  // beyond Unicode
}

TEST_CASE("small helpers", "[text]") {
  CHECK(trim(" \t a b \r\n") == "a b");
  CHECK(trim("  ").empty());
  CHECK(lower("GN10Xp") == "gn10xp");
  CHECK(equal_ignoring_case("A10", "a10"));
  CHECK_FALSE(equal_ignoring_case("A10", "a100"));
  CHECK(split("a,,b", ',') == Names{"a", "", "b"});
  CHECK(split("", ',') == Names{""});
}

}  // namespace
}  // namespace gpuadvise::base
