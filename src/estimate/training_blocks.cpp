#include <algorithm>
#include <cmath>

#include "estimate/expert_shards.h"
#include "estimate/training_blocks.h"

namespace gpuadvise {

namespace {

constexpr double kSentElement = 2;  // bytes: activations travel in 16 bits

// One forward product of `rows` tokens on one card. Its operands and result pass through memory while the matrix
// engines wait in part: this is what makes narrow matrices slow.
double product_seconds(const TrainingRun& r, double rows, double k, double n, double rate, double operand) {
  const double bytes = operand * (rows * k + k * n) + r.element * rows * n;
  return 2 * rows * k * n / rate + r.cal.matrix_traffic * bytes / r.bandwidth;
}

double products_seconds(const TrainingRun& r, const Products& products, double rows) {
  const double split = r.layout.tensor;
  double sum = 0;
  for (const Product& p : products) {
    sum += product_seconds(r, rows, p.split_output ? p.k : p.k / split, p.split_output ? p.n / split : p.n,
                           r.matrix_rate, r.operand);
  }
  return sum;
}

double scores_seconds(const TrainingRun& r, bool window) {
  const double heads = r.shape.heads / r.layout.tensor;
  if (r.fused_attention) {
    const double length = score_length(r.shape, r.sequence, window, r.shape.causal);
    const double block = r.sequence / std::max(1, r.layout.context);  // what the kernel sees of a ring
    const double reached = std::min(window ? length : block, block);
    const double narrow = r.shape.head_dim / (r.shape.head_dim + r.cal.attention_narrow);
    const double rate = r.attention_rate * narrow * reached / (reached + r.chip.attention_short);
    return 2 * length * heads * r.shape.score_width * r.tokens / rate;
  }
  // Without a fused kernel the whole score matrix is computed and goes through memory.
  const double scores = r.tokens * r.sequence * heads;
  const bool aligned = std::fmod(r.shape.head_dim, 8) == 0;
  return 2 * scores * r.shape.score_width / (r.wide_rate * (aligned ? r.cal.score_share : r.cal.unaligned_share)) +
         r.cal.score_traffic * r.framework.elementwise * r.element * scores / r.bandwidth;
}

// Seconds of elementwise kernels that move `elements` per token, forward.
double elementwise_seconds(const TrainingRun& r, double elements) {
  return elements * r.tokens * r.element * r.framework.elementwise * (r.compiled ? r.cal.compile_gain : 1.0) /
         r.bandwidth;
}

// Norms and residuals: each rank does them for all tokens unless sequence parallelism splits those.
double norm_elements(const TrainingRun& r) {
  return r.cal.norm_traffic / 2 * r.shape.hidden / (r.layout.sequence_parallel ? r.layout.tensor : 1);
}

double tensor_seconds(const TrainingRun& r) {
  if (r.layout.tensor <= 1) return 0;
  const Group group = group_on(r.fabric, r.layout.tensor, 1);
  // One all-reduce per block and pass, or the reduce-scatter and all-gather that replace it.
  const double bytes = r.tokens * r.shape.hidden * kSentElement;
  return 2 * r.host_passes * gather_seconds(r.fabric, group, bytes) * (1 - r.framework.tensor_overlap);
}

double adapter_seconds(const TrainingRun& r, const Products& products) {
  if (!r.adapters) return 0;
  return r.cal.adapter_bytes * r.tokens * products.widths() / r.layout.tensor / r.bandwidth * r.flow_passes;
}

}  // namespace

void BlockTime::add(const BlockTime& o, double times) {
  compute += times * o.compute;
  attention += times * o.attention;
  traffic += times * o.traffic;
  tensor += times * o.tensor;
  expert += times * o.expert;
  context += times * o.context;
}

BlockTime mixer_block(const TrainingRun& r, Mixer kind) {
  BlockTime t;
  const Products& products = kind == Mixer::linear ? r.shape.linear : r.shape.attention;
  t.compute = products_seconds(r, products, r.tokens) * r.weight_passes;
  t.traffic = elementwise_seconds(r, norm_elements(r)) * r.flow_passes + adapter_seconds(r, products);
  if (kind == Mixer::linear) {
    t.traffic += elementwise_seconds(r, r.cal.scan_traffic * r.shape.linear_width / r.layout.tensor) * r.flow_passes;
  } else {
    const double again = r.selective && !r.fused_attention ? 1 : 0;
    t.attention = scores_seconds(r, kind == Mixer::window) * (r.flow_passes + again);
    if (r.layout.context > 1) {
      const Group group = group_on(r.fabric, r.layout.context, r.layout.tensor);
      const double bytes = r.tokens * r.shape.kv_width / r.layout.tensor * kSentElement;
      const double ring = (r.layout.context - 1) * send_seconds(r.fabric, group.in_node < group.size, bytes);
      t.context = std::max(0.0, ring * r.flow_passes - t.attention);
    }
  }
  t.tensor = tensor_seconds(r);
  return t;
}

BlockTime dense_block(const TrainingRun& r) {
  BlockTime t;
  const double units = r.shape.dense_width * (r.shape.gated ? 1.5 : 1.0) / r.layout.tensor;
  t.compute = products_seconds(r, r.shape.dense, r.tokens) * r.weight_passes;
  t.traffic = elementwise_seconds(r, norm_elements(r) + r.cal.activation_traffic * units) * r.flow_passes +
              adapter_seconds(r, r.shape.dense);
  t.tensor = tensor_seconds(r);
  return t;
}

BlockTime expert_block(const TrainingRun& r) {
  BlockTime t;
  // Tensor parallelism splits the tokens of an expert block, not its experts. Every local expert then gets its share
  // of the tokens of the whole expert-parallel group.
  const double tokens = r.tokens / r.layout.tensor;
  const double local = std::max(1.0, r.shape.experts / std::max(1, r.layout.expert));
  const double rows = tokens * r.shape.chosen * r.cal.expert_imbalance / local;
  double matrices = products_seconds(r, r.shape.shared, r.tokens);
  for (const Product& p : r.shape.expert) {
    matrices += local * product_seconds(r, rows, p.k, p.n, r.matrix_rate * r.chip.moe_keep, r.operand);
  }
  t.compute = matrices * r.weight_passes;
  const double units = r.shape.expert_width * (r.shape.gated ? 1.5 : 1.0) / r.layout.tensor;
  t.traffic = elementwise_seconds(r, norm_elements(r) + r.cal.activation_traffic * units) * r.flow_passes;
  t.traffic += r.cal.permute_bytes * tokens * r.shape.chosen * r.shape.expert_input / r.bandwidth * r.flow_passes;
  if (r.layout.expert > 1) {
    const Group group = group_on(r.fabric, r.layout.expert, expert_stride(r.layout));
    const double bytes = tokens * r.shape.expert_input * kSentElement;
    t.expert =
        2 * r.host_passes * dispatch_seconds(r.fabric, group, bytes, r.shape.chosen) * (1 - r.framework.expert_overlap);
  }
  return t;
}

BlockTime all_blocks(const TrainingRun& r) {
  BlockTime t;
  const TrainingShape& s = r.shape;
  if (s.full_blocks > 0) t.add(mixer_block(r, Mixer::full), s.full_blocks);
  if (s.window_blocks > 0) t.add(mixer_block(r, Mixer::window), s.window_blocks);
  if (s.linear_blocks > 0) t.add(mixer_block(r, Mixer::linear), s.linear_blocks);
  if (s.dense_blocks > 0) t.add(dense_block(r), s.dense_blocks);
  if (s.expert_blocks > 0) t.add(expert_block(r), s.expert_blocks);
  return t;
}

BlockTime head_block(const TrainingRun& r, double share, bool fused_loss) {
  BlockTime t;
  const double rows = r.tokens * share;
  if (rows <= 0) return t;
  const double vocab = r.shape.vocab / r.layout.tensor;
  t.compute = product_seconds(r, rows, r.shape.hidden, vocab, r.wide_rate, kSentElement) * (r.trains_all ? 3 : 2);
  const double bytes = fused_loss ? r.cal.fused_logit_bytes : r.cal.logit_bytes;
  t.traffic = rows * vocab * bytes * r.framework.elementwise / r.bandwidth;
  return t;
}

}  // namespace gpuadvise
