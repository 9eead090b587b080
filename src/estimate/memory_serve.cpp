#include <algorithm>

#include "estimate/memory_serve.h"
#include "estimate/quantization.h"

namespace gpuadvise {

ServingSetup serving_setup(const Workload& workload, const Layout& layout, const MemoryCalibration& calibration) {
  const InferenceSpec& i = workload.profile.inference;
  ServingSetup s;
  s.shape = model_shape(workload);
  s.k = serving_constants(calibration, i.engine.value_or(""), workload.profile.software.framework.value_or(""),
                          workload.profile.model.name.value_or(""));
  s.layout = layout;
  s.format = i.weights.value_or("bf16");
  const auto* kv = find_weight_format(calibration, i.kv_cache.value_or("bf16"));
  s.element_bytes = kv == nullptr ? 2 : kv->bytes;
  s.input = i.input_tokens.value_or(0);
  s.context = s.input + i.output_tokens.value_or(0);
  const double most = i.max_context.value_or(0);
  if (most > 0) s.context = s.context > 0 && !s.k.preallocates ? std::min(s.context, most) : most;
  s.input = std::min(s.input, s.context);
  s.prompts = std::max(1.0, i.concurrency.value_or(1));
  s.sequences = std::max(1.0, i.concurrency.value_or(1)) * std::max(1, i.beam_width.value_or(1));
  const double batch = i.concurrency.value_or(1);
  s.prefill_tokens = s.input * std::max(1.0, batch);
  if (s.k.chunked_prefill > 0) s.prefill_tokens = std::min(s.prefill_tokens, s.k.chunked_prefill);
  s.utilization = i.gpu_memory_utilization.value_or(s.k.utilization);
  s.utilization_stated = i.gpu_memory_utilization.has_value();
  if (workload.model != nullptr && workload.model->kind == ModelKind::speech) {
    s.encoder_tokens = memory_constant(calibration, "speech_encoder_tokens", 0);
  }
  if (s.shape.known) s.cache = kv_cache(workload.architecture, s.element_bytes, layout.tensor, layout.pipeline);
  return s;
}

double serving_weights(const ServingSetup& s, const MemoryCalibration& calibration) {
  const double stages = std::max(1, s.layout.pipeline);
  const double tensor = std::max(1, s.layout.tensor);
  const double all = weight_bytes(calibration, s.format, s.shape);
  if (s.shape.experts <= 0) return all / stages / tensor;
  ModelShape experts = s.shape;
  experts.embedding = experts.head = experts.body = 0;
  const double expert_bytes = weight_bytes(calibration, s.format, experts);
  const double expert_cards = std::max(tensor, static_cast<double>(s.layout.expert));
  return (all - expert_bytes) / stages / tensor + expert_bytes / stages / expert_cards;
}

double quantised_scratch(const ServingSetup& s, const MemoryCalibration& calibration) {
  const auto* f = find_weight_format(calibration, s.format);
  if (f == nullptr || !f->embedding_bytes || !s.shape.known || s.k.pooled) return 0;
  const double widest = s.shape.experts > 0 ? s.shape.mlp : s.shape.mlp_dense;
  const double buffer = f->buffer_rows ? 2 * widest * (s.shape.hidden + *f->buffer_rows) : 0;
  return buffer + s.k.quantised_head * s.shape.vocab * s.shape.hidden / std::max(1, s.layout.pipeline);
}

double serving_workspace(const ServingSetup& s, double tokens) {
  const ModelShape& m = s.shape;
  if (!m.known) return 0;
  const double tensor = std::max(1, s.layout.tensor);
  // Attention and feed-forward run one after the other: the wider one sets the peak; hidden-sized tensors are whole.
  const double inner = std::max(s.k.prefill_mlp * m.mlp, s.k.prefill_query * m.query);
  return tokens * (s.k.prefill_hidden * m.hidden + inner / tensor);
}

double serving_logits(const ServingSetup& s) {
  const double batch = s.sequences;
  const double rows = s.k.prefill_logits > 0 ? std::max(s.prefill_tokens, batch) * s.k.prefill_logits : batch * 6;
  return rows * s.shape.vocab / std::max(1, s.layout.tensor);
}

double serving_scores(const ServingSetup& s) {
  return s.k.scores * s.shape.heads * s.input * s.prefill_tokens / std::max(1, s.layout.tensor);
}

MemoryEstimate serving_memory(const Workload& workload, const Machine& machine, const Layout& layout,
                              const MemoryCalibration& calibration) {
  const ServingSetup s = serving_setup(workload, layout, calibration);
  MemoryEstimate m;
  if (s.shape.params <= 0) {
    m.why = "memory/no-model";
    return m;
  }
  m.known = true;
  m.meter = s.k.meter;
  m.weights = serving_weights(s, calibration);
  m.runtime = s.k.base_gib * kGib + quantised_scratch(s, calibration);

  const double encoder = s.prompts * s.encoder_tokens * s.cache.per_token;
  const double prompt = s.cache.bytes(s.sequences, s.input, s.k.page_tokens) + encoder;
  const double end = s.cache.bytes(s.sequences, s.context, s.k.page_tokens) * s.k.kv_growth + encoder;
  // The layers' workspace is free again when the logits are made: the larger one counts.
  double workspace = serving_workspace(s, s.prefill_tokens) + serving_scores(s);
  double logits = serving_logits(s);
  (workspace > logits ? logits : workspace) = 0;
  if (s.k.preallocates || s.k.pooled) {
    m.kv_cache = end;
    m.activations = workspace;
    m.logits = logits;
  } else if (prompt + workspace + logits > end + serving_workspace(s, s.sequences)) {
    m.kv_cache = prompt;
    m.activations = workspace;
    m.logits = logits;
  } else {
    m.kv_cache = end;
    m.activations = serving_workspace(s, s.sequences);
  }
  const double loading = m.weights * (s.k.load_factor - 1);
  if (loading > m.kv_cache + m.activations + m.logits + m.runtime) {
    m.kv_cache = m.activations = m.logits = 0;
    m.runtime = loading;
  }

  const double capacity = machine.memory_gib * kGib;
  m.limit_gib = capacity;
  double required_cache = m.kv_cache;
  if (s.k.pooled) {
    m.runtime += s.k.graphs_gib * kGib;
    m.communication = s.k.pool_extra_gib * kGib;
    const double need = m.weights + m.activations + m.logits + m.runtime;
    const double share = s.k.free_share ? m.weights + (capacity - m.weights) * s.utilization : capacity * s.utilization;
    m.limit_gib = share + m.communication;
    // The engine fills its share: what is left after weights and workspace is cache. It starts when one sequence has
    // room there, and lets the others wait.
    if ((s.utilization_stated || s.k.fills) && capacity > 0) {
      required_cache = s.cache.bytes(1, s.context, s.k.page_tokens);
      m.kv_cache = std::max(required_cache, share - need);
    }
  }
  m.allocated = m.weights + m.activations + m.logits + m.kv_cache + m.runtime + m.communication;
  m.reserved = m.allocated;
  m.required = m.allocated - m.kv_cache + required_cache;
  return m;
}

}  // namespace gpuadvise
