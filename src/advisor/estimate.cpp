#include <algorithm>

#include "gpuadvise/advise.h"

#include "advisor/confidence.h"
#include "catalog/lookup.h"
#include "estimate/cost.h"
#include "estimate/machine.h"

namespace gpuadvise {

ProfileEstimate estimate(const Profile& profile, const Knowledge& knowledge) {
  ProfileEstimate out;
  out.workload = resolve(profile, knowledge.catalog);
  const HardwareSpec& hardware = out.workload.profile.hardware;
  out.machine = machine_of(knowledge.catalog, knowledge.hardware, hardware);
  out.layout = layout_of(out.workload, out.machine);
  out.estimate.memory = estimate_memory(out.workload, out.machine, out.layout, knowledge.calibration);
  out.estimate.speed = estimate_speed(out.workload, out.machine, out.layout, knowledge.calibration);
  const Price* price = nullptr;
  if (hardware.instance_type) {
    out.type = find_type(knowledge.catalog, *hardware.instance_type, &out.family);
    price = find_price(knowledge.catalog, find_vendor(knowledge.catalog, out.family->vendor), *out.type, out.workload);
  }
  out.estimate.cost = estimate_cost(out.workload, out.estimate.speed, price, out.machine.nodes);
  out.estimate.confidence = confidence_of(out.workload, out.estimate);
  return out;
}

}  // namespace gpuadvise
