// The specification's own cases.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "rules/cel/json.h"

using gpuadvise::cel::Evaluator;
using nlohmann::json;

namespace {

double number(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);  // reads "inf", "Infinity" and "nan" too
}

bool same(const json& a, const json& b) {
  const std::string type = a.begin().key();
  const json& x = a.begin().value();
  const json& y = b.begin().value();
  if (type != b.begin().key()) return false;
  if (type == "double") {
    const double p = number(x.get<std::string>());
    const double q = number(y.get<std::string>());
    return (std::isnan(p) && std::isnan(q)) || (p == q && std::signbit(p) == std::signbit(q));
  }
  if (type == "list") {
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!same(x[i], y[i])) return false;
    }
    return true;
  }
  if (type == "map") {
    if (x.size() != y.size()) return false;
    for (const auto& pair : x) {
      bool found = false;
      for (const auto& other_pair : y) {
        found = found || (same(pair[0], other_pair[0]) && same(pair[1], other_pair[1]));
      }
      if (!found) return false;
    }
    return true;
  }
  return x == y;
}

}  // namespace

TEST_CASE("Every conformance case gives the specification's answer", "[cel]") {
  std::ifstream in(GPUADVISE_SOURCE_DIR "/tests/rules/cel/conformance.json");
  REQUIRE(in);
  const json cases = json::parse(in);
  REQUIRE(cases.size() == 402);
  Evaluator evaluator;
  for (const auto& c : cases) {
    INFO(c["file"].get<std::string>() << "/" << c["section"].get<std::string>() << "/" << c["name"].get<std::string>()
                                      << ": " << c["expr"].get<std::string>());
    const std::string answer = gpuadvise::cel::answer_batch_line(c.dump(), evaluator);
    INFO(answer);
    const json got = json::parse(answer);
    if (c.contains("error")) {
      CHECK(got.contains("error"));
    } else {
      CHECK((got.contains("value") && same(got["value"], c["value"])));
    }
  }
}
