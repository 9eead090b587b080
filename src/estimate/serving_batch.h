// The running batch of one replica: what a stream of equal requests gets from it. Three ways to load it: one batch from
// start to end, as many as fit with an endless queue, or a number of users who each send the next request when the last
// is answered. All are bounded in work and allocate nothing.
#pragma once

#include "estimate/serving_pass.h"

namespace gpuadvise {

struct ServingRequest {
  double input_tokens = 0;
  double output_tokens = 0;
  double cached_tokens = 0;      // of the input, found in the prefix cache
  double tokens_per_pass = 1;    // output tokens that one decode pass yields (speculative decoding)
  double verified_per_pass = 1;  // tokens that such a pass computes for one request
  double sequences = 1;          // beams of one request
};

// Seconds and requests per second of one replica.
struct ServingOutcome {
  bool fits = false;
  double ttft = 0;
  double tpot = 0;
  double latency = 0;  // first byte in to last token out
  double requests_per_second = 0;
  double running = 0;  // requests decoded together
  PassTime prefill;
  PassTime decode;
};

ServingOutcome static_batch(const ServingPlan& plan, const ServingRequest& request, double requests);
ServingOutcome saturated(const ServingPlan& plan, const ServingRequest& request, double requests);
ServingOutcome closed_loop(const ServingPlan& plan, const ServingRequest& request, double users);
// Poisson arrivals of `rate` requests per second; fits is false when the replica cannot keep up.
ServingOutcome open_loop(const ServingPlan& plan, const ServingRequest& request, double rate);

// The largest Poisson load whose typical latencies are within the target, at most `share` of the saturated rate; the
// load is the outcome's requests_per_second. fits is false where not even a trickle is within it.
ServingOutcome most_within(const ServingPlan& plan, const ServingRequest& request, const Slo& target, double share);
bool within(const ServingOutcome& outcome, const Slo& target);

// Requests that one replica holds at once at these lengths.
double most_running(const ServingPlan& plan, const ServingRequest& request);

}  // namespace gpuadvise
