// One knowledge and one rule set serve any number of threads: all that they answer is the same, byte for byte.
#include <sstream>
#include <thread>
#include <vector>

#include "gpuadvise/advise.h"
#include "gpuadvise/emit.h"

#include "builtin_rules.h"
#include "catch.h"
#include "report/advice.h"

namespace gpuadvise {
namespace {

using test::rules;

std::vector<Profile> profiles() {
  std::vector<Profile> out(4);
  out[0].task = "llm-finetune";
  out[0].model.params = 13e9;
  out[1].task = "llm-inference";
  out[1].model.name = "qwen2.5-32b-instruct";
  out[1].inference.requests_per_second = 20;
  out[2].task = "rendering";
  out[3].task = "cv-training";
  return out;
}

// Everything that a caller can get: the answer in both forms, a file, why another type is not the pick.
std::string answer(const Profile& profile, Lang lang) {
  const Knowledge& knowledge = builtin_knowledge();
  const base::Texts texts(knowledge.messages, lang);
  RecommendOptions options;
  options.lang = lang;
  const Advice advice = recommend(profile, knowledge, rules(), options);
  std::ostringstream out;
  report::print_advice_json(out, advice, knowledge, texts, options.top, options.objective);
  report::print_advice(out, advice, knowledge, texts, {});
  out << emit("kubernetes", advice, knowledge, lang);
  for (const auto& other : why_not("ecs.gn6i-c4g1.xlarge", profile, advice, knowledge, rules(), options)) {
    for (const auto& failure : other.failures) out << failure.text << '\n';
  }
  return out.str();
}

TEST_CASE("many threads, one catalog, the same bytes", "[library]") {
  const auto asked = profiles();
  std::vector<std::string> expected;
  for (const auto& profile : asked) {
    for (const Lang lang : {Lang::en, Lang::zh}) expected.push_back(answer(profile, lang));
  }
  constexpr std::size_t kThreads = 8;
  std::vector<std::vector<std::string>> got(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // Each begins elsewhere, so that different requests meet.
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::size_t n = (i + t) % expected.size();
        got[t].push_back(answer(asked[n / 2], n % 2 == 0 ? Lang::en : Lang::zh));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t t = 0; t < kThreads; ++t) {
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(got[t][i] == expected[(i + t) % expected.size()]);
  }
}

}  // namespace
}  // namespace gpuadvise
