#include <algorithm>
#include <fmt/format.h>

#include "gpuadvise/advise.h"
#include "gpuadvise/error.h"

#include "advisor/words.h"
#include "base/text.h"

namespace gpuadvise {

namespace {

using Words = std::vector<std::string_view>;

template <class Row>
Words words_of(std::span<const Row> rows) {
  Words out;
  for (const Row& row : rows) {
    out.push_back(row.name);
    out.insert(out.end(), row.aliases.begin(), row.aliases.end());
  }
  return out;
}

bool stands_in(const Words& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(), [&](auto w) { return base::equal_ignoring_case(w, word); });
}

void check(std::string_view field, const std::optional<std::string_view>& word, const Words& known) {
  if (!word || stands_in(known, *word)) return;
  std::string all;
  for (const auto& name : base::nearest(*word, known, 6, false)) all += (all.empty() ? "" : ", ") + std::string(name);
  throw InputError(Place{}, fmt::format("{}: unknown \"{}\"{}; nearest: {}", field, base::printable(*word),
                                        base::did_you_mean(*word, known), all));
}

Words engines(const Calibration& c) {
  Words out = words_of(c.memory.serving);
  for (const auto& row : c.serving.engines) {
    out.push_back(row.engine);
    out.insert(out.end(), row.aliases.begin(), row.aliases.end());
  }
  for (const auto& row : c.apps.engines) {
    if (!row.training) out.push_back(row.name);
  }
  return out;
}

Words frameworks(const Calibration& c) {
  Words out = words_of(c.memory.training);
  for (const auto& row : c.training.frameworks) {
    out.push_back(row.name);
    out.insert(out.end(), row.aliases.begin(), row.aliases.end());
  }
  for (const auto& row : c.apps.engines) {
    if (row.training) out.push_back(row.name);
  }
  return out;
}

}  // namespace

void check_words(const Profile& profile, const Calibration& calibration) {
  const Words formats = words_of(calibration.memory.weights);
  check("inference.weights", profile.inference.weights, formats);
  check("inference.kv_cache", profile.inference.kv_cache, formats);
  check("training.optimizer", profile.training.optimizer, words_of(calibration.memory.optimizers));
}

std::vector<UnmeasuredWord> unmeasured_words(const Profile& profile, const Calibration& calibration) {
  std::vector<UnmeasuredWord> out;
  const auto look = [&](std::string_view field, const std::optional<std::string_view>& word, Words known) {
    std::erase_if(known, [](auto w) { return w.empty() || w == "general"; });
    if (!word || stands_in(known, *word)) return;
    const auto near = base::nearest(*word, known, 3, false);
    out.push_back({field, *word, {near.begin(), near.end()}});
  };
  look("inference.engine", profile.inference.engine, engines(calibration));
  look("training.framework", profile.training.framework, frameworks(calibration));
  return out;
}

}  // namespace gpuadvise
