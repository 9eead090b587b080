#include "advisor/figures.h"
#include "advisor/layouts.h"

namespace gpuadvise {

bool serves(const Workload& w) {
  return w.kind == TaskKind::llm_serving || w.kind == TaskKind::interactive || w.kind == TaskKind::media_inference;
}

bool streams(const Workload& w) { return w.kind == TaskKind::streaming || w.kind == TaskKind::transcoding; }

bool carries_load(const Workload& w) { return streams(w) && w.profile.inference.concurrency; }

std::optional<double> paid(const Recommendation& r, const Workload& w) {
  const CostEstimate& cost = r.estimate.cost;
  if (cost.to_finish) return cost.to_finish;
  if (serves(w) || streams(w) || r.hours_to_finish) return cost.per_hour;
  const auto time = time_taken(r, w);
  return cost.per_hour && time ? std::optional(*cost.per_hour * *time) : std::nullopt;
}

std::optional<double> time_taken(const Recommendation& r, const Workload& w) {
  if (r.hours_to_finish) return r.hours_to_finish;
  if (carries_load(w)) return std::nullopt;
  const double rate = merit(w, r.estimate.speed, Objective::balanced);
  return rate > 0 ? std::optional(1 / rate) : std::nullopt;
}

}  // namespace gpuadvise
