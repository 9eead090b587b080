// Errors in Chinese: the patterns, and that every text of the source that a person may be told has one.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "gpuadvise/knowledge.h"

#include "base/translate.h"
#include "catch.h"
#include "run_program.h"

namespace gpuadvise::base {
namespace {

using Values = std::vector<std::string_view>;

constexpr Message kRows[] = {
    {"error/hint", "{}; did you mean \"{}\"?", "{0:zh}；是否想用“{1}”？"},
    {"error/kind", "{}: expected {}, found {}", "{0}：应为{1:zh}，实为{2:zh}"},
    {"error/list", "a list", "列表"},
    {"error/map", "a map", "映射"},
    {"error/more", "{} is more than {}", "{0} 大于 {1}"},
    {"error/prefix", "{}: {}", "{0}：{1:zh}"},
    {"error/range", "{:g} to {:g}", "{0} 至 {1}"},
    {"error/twice", "\"{0}\" is \"{0}{0}\"", "“{0}”即“{0}{0}”"},
    {"error/unknown", "unknown \"{}\"; known: {}", "未知的“{0}”；已知：{1}"},
};

// Those of all the source's string literals that are sentences or parts of one, as the compiler sees them.
struct Literal {
  std::string place;
  std::string text;
};

class Scanner {
 public:
  Scanner(std::string name, std::string_view code) : name_(std::move(name)), code_(code) {}

  std::vector<Literal> run() {
    while (at_ < code_.size()) step();
    return std::move(found_);
  }

 private:
  bool ahead(std::string_view text) const { return code_.substr(at_).starts_with(text); }
  void skip_to(std::string_view end) {
    const auto found = code_.find(end, at_);
    at_ = found == std::string_view::npos ? code_.size() : found + end.size();
  }

  void step() {
    if (ahead("//") || ahead("#include")) return skip_to("\n");
    if (ahead("/*")) return skip_to("*/");
    if (ahead("R\"")) {
      at_ += 2;
      const std::string end = ")" + std::string(code_.substr(at_, code_.find('(', at_) - at_)) + "\"";
      return skip_to(end);
    }
    if (code_[at_] == '\'' && at_ > 0 && std::isalnum(static_cast<unsigned char>(code_[at_ - 1])) == 0) {
      at_ += code_.substr(at_ + 1, 1) == "\\" ? 2 : 1;
      return skip_to("'");
    }
    if (code_[at_] == '"') return literal();
    if (std::isspace(static_cast<unsigned char>(code_[at_])) == 0) adjacent_ = false;
    ++at_;
  }

  void literal() {
    std::string text;
    for (++at_; at_ < code_.size() && code_[at_] != '"'; ++at_) {
      if (code_[at_] != '\\') {
        text += code_[at_];
        continue;
      }
      const char c = code_[++at_];
      text += c == 'n' ? '\n' : c == 't' || c == 'r' ? ' ' : c;
    }
    ++at_;
    if (adjacent_) {
      found_.back().text += text;
    } else {
      const auto line = std::count(code_.begin(), code_.begin() + static_cast<std::ptrdiff_t>(at_), '\n') + 1;
      found_.push_back({name_ + ":" + std::to_string(line), text});
    }
    adjacent_ = true;
  }

  std::string name_;
  std::string_view code_;
  std::size_t at_ = 0;
  bool adjacent_ = false;  // nothing but blanks since the last literal
  std::vector<Literal> found_;
};

// Literals that nobody is told as they stand: what the code looks for, writes as code, or throws at its own authors.
const std::map<std::string, std::set<std::string>, std::less<>>& not_for_readers() {
  static const std::set<std::string> all;
  static const std::map<std::string, std::set<std::string>, std::less<>> files = {
      {"advisor/nearest_miss.cpp", all},     // flags
      {"base/arena.h", all},                 // for the compiler
      {"base/emit.h", all},                  // C++
      {"base/message.cpp", all},             // for the author of a message
      {"check/readers/launchers.cpp", all},  // looked for
      {"check/readers/not_plans.cpp", all},  // looked for
      {"check/sizing.cpp", all},             // profile keys
      {"cli/complaint.cpp", all},            // CLI11's words, replaced by ours
      {"data/compiler.cpp", all},            // C++
      {"estimate/estimator.cpp", all},       // for the caller
      {"emit/template.cpp", all},            // for the author of a template
      {"emit/values.cpp", all},              // for the author of a launch
      {"advisor/why_not.cpp",
       {"--precision fp16", "--weights fp16", "--nodes {}", "--charge-type on_demand", "--optimize "}},
      {"base/load.h", {"needs a fields() function"}},
      {"check/groups.cpp", {"workload "}},
      {"check/judge.cpp", {"group "}},
      {"check/readers/terraform.cpp", {"configuration resources"}},
      {"data/load.cpp", {"built-in data"}},
      {"rules/rule_facts.cpp", {"in force"}},
      {"workload/gguf.cpp", {"GGUF {}", "GGUF is little-endian"}},
      {"workload/weights_files.cpp", {"safetensors index"}},
  };
  return files;
}

bool is_for_readers(const std::string& file, const std::string& text) {
  const auto listed = not_for_readers().find(file);
  if (listed != not_for_readers().end() && (listed->second.empty() || listed->second.contains(text))) return false;
  // The program's name and JSON are the same in every language.
  if (text.starts_with("gpuadvise") || text.starts_with("{{\"")) return false;
  std::string words;
  for (const auto& literal : Pattern(text).literals) words += literal;
  const bool letters = std::any_of(words.begin(), words.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return letters && text.find(' ') != std::string::npos;
}

std::vector<std::string> literals_of(std::string_view format) { return Pattern(format).literals; }

}  // namespace

TEST_CASE("a pattern finds its values", "[translate]") {
  CHECK(match(Pattern("{}: {}"), "a: b: c") == Values{"a", "b: c"});
  CHECK(match(Pattern("more than {} values"), "more than 7 values") == Values{"7"});
  CHECK_FALSE(match(Pattern("more than {} values"), "more than 7 value"));
  CHECK_FALSE(match(Pattern("a{}a"), "a"));
  CHECK(match(Pattern("{}{}."), "ab.") == Values{"", "ab"});
  CHECK(match(Pattern("{0} and {0}"), "x and x") == Values{"x"});
  CHECK_FALSE(match(Pattern("{0} and {0}"), "x and y"));
  CHECK(match(Pattern("{{{}}} is {:.2f}"), "{x} is -1.50") == Values{"x", "-1.50"});
  CHECK_FALSE(match(Pattern("{{{}}} is {:.2f}"), "{x} is high"));
  CHECK(match(Pattern("plain"), "plain") == Values{});
  CHECK_FALSE(match(Pattern("plain"), "plainer"));
}

TEST_CASE("a text is said in Chinese, part by part", "[translate]") {
  const auto said = [](std::string_view text) { return translate(text, kRows, Lang::zh); };
  CHECK(said("x.y: expected a list, found a map") == "x.y：应为列表，实为映射");
  CHECK(said("task: unknown \"a list\"; known: b, c") == "task：未知的“a list”；已知：b, c");  // a name stays
  CHECK(said("task: a list; did you mean \"b\"?") == "task：列表；是否想用“b”？");
  CHECK(said("params: 3 is more than 2") == "params：3 大于 2");
  CHECK(said("\"=\" is \"==\"") == "“=”即“==”");
  CHECK(said("low to high") == "low to high");
  CHECK(said("a: a list\n  a list\n  ^") == "a：列表\n  a list\n  ^");
  CHECK(said("").empty());
  CHECK(translate("a list", kRows, Lang::en) == "a list");
}

TEST_CASE("the Chinese of every error uses values that its English has", "[translate]") {
  const auto rows = error_rows(builtin_knowledge().messages);
  REQUIRE(rows.size() > 400);
  std::set<std::vector<std::string>> seen;
  for (const auto& row : rows) {
    INFO(row.id << ": " << row.en);
    const Pattern english(row.en);
    for (const auto& hole : Pattern(row.zh).holes) {
      CHECK(std::any_of(english.holes.begin(), english.holes.end(),
                        [&](const auto& h) { return h.index == hole.index; }));
      CHECK((hole.format.empty() || hole.format == "zh"));
    }
    CHECK(seen.insert(english.literals).second);  // said once
  }
}

TEST_CASE("every text of the source that a reader may be told has a Chinese row", "[translate]") {
  std::set<std::vector<std::string>> known;
  for (const auto& row : error_rows(builtin_knowledge().messages)) {
    known.insert(literals_of(row.en));
  }
  std::size_t count = 0;
  const auto src = std::filesystem::path(GPUADVISE_SOURCE_DIR) / "src";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(src)) {
    const std::string file = std::filesystem::relative(entry.path(), src).string();
    const auto extension = entry.path().extension();
    // The reports put messages together, which message_test looks after.
    if ((extension != ".cpp" && extension != ".h") || file.starts_with("report/")) continue;
    const std::string code = test::slurp(entry.path().string());
    for (const auto& literal : Scanner(file, code).run()) {
      const std::string text = literal.text.substr(0, literal.text.find('\n'));
      if (!is_for_readers(file, text)) continue;
      ++count;
      INFO(literal.place << ": \"" << text << "\" has no row in data/messages/errors");
      // As a format, as it stands, or as the beginning of what a value goes behind.
      CHECK((known.contains(literals_of(text)) || known.contains({text}) || known.contains(literals_of(text + "{}"))));
    }
  }
  CHECK(count > 350);  // the scanner still reads how the source is written
}

}  // namespace gpuadvise::base
