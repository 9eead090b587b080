// PAI-EAS service files: the JSON that eascmd takes, and that alicloud_pai_service carries in a string.
#pragma once

#include "base/node.h"
#include "check/plan.h"

namespace gpuadvise::check {

PlannedMachine read_pai_service(const base::Node& service, const Place& place);

}  // namespace gpuadvise::check
