// The shape of memory, speed and cost in JSON: docs/reference/profile.md.
#pragma once

#include <span>

#include "gpuadvise/advise.h"

#include "base/message.h"
#include "report/json_fields.h"

namespace gpuadvise::report {

Json memory_json(const MemoryEstimate& memory, const base::Texts& texts);
Json speed_json(const SpeedEstimate& speed, const base::Texts& texts);
Json cost_json(const CostEstimate& cost, const base::Texts& texts);
Json layout_json(const Layout& layout, TaskKind kind);
Json notes_json(std::span<const Note> notes);
Json assumptions_json(const Workload& workload, const base::Texts& texts);
// "unused": the fields that the user set and the task does not use; nothing where there are none.
void add_unused(Json& out, const Workload& workload);
std::string assumption_text(const Assumption& assumption, const base::Texts& texts);
std::string_view confidence_word(EstimateConfidence confidence);

}  // namespace gpuadvise::report
