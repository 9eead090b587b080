#include "advisor/figures.h"
#include "advisor/layouts.h"

namespace gpuadvise {

namespace {

bool serves(TaskKind kind) {
  switch (kind) {
    case TaskKind::llm_serving:
    case TaskKind::interactive:
    case TaskKind::media_inference:
    case TaskKind::streaming:
    case TaskKind::transcoding:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<double> paid(const Recommendation& r, const Workload& w) {
  const CostEstimate& cost = r.estimate.cost;
  if (cost.to_finish || serves(w.kind) || r.hours_to_finish) return cost.to_finish ? cost.to_finish : cost.per_hour;
  const auto time = time_taken(r, w);
  return cost.per_hour && time ? std::optional(*cost.per_hour * *time) : std::nullopt;
}

std::optional<double> time_taken(const Recommendation& r, const Workload& w) {
  if (r.hours_to_finish) return r.hours_to_finish;
  const bool streams = w.kind == TaskKind::streaming || w.kind == TaskKind::transcoding;
  if (streams && w.profile.inference.concurrency) return std::nullopt;
  const double rate = merit(w, r.estimate.speed, Objective::balanced);
  return rate > 0 ? std::optional(1 / rate) : std::nullopt;
}

}  // namespace gpuadvise
