// Many estimates of one workload: what follows from the workload alone is worked out once, so that each machine and
// layout costs arithmetic only. For searches over layouts, sweeps and batches.
#pragma once

#include <memory>
#include <span>

#include "gpuadvise/estimate.h"

namespace gpuadvise {

// Where the workload is to run. The machine must outlive the call that it is given to.
struct Placement {
  const Machine* machine;
  Layout layout;
};

// Answers as estimate_memory() and estimate_speed() do, bit for bit. The workload and the calibration must outlive it
// and stay as they are. Its members may be called from several threads at once.
class Estimator {
 public:
  Estimator(const Workload& workload, const Calibration& calibration);
  ~Estimator();
  Estimator(Estimator&&) noexcept;
  Estimator& operator=(Estimator&&) noexcept;

  const Workload& workload() const;

  // Neither allocates nor looks anything up by name.
  MemoryEstimate memory(const Machine& machine, const Layout& layout) const;
  // One estimate a placement, in order. `out` must be as long as `placements`: std::invalid_argument otherwise.
  void memory(std::span<const Placement> placements, std::span<MemoryEstimate> out) const;

  SpeedEstimate speed(const Machine& machine, const Layout& layout) const;

 private:
  struct Plans;
  std::unique_ptr<const Plans> plans_;
};

}  // namespace gpuadvise
