// How long one forward pass of a serving engine takes, by term. A page of arithmetic; allocates nothing.
#pragma once

#include "estimate/serving_plan.h"

namespace gpuadvise {

// What one pass carries, per attention rank.
struct PassLoad {
  double decode_requests = 0;
  double decode_tokens = 0;  // above decode_requests with speculative decoding
  double context = 0;        // mean tokens of context of the decoding requests
  double prefill_tokens = 0;
  double prefill_pairs = 0;     // pairs of tokens that prefill attention visits
  double prefill_requests = 0;  // finish their prompt in this pass, so are sampled
};

// Seconds.
struct PassTime {
  double seconds = 0;
  double matrices = 0;
  double attention = 0;
  double communication = 0;
  double host = 0;
};

PassTime pass_seconds(const ServingPlan& plan, const PassLoad& load);

}  // namespace gpuadvise
