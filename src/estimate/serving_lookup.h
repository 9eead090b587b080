// Calibration rows of serving speed by the names that profiles and the catalog use. A row that is not there falls back
// to the row with the empty name, which stands for any other.
#pragma once

#include <string_view>

#include "gpuadvise/calibration/serving.h"
#include "gpuadvise/catalog.h"

namespace gpuadvise {

// By the accelerator's id, else its chip class, else its architecture.
const ServingChip* find_chip(const ServingCalibration& calibration, const Accelerator& accelerator);
const ServingEngine* find_engine(const ServingCalibration& calibration, std::string_view name);
// Null where the engine's row needs no correction on that chip.
const ServingPair* find_pair(const ServingCalibration& calibration, std::string_view engine,
                             const Accelerator& accelerator);
const ServingLink* find_link(const ServingCalibration& calibration, std::string_view name);

// "vllm 0.6.3" -> "0.6.3"; a bare version is itself.
std::string_view version_of(std::string_view framework);
// Whether a dotted version is the other or a later one; text that is no version counts as the earliest.
bool at_least_version(std::string_view version, std::string_view other);
// The latest release that is not after the engine's version, else the earliest; null for an unknown version.
const ServingRelease* find_release(const ServingCalibration& calibration, std::string_view engine,
                                   std::string_view version);
// The row of the engine's own version, else of the engine, else of any engine; a name that ends in * stands for all
// that begin so. Null for an unknown format.
const ServingFormat* find_format(const ServingCalibration& calibration, std::string_view name, std::string_view engine,
                                 std::string_view version);

}  // namespace gpuadvise
