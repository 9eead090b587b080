// Words of a profile whose meaning stands in the calibration: weight formats and optimizers.
#pragma once

#include "gpuadvise/calibration.h"
#include "gpuadvise/profile.h"

namespace gpuadvise {

// Throws InputError for a format or an optimizer that is not known: its bytes cannot be guessed.
void check_words(const Profile& profile, const Calibration& calibration);

}  // namespace gpuadvise
