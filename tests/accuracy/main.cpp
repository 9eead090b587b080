#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <set>

#include "gpuadvise/error.h"
#include "gpuadvise/knowledge.h"

#include "accuracy.h"

namespace {

using namespace gpuadvise;

constexpr int kSkipped = 77;

constexpr std::string_view kUsage =
    "usage: gpuadvise-accuracy [--only STUDY]... [--leave-source-out] [--by-total] [--worst N] [--rows] [--terms]\n"
    "                          [--data FILE_OR_FOLDER] [--write-docs FILE] [--check] GOLD_FOLDER\n";

}  // namespace

int main(int argc, char** argv) try {
  std::string gold;
  std::string docs;
  std::string data;
  std::set<std::string, std::less<>> only;
  accuracy::PrintOptions options;
  accuracy::Context context;
  bool rows = false;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const auto value = [&]() -> std::string { return ++i < argc ? argv[i] : ""; };
    if (arg == "--only") {
      only.insert(value());
    } else if (arg == "--leave-source-out") {
      context.unknown_source = true;
    } else if (arg == "--worst") {
      options.worst = std::stoi(value());
    } else if (arg == "--rows") {
      rows = true;
    } else if (arg == "--check") {
      check = true;
    } else if (arg == "--data") {
      data = value();
    } else if (arg == "--by-total") {
      context.by_total = true;
    } else if (arg == "--terms") {
      context.verbose = true;
    } else if (arg == "--write-docs") {
      docs = value();
    } else if (arg.starts_with("--")) {
      std::fputs(std::string(kUsage).c_str(), stderr);
      return 2;
    } else {
      gold = arg;
    }
  }
  if (gold.empty() || !std::filesystem::is_directory(gold)) {
    fmt::print("skipped: no folder with measurements was given (gpuadvise-accuracy FOLDER)\n");
    return kSkipped;
  }
  base::Arena arena;
  // Facts and constants from YAML over the built-in ones: how constants are tried without a build.
  std::optional<LoadedKnowledge> loaded;
  if (!data.empty()) loaded = LoadedKnowledge::load({data}, &builtin_knowledge());
  context.knowledge = loaded ? &loaded->knowledge() : &builtin_knowledge();
  context.catalog = &context.knowledge->catalog;
  context.calibration = context.knowledge->calibration;
  const auto remarks = accuracy::read_remarks(GPUADVISE_SOURCE_DIR "/tests/accuracy/remarks.yaml");

  std::string page;
  bool well = true;
  for (const auto* study : accuracy::studies()) {
    if (!only.empty() && !only.contains(study->name)) continue;
    const auto result = accuracy::run(*study, gold, context, remarks, arena);
    if (rows) {
      for (const auto& s : result.samples) {
        fmt::print("{}\t{}\t{}\t{}\t{}\t{:.4g}\t{:.4g}\t{:+.1f}\t{}\n", study->name, s.source, s.id, s.quality,
                   s.holdout ? "holdout" : "calibration", s.measured.value_or(0), s.predicted.value_or(0),
                   s.error_percent().value_or(0), s.why);
      }
    } else {
      fmt::print("{}\n", accuracy::print(result, remarks, options));
    }
    if (!docs.empty()) {
      auto markdown = options;
      markdown.markdown = true;
      page += accuracy::print(result, remarks, markdown) + "\n";
    }
    // Every measured row is answered, set aside with a reason, or says why not.
    for (const auto& s : result.samples) well = well && (!s.measured || s.predicted || !s.why.empty());
    if (check) {
      for (const auto* s : accuracy::unexplained(result, remarks, options.bad_percent)) {
        fmt::print(stderr, "{}: {} is {:+.1f} % off and remarks.yaml does not say why\n", study->name, s->id,
                   *s->error_percent());
        well = false;
      }
    }
    if (study->verdicts_must_hold) well = well && accuracy::confusion(result.samples).oom_called_fit == 0;
  }
  if (!docs.empty()) {
    std::ofstream out(docs, std::ios::binary);
    out << "# Accuracy\n\n"
           "Written by `gpuadvise-accuracy --write-docs`; the method is in docs/method. Rows whose id hashes into the\n"
           "holdout (one in three) were never fitted on. A memory row's meter (allocated, reserved, device, weights "
           "alone)\n"
           "is met by the matching figure of the answer; see docs/method/memory.md.\n\n"
        << page;
  }
  return check && !well ? 1 : 0;
} catch (const gpuadvise::InputError& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
