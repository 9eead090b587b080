// docs/reference/guidance.md maps every piece of the guides' advice, and docs/reference/rules.md lists every field.
#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "gpuadvise/knowledge.h"
#include "gpuadvise/rules.h"

#include "catch.h"
#include "report/rules.h"

using namespace gpuadvise;

namespace {

std::string read(const std::string& path) {
  std::ifstream in(path);
  REQUIRE(in);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("The guidance table has every item, each with something behind it, and its rule ids exist", "[rules]") {
  const std::string text = read(GPUADVISE_SOURCE_DIR "/docs/reference/guidance.md");
  const RuleSet rules(builtin_knowledge().rules);
  std::set<std::string> tasks;
  for (const auto& task : builtin_knowledge().catalog.tasks) tasks.insert(std::string(task.id));
  std::set<std::string> items;
  std::istringstream lines(text);
  const std::regex row(R"(^\| (G\d\d) \|([^|]+)\|([^|]*)\|([^|]*)\|$)");
  const std::regex code("`([^`]+)`");
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (!std::regex_match(line, m, row)) continue;
    INFO(line);
    CHECK(items.insert(m[1]).second);
    const std::string ids = m[3];
    const std::string rest = m[4];
    int behind = static_cast<int>(rest.size()) > 1 ? 1 : 0;
    for (std::sregex_iterator at(ids.begin(), ids.end(), code), end; at != end; ++at, ++behind) {
      const std::string id = (*at)[1];
      INFO(id);
      CHECK(rules.find(id) != nullptr);
    }
    CHECK(behind > 0);
    const auto presets = rest.find("preset");
    if (presets != std::string::npos) {
      const std::string named = rest.substr(presets, rest.find(';', presets) - presets);
      for (std::sregex_iterator at(named.begin(), named.end(), code), end; at != end; ++at) {
        INFO((*at)[1]);
        CHECK(tasks.count((*at)[1]) == 1);
      }
    }
  }
  CHECK(items.size() == 29);
  CHECK(*items.begin() == "G01");
  CHECK(*items.rbegin() == "G29");
}

TEST_CASE("The reference lists the fields as they are", "[rules]") {
  const std::string text = read(GPUADVISE_SOURCE_DIR "/docs/reference/rules.md");
  std::ostringstream table;
  report::print_rule_fields_markdown(table);
  CHECK(text.find(table.str()) != std::string::npos);
}

TEST_CASE("Every built-in rule names sources that exist and speaks both languages", "[rules]") {
  const auto& knowledge = builtin_knowledge();
  const RuleSet rules(knowledge.rules);
  for (const ActiveRule& rule : rules.rules()) {
    INFO(rule.id());
    CHECK_FALSE(rule.rule->spec.sources.empty());
    for (const auto id : rule.rule->spec.sources) {
      INFO(id);
      CHECK(std::any_of(knowledge.catalog.sources.begin(), knowledge.catalog.sources.end(),
                        [&](const Source& s) { return s.id == id; }));
    }
    for (const Text& text : {rule.message, rule.remedy}) {
      const bool chinese =
          std::any_of(text.zh.begin(), text.zh.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xE4; });
      const bool command = text.zh.starts_with("--");
      CHECK((chinese || command));
    }
  }
}
