#include "advisor/figures.h"
#include "advisor/layouts.h"

namespace gpuadvise {

std::optional<double> paid(const Recommendation& r) {
  const CostEstimate& cost = r.estimate.cost;
  return cost.to_finish ? cost.to_finish : cost.per_hour;
}

std::optional<double> time_taken(const Recommendation& r, const Workload& w) {
  if (r.hours_to_finish) return r.hours_to_finish;
  const bool streams = w.kind == TaskKind::streaming || w.kind == TaskKind::transcoding;
  if (streams && w.profile.inference.concurrency) return std::nullopt;
  const double rate = merit(w, r.estimate.speed, Objective::balanced);
  return rate > 0 ? std::optional(1 / rate) : std::nullopt;
}

}  // namespace gpuadvise
