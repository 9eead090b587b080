// The figures by which candidates are told apart where people compare them: what is paid, and how long the whole takes.
#pragma once

#include <optional>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// For the job where it ends, otherwise for the hour, all machines together. Empty: no price in the request's currency.
std::optional<double> paid(const Recommendation& recommendation);

// Hours to finish, or the time of a unit of work on all machines together. Empty: unknown, or so many streams were
// asked for that more speed is worth nothing.
std::optional<double> time_taken(const Recommendation& recommendation, const Workload& workload);

}  // namespace gpuadvise
