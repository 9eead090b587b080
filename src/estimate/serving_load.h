// Passes of a stream of equal requests: what each carries.
#pragma once

#include <algorithm>

#include "estimate/serving_batch.h"

namespace gpuadvise {

// Decode passes of one request; its first token comes from prefill.
inline double decode_passes(const ServingRequest& r) { return std::max(r.output_tokens - 1, 0.0) / r.tokens_per_pass; }

// Prompt tokens that the prefix cache does not hold; at least the last one is computed.
inline double new_tokens(const ServingRequest& r) { return std::max(r.input_tokens - r.cached_tokens, 1.0); }

// Over the decode passes of one request. A cache that drops old tokens grows to the answer's length (or the prompt's,
// if that is longer) and stays just below it.
inline double mean_context(const ServingPlan& plan, const ServingRequest& r) {
  if (plan.rolled_tokens <= 0) return r.input_tokens + r.output_tokens / 2;
  const double room = std::max(r.input_tokens, r.output_tokens);
  const double growing = std::min(room - r.input_tokens, r.output_tokens);
  const double full = std::max(room - plan.rolled_tokens / 2, room / 2);
  return (growing * (r.input_tokens + growing / 2) + (r.output_tokens - growing) * full) / r.output_tokens;
}

inline PassLoad decode_load(const ServingPlan& plan, const ServingRequest& r, double requests) {
  PassLoad load;
  load.decode_requests = requests * r.sequences / plan.attention_ranks;
  load.decode_tokens = load.decode_requests * r.verified_per_pass;
  load.context = mean_context(plan, r);
  return load;
}

// Adds the prompts of `requests` requests to a pass: causal attention over the new tokens after the cached ones.
inline void add_prefill(const ServingPlan& plan, const ServingRequest& r, double requests, PassLoad& load) {
  const double tokens = new_tokens(r);
  load.prefill_requests = requests / plan.attention_ranks;
  load.prefill_tokens = load.prefill_requests * tokens;
  load.prefill_pairs = load.prefill_tokens * (r.cached_tokens + tokens / 2);
}

inline PassLoad prefill_load(const ServingPlan& plan, const ServingRequest& r, double requests) {
  PassLoad load;
  add_prefill(plan, r, requests, load);
  return load;
}

}  // namespace gpuadvise
