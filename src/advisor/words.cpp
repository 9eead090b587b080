#include <algorithm>
#include <fmt/format.h>

#include "gpuadvise/advise.h"
#include "gpuadvise/error.h"

#include "advisor/words.h"
#include "base/text.h"
#include "estimate/name_match.h"

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

// Applications that a selector of the kind names, and those of measured cases that no selector of another kind names.
Words apps(const AppsCalibration& c, TaskKind kind) {
  Words out;
  const auto add = [&](std::string_view app) {
    const bool other = std::any_of(c.selectors.begin(), c.selectors.end(), [&](const WorkSelector& s) {
      return s.kind != kind && !s.app.empty() && name_holds(app, s.app);
    });
    if (!other) out.push_back(app);
  };
  for (const auto& row : c.selectors) add(row.app);
  for (const auto& row : c.app_cards) add(row.app);
  for (const auto& row : c.cases) add(row.app);
  return out;
}

// Codecs are the cases of what transcodes.
Words codecs(const AppsCalibration& c) {
  Words out;
  for (const auto& row : c.cases) {
    const bool transcodes = std::any_of(c.selectors.begin(), c.selectors.end(), [&](const WorkSelector& s) {
      return s.kind == TaskKind::transcoding && !s.app.empty() && name_holds(row.app, s.app);
    });
    if (transcodes) out.push_back(row.case_name);
  }
  return out;
}

// "Blender 4.2" is known by "Blender", and "speos" by "Ansys Speos".
bool goes_by(const Words& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(), [&](auto w) { return name_holds(word, w) || name_holds(w, word); });
}

}  // namespace

void check_words(const Profile& profile, const Calibration& calibration) {
  if (profile.inference.weights || profile.inference.kv_cache) {
    const Words formats = words_of(calibration.memory.weights);
    check("inference.weights", profile.inference.weights, formats);
    check("inference.kv_cache", profile.inference.kv_cache, formats);
  }
  if (profile.training.optimizer) {
    check("training.optimizer", profile.training.optimizer, words_of(calibration.memory.optimizers));
  }
}

std::vector<UnmeasuredWord> unmeasured_words(const Profile& profile, const Calibration& calibration) {
  std::vector<UnmeasuredWord> out;
  // The words that are known are collected for a word that was said only: most requests say none.
  const auto look = [&](std::string_view field, const std::optional<std::string_view>& word, const auto& known_words) {
    if (!word) return;
    Words known = known_words();
    std::erase_if(known, [](auto w) { return w.empty() || w == "general"; });
    if (stands_in(known, *word)) return;
    const auto near = base::nearest(*word, known, 3, false);
    out.push_back({field, *word, {near.begin(), near.end()}});
  };
  const auto look_for = [&](std::string_view field, const std::optional<std::string_view>& word,
                            const auto& known_words) {
    if (!word) return;
    Words known = known_words();
    std::erase_if(known, [](auto w) { return w.empty(); });
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    if (!goes_by(known, *word)) look(field, word, [&] { return known; });
  };
  const AppsCalibration& work = calibration.apps;
  look("inference.engine", profile.inference.engine, [&] { return engines(calibration); });
  look("training.framework", profile.training.framework, [&] { return frameworks(calibration); });
  look_for("hpc.app", profile.hpc.app, [&] { return apps(work, TaskKind::hpc); });
  look_for("rendering.app", profile.rendering.app, [&] { return apps(work, TaskKind::rendering); });
  look_for("transcoding.codec", profile.transcoding.codec, [&] { return codecs(work); });
  return out;
}

}  // namespace gpuadvise
