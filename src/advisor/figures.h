// The figures by which candidates are told apart where people compare them: what is paid, and how long the whole takes.
#pragma once

#include <optional>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// Answers requests for as long as it runs.
bool serves(const Workload& workload);
// Streams or sessions, that many machines may share.
bool streams(const Workload& workload);
// So many streams were asked for and no more: what a machine could do beyond them is worth nothing.
bool carries_load(const Workload& workload);

// For the job where it ends; for a unit of work where it is a job whose size is not known; for the hour of a service.
// All machines together. Empty: no price in the request's currency, or no speed to divide by.
std::optional<double> paid(const Recommendation& recommendation, const Workload& workload);

// Hours to finish, or the time of a unit of work on all machines together. Empty: unknown, or so many streams were
// asked for that more speed is worth nothing.
std::optional<double> time_taken(const Recommendation& recommendation, const Workload& workload);

}  // namespace gpuadvise
