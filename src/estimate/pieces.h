// Work that falls into pieces which need nothing of one another: the frames of a film, the runs of a sweep. Any number
// of machines may share it, and each card may take a piece of its own.
#pragma once

#include <optional>

#include "gpuadvise/estimate.h"

namespace gpuadvise {

// How many there are; nothing for one job, whose parts wait for each other.
std::optional<double> independent_pieces(const Workload& workload);

// Whether set_piece_rate has something to say.
bool falls_in_pieces(const Workload& workload);

// How many times so many at once have to be started: a piece is not split.
double piece_rounds(double pieces, double at_once);

// Sets samples_per_second of a rendering or HPC speed to frames or runs per second, from what one was measured to take
// on the task's reference card (rendering.minutes_per_frame, hpc.hours_per_run), or from the seconds that a measured
// scene takes. Several pieces go one to a card, at `one_card`'s speed; rate and relative speed are those of the whole
// work, so cards that the last round leaves idle lower them. One piece takes the whole machine. Changes nothing where
// neither is known.
void set_piece_rate(const Workload& workload, const Machine& machine, const SpeedEstimate& one_card,
                    SpeedEstimate& speed);

}  // namespace gpuadvise
