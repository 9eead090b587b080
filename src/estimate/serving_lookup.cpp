#include <charconv>

#include "estimate/serving_lookup.h"

namespace gpuadvise {
namespace {

bool format_matches(std::string_view row, std::string_view name) {
  if (row.ends_with('*')) return name.starts_with(row.substr(0, row.size() - 1));
  return row == name;
}

}  // namespace

const ServingChip* find_chip(const ServingCalibration& calibration, const Accelerator& accelerator) {
  const ServingChip* best = nullptr;
  int rank = -1;
  for (const auto& chip : calibration.chips) {
    const int r = chip.chip.empty()                       ? 0
                  : chip.chip == accelerator.id           ? 3
                  : chip.chip == accelerator.chip_class   ? 2
                  : chip.chip == accelerator.architecture ? 1
                                                          : -1;
    if (r > rank) {
      rank = r;
      best = &chip;
    }
  }
  return best;
}

const ServingEngine* find_engine(const ServingCalibration& calibration, std::string_view name) {
  const ServingEngine* any = nullptr;
  for (const auto& engine : calibration.engines) {
    if (engine.engine == name) return &engine;
    for (const auto alias : engine.aliases) {
      if (alias == name) return &engine;
    }
    if (engine.engine.empty()) any = &engine;
  }
  return any;
}

const ServingLink* find_link(const ServingCalibration& calibration, std::string_view name) {
  for (const auto& link : calibration.links) {
    if (link.link == name) return &link;
  }
  return nullptr;
}

std::string_view version_of(std::string_view framework) {
  const auto space = framework.find_last_of(" =");
  return space == std::string_view::npos ? framework : framework.substr(space + 1);
}

bool at_least_version(std::string_view version, std::string_view other) {
  const auto next = [](std::string_view& text) {
    int number = 0;
    const auto [at, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(at - text.data()));
    if (!text.empty() && text.front() == '.') text.remove_prefix(1);
    return status == std::errc{} ? number : -1;
  };
  while (!other.empty()) {
    const int b = next(other);
    const int a = next(version);
    if (a != b) return a > b;
    if (b < 0) return true;
  }
  return true;
}

const ServingRelease* find_release(const ServingCalibration& calibration, std::string_view engine,
                                   std::string_view version) {
  if (version.empty() || version.front() < '0' || version.front() > '9') return nullptr;
  const ServingRelease* best = nullptr;
  const ServingRelease* earliest = nullptr;
  for (const auto& release : calibration.releases) {
    if (release.engine != engine) continue;
    if (earliest == nullptr || !at_least_version(release.version, earliest->version)) earliest = &release;
    if (!at_least_version(version, release.version)) continue;
    if (best == nullptr || at_least_version(release.version, best->version)) best = &release;
  }
  return best != nullptr ? best : earliest;
}

const ServingPair* find_pair(const ServingCalibration& calibration, std::string_view engine,
                             const Accelerator& accelerator) {
  for (const auto& pair : calibration.pairs) {
    if (pair.engine != engine) continue;
    if (pair.chip == accelerator.id || pair.chip == accelerator.chip_class || pair.chip == accelerator.architecture) {
      return &pair;
    }
  }
  return nullptr;
}

const ServingFormat* find_format(const ServingCalibration& calibration, std::string_view name, std::string_view engine,
                                 std::string_view version) {
  const ServingFormat* best = nullptr;
  int rank = 0;
  for (const auto& format : calibration.formats) {
    if (!format_matches(format.format, name)) continue;
    int r = 0;
    if (format.engine.empty()) {
      r = format.format == "*" ? 1 : format.format.ends_with('*') ? 2 : 3;
    } else if (format.engine == engine && format.version.empty()) {
      r = 4;
    } else if (format.engine == engine && !version.empty() && at_least_version(version, format.version)) {
      r = 5;
    }
    if (r > rank) {
      rank = r;
      best = &format;
    }
  }
  return best;
}

}  // namespace gpuadvise
