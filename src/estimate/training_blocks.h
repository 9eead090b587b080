// Device time of the blocks of a model in training: what one card spends on one micro-batch, all passes together.
#pragma once

#include <string_view>

#include "gpuadvise/estimate.h"

#include "estimate/training_comm.h"
#include "estimate/training_shape.h"

namespace gpuadvise {

// Everything that the block times read, found once per estimate.
struct TrainingRun {
  const TrainingCalibration& cal;
  const ChipTraining& chip;
  const FrameworkTraining& framework;
  const Layout& layout;
  const TrainingShape& shape;
  Fabric fabric;

  double sequence = 0;        // tokens
  double micro_batch = 0;     // sequences
  double tokens = 0;          // of one micro-batch on one card, after context parallelism
  double matrix_rate = 0;     // FLOP/s of large matrices in the compute precision
  double wide_rate = 0;       // the same for what stays in 16 bits under FP8
  double attention_rate = 0;  // FLOP/s of fused attention
  double bandwidth = 0;       // bytes/s
  double element = 2;         // bytes of an activation
  double operand = 2;         // bytes of a matrix operand
  double peak = 0;            // FLOP/s of the compute precision, nominal
  bool fused_attention = false;
  bool adapters = false;   // frozen base weights
  bool trains_all = true;  // every weight gets a gradient
  bool selective = false;  // selective recompute
  bool compiled = false;
  // Work of all passes in units of a forward pass: forward, input gradient, weight gradient, recompute.
  double weight_passes = 3;
  double flow_passes = 3;  // of work without weights
  double host_passes = 2;  // that the host launches
};

// Seconds by term.
struct BlockTime {
  double compute = 0;
  double attention = 0;
  double traffic = 0;
  double tensor = 0;
  double expert = 0;
  double context = 0;

  double sum() const { return compute + attention + traffic + tensor + expert + context; }
  void add(const BlockTime& other, double times);
};

enum class Mixer : std::uint8_t { full, window, linear };

BlockTime mixer_block(const TrainingRun& run, Mixer kind);
BlockTime dense_block(const TrainingRun& run);
BlockTime expert_block(const TrainingRun& run);

// All blocks of the model, as if one card held every layer.
BlockTime all_blocks(const TrainingRun& run);

// Output head and loss. `share`: of the tokens that are predicted.
BlockTime head_block(const TrainingRun& run, double share, bool fused_loss);

}  // namespace gpuadvise
