// Work described by where its time goes on a reference card (WorkClass), carried over to any card by the ratio of the
// rates that it waits for. Used for HPC, rendering, transcoding and notebooks.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "gpuadvise/estimate.h"

#include "estimate/card_rates.h"

namespace gpuadvise {

// What selects a class and a measured case: the profile's own words.
struct WorkQuery {
  TaskKind kind;
  std::string_view app;
  std::string_view case_name;  // case or scene
  std::string_view words;      // kind of rendering, direction of transcoding
  std::optional<Precision> precision;
  std::optional<Bound> bound;
};

const WorkClass* find_class(const WorkQuery& query, const AppsCalibration& calibration);

// The number before `word` in a text: "stmv, 1,067,095 atoms" holds 1067095 atoms. Empty: no such number.
std::optional<double> size_before(std::string_view text, std::string_view word);

// Time of a piece of work on one card, over the time of the same work on the reference card without its latency.
// 0: the card lacks something that the work needs, or its rate is unknown.
double class_time(const WorkClass& work, const CardRates& card, const CardRates& reference, Precision precision,
                  std::optional<double> size);

// How many cards' worth of work a machine does: slices below 1, losses between cards and nodes.
double class_scaling(const WorkClass& work, double accelerators_per_node, int nodes);

// The whole estimate: class, relative speed, and the measured case's value carried over where there is one. `details`
// are the texts that a measured case must share beside app and case name (resolution, samples, codec, ...).
SpeedEstimate speed_by_class(const WorkQuery& query, std::span<const std::string_view> details,
                             const Workload& workload, const Machine& machine, const AppsCalibration& calibration);

}  // namespace gpuadvise
