// Time of one sample (image, sentence, clip) through a vision, diffusion, speech, recommender or encoder model:
//
//   time = (compute^q + traffic^q)^(1/q) + latency / batch
//
// compute: FLOPs over the reached dense peak; traffic: weights once a batch and activations per sample over the
// reached bandwidth; latency: launches and dependent steps, which a batch shares.
#pragma once

#include "gpuadvise/estimate.h"

#include "estimate/card_rates.h"

namespace gpuadvise {

// What one pass asks of a card, with everything about the workload already looked up.
struct MediaWork {
  const MediaModel* model = nullptr;    // null: nothing known about the kind of model
  const MediaEngine* engine = nullptr;  // null: an engine like the first of the list
  double gflops = 0;                    // per sample, all steps; training: forward and backward
  double weight_gb = 0;                 // read once a batch, all steps
  double steps = 1;
  double batch = 1;  // per card
  double bytes_per_value = 2;
  Precision precision = Precision::fp16;
  bool online = false;
  bool training = false;
};

// Finds model, engine and sizes for the workload. gflops is 0 where neither the calibration nor the model library nor
// the architecture tells; then model->gflops of the general entry of its kind stands in, and only ratios mean anything.
MediaWork media_work(const Workload& workload, const AppsCalibration& calibration, bool* value_known);

// Seconds per sample on one card. 0: the card's rates are unknown.
double media_seconds_per_sample(const MediaWork& work, const CardRates& card, const CardRates& reference,
                                const MediaTuning& tuning);

// Band and nearness: of the model's entry, wider where no measurement reaches the card's chip class.
void set_media_band(const MediaWork& work, const CardRates& card, const AppsCalibration& calibration, bool value_known,
                    SpeedEstimate& speed);

}  // namespace gpuadvise
