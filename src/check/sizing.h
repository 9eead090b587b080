// A workload on a planned machine: does it fit, how fast is it, what does it cost, what would be enough.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gpuadvise/error.h"
#include "gpuadvise/estimate.h"
#include "gpuadvise/knowledge.h"
#include "gpuadvise/workload.h"

#include "estimate/price_choice.h"

namespace gpuadvise::check {

struct Sizing {
  Machine machine;
  Layout layout;
  Estimate estimate;
  std::optional<double> single_node_ratio;  // speed against one machine of the type
  double needed_gib = 0;                    // serving: memory of one replica that is not split
  bool heads_divided = true;                // false: the stated tensor parallelism does not divide the attention heads
};

// Remembers its answers: plans repeat themselves. Not shared between threads.
class Sizer {
 public:
  explicit Sizer(const Knowledge& knowledge) : knowledge_(knowledge) {}

  // Nothing when the type cannot be estimated.
  const Sizing* size(const Workload& workload, const Family& family, const InstanceType& type, int nodes);

  // Changes to the workload that make it fit, each as a setting: "inference.weights: int8". Only those that do.
  std::vector<std::string> fixes(const Workload& workload, const Family& family, const InstanceType& type, int nodes);

  // Of one machine and hour as `recommend` reckons it: rates of --fx, spot by the vendor's range. `charge`: as the plan
  // says, in a word of Field::plan_charge; empty: as the workload does.
  PriceChoice price(const Family& family, const InstanceType& type, const Workload* workload,
                    std::string_view charge) const;

 private:
  std::optional<Sizing> work_out(const Workload& workload, const Family& family, const InstanceType& type,
                                 int nodes) const;

  const Knowledge& knowledge_;
  std::map<std::tuple<const Workload*, const InstanceType*, int>, std::optional<Sizing>> known_;
};

}  // namespace gpuadvise::check
