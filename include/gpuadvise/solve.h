// The largest or smallest setting whose memory fits: a search over an estimate that only grows (or only shrinks).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpuadvise/advise.h"
#include "gpuadvise/estimate.h"

namespace gpuadvise {

enum class SolveFor : std::uint8_t {
  max_context,      // tokens of a sequence: training's sequence length, serving's context
  max_concurrency,  // sequences in flight on one replica
  max_micro_batch,  // sequences or samples per data-parallel rank and forward pass
  // Cards, by doubling: tensor parallel first, within a node, then pipeline stages; data-parallel ranks of ZeRO-3 when
  // training (of the ZeRO stage that the profile states, where it states one).
  min_accelerators
};

// "max-context", ... in the order of SolveFor.
std::span<const std::string_view> solve_names();

// A workload on a machine and layout.
struct Run {
  Workload workload;
  Machine machine;
  Layout layout;
};

// The run with the solved-for setting at `value`; empty where no layout has that value (cards that the attention heads
// or the layers do not divide into).
std::optional<Run> with_value(const Run& run, SolveFor what, std::int64_t value);

struct Solution {
  std::optional<std::int64_t> value;  // empty: nothing fits, not even the least value, or memory is not known
  bool bounded = true;                // false: still fits at the largest value tried
  MemoryEstimate memory;              // at value; where there is none, at the least value tried
  Layout layout;                      // the same
  // The nearest value that does not fit: above a largest value, below a smallest one.
  std::optional<std::int64_t> beyond;
  MemoryEstimate beyond_memory;
};

// `most` is the largest value tried.
Solution solve(SolveFor what, const Run& run, const Calibration& calibration, std::int64_t most);

// The same for a profile: what the answer is and the estimate there.
struct ProfileSolution {
  SolveFor what;
  Solution solution;
  ProfileEstimate at;  // where nothing fits: at the least value tried
};

// Throws InputError where the profile is wrong, where it states what is looked for, and where the task has no such
// setting.
ProfileSolution solve(SolveFor what, const Profile& profile, const Knowledge& knowledge);

}  // namespace gpuadvise
