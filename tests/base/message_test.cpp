// The message table: looked up, filled in, complete in both languages, and complete for what the source asks of it.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "gpuadvise/knowledge.h"

#include "base/message.h"
#include "base/text.h"
#include "catch.h"
#include "run_program.h"

namespace gpuadvise::base {
namespace {

std::multiset<std::string> placeholders(std::string_view text) {
  std::multiset<std::string> found;
  for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    found.emplace(text.substr(open, text.find('}', open) - open + 1));
  }
  return found;
}

bool known(std::string_view id) { return Texts(builtin_knowledge().messages, Lang::en).has(id); }

bool begins_a_message(const std::string& prefix) {
  const auto messages = builtin_knowledge().messages;
  return std::any_of(messages.begin(), messages.end(), [&](const Message& m) { return m.id.starts_with(prefix); });
}

struct Source {
  std::string name;
  std::string text;
};

std::vector<Source> sources() {
  std::vector<Source> found;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(GPUADVISE_SOURCE_DIR) / "src")) {
    const auto extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h") continue;
    found.push_back({entry.path().filename().string(), test::slurp(entry.path().string())});
  }
  return found;
}

TEST_CASE("values are filled in by name", "[message]") {
  const Message table[] = {{"a/hello", "hello {name}, {name}", "你好，{name}"}, {"a/plain", "plain", "普通"}};
  const Texts en(table, Lang::en);
  const Texts zh(table, Lang::zh);
  CHECK(en("a/hello", {{"name", "x"}}) == "hello x, x");
  CHECK(zh("a/hello", {{"name", "x"}}) == "你好，x");
  CHECK(en("a/hello", {{"name", "{name}"}}) == "hello {name}, {name}");  // values are not filled in again
  CHECK(en("a/plain") == "plain");
  CHECK(en.raw("a/hello") == "hello {name}, {name}");
  CHECK(en.has("a/plain"));
  CHECK_FALSE(en.has("a/none"));
  CHECK_THROWS_AS(en("a/none"), std::logic_error);
  CHECK_THROWS_AS(en("a/hello"), std::logic_error);
}

TEST_CASE("every message says the same in both languages", "[message]") {
  const auto messages = builtin_knowledge().messages;
  REQUIRE(messages.size() > 200);
  for (const auto& m : messages) {
    INFO(m.id);
    CHECK_FALSE(m.en.empty());
    CHECK_FALSE(m.zh.empty());
    CHECK_FALSE(invalid_utf8_at(m.en).has_value());
    CHECK_FALSE(invalid_utf8_at(m.zh).has_value());
    if (m.id.starts_with("error/")) continue;  // patterns, whose values have no names
    const auto en = placeholders(m.en);
    const auto zh = placeholders(m.zh);
    CHECK(std::set(en.begin(), en.end()) == std::set(zh.begin(), zh.end()));
  }
}

TEST_CASE("every message that the source asks for is in the table", "[message]") {
  // texts("id"), t_("id"), context.texts()("id"), raw("id"), add("rule", "id"), reject(..., "rule", "id"), why = "id".
  const std::regex asked(R"(\b(?:texts_?|t_?|texts\(\)|raw)\("([a-z-]+/[a-z0-9/-]+)\")");
  const std::regex note(
      R"re((?:\badd|\breject)\((?:advice, e, )?\s*"[a-z0-9-]+/[a-z0-9-]+",\s*"([a-z-]+/[a-z0-9/-]+)")re");
  const std::regex why(R"((?:\bwhy = |refuse\()\"([a-z-]+/[a-z0-9-]+)\")");
  const std::regex pattern(R"(\"([a-z-]+/)\{\}\")");
  std::size_t count = 0;
  for (const auto& source : sources()) {
    for (const auto& form : {asked, note, why}) {
      for (std::sregex_iterator at(source.text.begin(), source.text.end(), form), end; at != end; ++at) {
        INFO(source.name << ": " << (*at)[1]);
        CHECK(known((*at)[1].str()));
        ++count;
      }
    }
    for (std::sregex_iterator at(source.text.begin(), source.text.end(), pattern), end; at != end; ++at) {
      INFO(source.name << ": " << (*at)[0]);
      CHECK(begins_a_message((*at)[1].str()));
      ++count;
    }
  }
  CHECK(count > 150);  // the patterns above still match how the source is written
}

}  // namespace
}  // namespace gpuadvise::base
