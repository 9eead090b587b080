// What the README shows is what the program prints.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "catch.h"
#include "run_program.h"

namespace gpuadvise::test {
namespace {

struct Shown {
  std::vector<std::string> words;
  std::vector<std::string> lines;
};

// The commands of the README's blocks with the lines under them. Commands that go on through a pipe are the shell's.
std::vector<Shown> shown() {
  std::ifstream in(GPUADVISE_SOURCE_DIR "/README.md");
  REQUIRE(in);
  std::vector<Shown> out;
  bool block = false;
  bool ours = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      block = !block;
      ours = false;
      continue;
    }
    if (!block) continue;
    if (line.starts_with("$ ")) {
      ours = line.starts_with("$ gpuadvise ") && line.find('|') == std::string::npos;
      if (!ours) continue;
      out.emplace_back();
      std::istringstream words(line.substr(12));
      for (std::string word; words >> word;) out.back().words.push_back(word);
    } else if (ours && base::trim(line) != "...") {
      out.back().lines.push_back(line);
    }
  }
  return out;
}

TEST_CASE("the README's tour is what the program prints", "[readme]") {
  const auto all = shown();
  CHECK(all.size() >= 6);
  for (const auto& one : all) {
    std::string command;
    for (const auto& word : one.words) command += " " + word;
    INFO(command);
    const Outcome outcome = run_program(one.words);
    CHECK(outcome.code == 0);
    for (const auto& line : one.lines) {
      INFO(line);
      CHECK(("\n" + outcome.out).find("\n" + line) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace gpuadvise::test
