// Questions about serving a language model that go beyond the speed of one layout: how much load a replica takes within
// a latency target, how many replicas a load needs, what a token costs. Pure functions, like those of estimate.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gpuadvise/calibration.h"
#include "gpuadvise/estimate.h"
#include "gpuadvise/workload.h"

namespace gpuadvise {

// What stops one replica from taking more.
enum class ServingLimit : std::uint8_t { ttft, tpot, kv_memory, engine_requests, compute };

// The most that one replica takes while the 50th percentile of latency stays within the target.
struct ServingCapacity {
  bool known = false;
  bool attainable = false;         // false: even one request at a time misses the target
  double concurrency = 0;          // requests in flight
  double requests_per_second = 0;  // arrivals at random (Poisson)
  double ttft_ms = 0;              // at that load
  double tpot_ms = 0;
  ServingLimit limit = ServingLimit::compute;
  std::string_view why;  // message id, when not known
};

// Targets that are not stated do not limit. Without any the answer is the planning load: a share of the saturated rate
// (calibration: safe_load).
ServingCapacity serving_capacity(const Workload& workload, const Machine& machine, const Layout& layout,
                                 const Calibration& calibration, const Slo& target);

// Replicas that carry the load within the target; empty where one cannot be carried.
struct ServingFleet {
  ServingCapacity replica;
  std::optional<int> peak;
  std::optional<int> off_peak;
};
ServingFleet serving_fleet(const Workload& workload, const Machine& machine, const Layout& layout,
                           const Calibration& calibration, const Slo& target, double requests_per_second,
                           std::optional<double> off_peak_requests_per_second);

// Money for a million tokens at the speed given, in the currency of the price. The machine's time for a request is
// split between its prompt and its answer as their passes take it; input x input tokens + output x output tokens is
// exactly the cost of a request.
struct TokenCost {
  double input = 0;
  double output = 0;
  double blended = 0;  // of input and output together
};
std::optional<TokenCost> serving_token_cost(const Workload& workload, const Machine& machine, const Layout& layout,
                                            const Calibration& calibration, const SpeedEstimate& speed,
                                            double price_per_hour);

// How the cards of a machine are best divided into replicas, for loads that the profile leaves open: the layout of the
// largest throughput among tensor-parallel widths that divide the machine and whose weights fit. Expert parallelism
// and pipelines are left to the caller. Empty where none fits.
std::optional<Layout> best_serving_layout(const Workload& workload, const Machine& machine,
                                          const Calibration& calibration);

}  // namespace gpuadvise
