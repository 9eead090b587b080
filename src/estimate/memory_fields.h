// How data/calibration/memory.yaml is written: see base/fields.h.
#pragma once

#include <array>
#include <concepts>

#include "gpuadvise/calibration/memory.h"

#include "base/fields.h"

namespace gpuadvise {

template <class V, class S>
  requires std::same_as<std::remove_const_t<S>, MemoryCalibration>
void fields(V& v, S& s) {
  v("date", s.date, base::Need::required);
}

}  // namespace gpuadvise
