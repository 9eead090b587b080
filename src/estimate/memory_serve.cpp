#include <algorithm>

#include "estimate/memory_serve.h"
#include "estimate/quantization.h"

namespace gpuadvise {

namespace {

void set_weights(ServingMemoryPlan& p, std::string_view format_name, const MemoryCalibration& calibration) {
  p.weights = weight_bytes(calibration, format_name, p.shape);
  ModelShape experts = p.shape;
  experts.embedding = experts.head = experts.body = 0;
  p.experts = p.shape.experts > 0 ? weight_bytes(calibration, format_name, experts) : 0;
  const WeightFormat* format = find_weight_format(calibration, format_name);
  if (format == nullptr || !format->embedding_bytes || !p.shape.known || p.k.pooled) return;
  const double widest = p.shape.experts > 0 ? p.shape.mlp : p.shape.mlp_dense;
  p.kernel_buffer = format->buffer_rows ? 2 * widest * (p.shape.hidden + *format->buffer_rows) : 0;
  p.kernel_head = p.k.quantised_head * p.shape.vocab * p.shape.hidden;
}

// Encoders and vision transformers: one forward pass is the answer.
bool one_pass(const Workload& w) {
  return w.model != nullptr && (w.model->kind == ModelKind::encoder || w.model->kind == ModelKind::vision);
}

void set_load(ServingMemoryPlan& p, const Workload& w) {
  const InferenceSpec& i = w.profile.inference;
  const bool image = w.model != nullptr && w.model->kind == ModelKind::vision;
  p.input = i.input_tokens.value_or(image ? w.architecture.max_positions : 0);
  p.context = p.input + i.output_tokens.value_or(0);
  const double most = i.max_context.value_or(0);
  if (most > 0) p.context = p.context > 0 && !p.k.preallocates ? std::min(p.context, most) : most;
  p.input = std::min(p.input, p.context);
  if (most > p.context) p.longest = most;
  p.prompts = std::max(1.0, i.concurrency.value_or(1));
  p.sequences = p.prompts * std::max(1, i.beam_width.value_or(1));
  p.prefill_tokens = p.input * p.prompts;
  if (p.k.chunked_prefill > 0) p.prefill_tokens = std::min(p.prefill_tokens, p.k.chunked_prefill);
}

}  // namespace

ServingMemoryPlan serving_memory_plan(const Workload& workload, const MemoryCalibration& calibration) {
  const InferenceSpec& i = workload.profile.inference;
  ServingMemoryPlan p;
  p.shape = model_shape(workload);
  p.k = serving_constants(calibration, i.engine.value_or(""), workload.profile.software.framework.value_or(""),
                          workload.profile.model.name.value_or(""));
  set_weights(p, i.weights.value_or("bf16"), calibration);
  set_load(p, workload);
  const auto* kv = find_weight_format(calibration, i.kv_cache.value_or("bf16"));
  p.element_bytes = kv == nullptr ? 2 : kv->bytes;
  p.utilization = i.gpu_memory_utilization.value_or(p.k.utilization);
  p.utilization_stated = i.gpu_memory_utilization.has_value();
  if (workload.model != nullptr && workload.model->kind == ModelKind::speech) {
    p.encoder_tokens = memory_constant(calibration, "speech_encoder_tokens", 0);
  }
  // What answers in one pass keeps no cache and has no words to choose from.
  if (one_pass(workload)) {
    p.shape.vocab = 0;
  } else if (p.shape.known) {
    p.cached = cached_layers(workload.architecture);
  }
  return p;
}

ServingSetup serving_setup(const ServingMemoryPlan& plan, const Layout& layout) {
  return {plan, layout, kv_cache(plan.cached, plan.element_bytes, layout.tensor, layout.pipeline)};
}

double serving_weights(const ServingSetup& s) {
  const double stages = std::max(1, s.layout.pipeline);
  const double tensor = std::max(1, s.layout.tensor);
  if (s.plan.experts <= 0) return s.plan.weights / stages / tensor;
  const double expert_cards = std::max(tensor, static_cast<double>(s.layout.expert));
  return (s.plan.weights - s.plan.experts) / stages / tensor + s.plan.experts / stages / expert_cards;
}

double quantised_scratch(const ServingSetup& s) {
  return s.plan.kernel_buffer + s.plan.kernel_head / std::max(1, s.layout.pipeline);
}

double serving_workspace(const ServingSetup& s, double tokens) {
  const ModelShape& m = s.plan.shape;
  if (!m.known) return 0;
  const double tensor = std::max(1, s.layout.tensor);
  // Attention and feed-forward run one after the other: the wider one sets the peak; hidden-sized tensors are whole.
  const double inner = std::max(s.plan.k.prefill_mlp * m.mlp, s.plan.k.prefill_query * m.query);
  return tokens * (s.plan.k.prefill_hidden * m.hidden + inner / tensor);
}

double serving_logits(const ServingSetup& s) {
  const ServingMemoryPlan& p = s.plan;
  const double rows =
      p.k.prefill_logits > 0 ? std::max(p.prefill_tokens, p.sequences) * p.k.prefill_logits : p.sequences * 6;
  return rows * p.shape.vocab / std::max(1, s.layout.tensor);
}

double serving_scores(const ServingSetup& s) {
  const ServingMemoryPlan& p = s.plan;
  return p.k.scores * p.shape.heads * p.input * p.prefill_tokens / std::max(1, s.layout.tensor);
}

namespace {

// Cache and workspace at the fuller of two moments: the prompt's end and the last token.
void set_peak(const ServingSetup& s, MemoryEstimate& m) {
  const ServingMemoryPlan& p = s.plan;
  const double encoder = p.prompts * p.encoder_tokens * s.cache.per_token;
  const double prompt = s.cache.bytes(p.sequences, p.input, p.k.page_tokens) + encoder;
  const double end = s.cache.bytes(p.sequences, p.context, p.k.page_tokens) * p.k.kv_growth + encoder;
  // The layers' workspace is free again when the logits are made: the larger one counts.
  double workspace = serving_workspace(s, p.prefill_tokens) + serving_scores(s);
  double logits = serving_logits(s);
  (workspace > logits ? logits : workspace) = 0;
  const bool at_once = p.k.preallocates || p.k.pooled;
  if (at_once || prompt + workspace + logits > end + serving_workspace(s, p.sequences)) {
    m.kv_cache = at_once ? end : prompt;
    m.activations = workspace;
    m.logits = logits;
  } else {
    m.kv_cache = end;
    m.activations = serving_workspace(s, p.sequences);
  }
  const double loading = m.weights * (p.k.load_factor - 1);
  if (loading > m.kv_cache + m.activations + m.logits + m.runtime) {
    m.kv_cache = m.activations = m.logits = 0;
    m.runtime = loading;
  }
}

// The share of the card that an engine with a pool lets itself use, and fills. Gives the cache that it must have.
double set_pool(const ServingSetup& s, double capacity, MemoryEstimate& m) {
  const ServingMemoryPlan& p = s.plan;
  m.runtime += p.k.graphs_gib * kGib;
  m.communication = p.k.pool_extra_gib * kGib;
  const double need = m.weights + m.activations + m.logits + m.runtime;
  const double share = p.k.free_share ? m.weights + (capacity - m.weights) * p.utilization : capacity * p.utilization;
  m.limit_gib = share + m.communication;
  if (p.room_for_all || !(p.utilization_stated || p.k.fills) || capacity <= 0) return m.kv_cache;
  // What is left of the share after weights and workspace is cache. The engine starts when one sequence has room there,
  // and lets the others wait.
  const double one = s.cache.bytes(1, p.context, p.k.page_tokens);
  m.kv_cache = std::max(one, share - need);
  return one;
}

// Live bytes while one sequence alone has grown to the longest that may be asked for.
double with_longest(const ServingSetup& s, double weights, double runtime) {
  const ServingMemoryPlan& p = s.plan;
  const double cache =
      s.cache.bytes(1, p.longest, p.k.page_tokens) * p.k.kv_growth + p.encoder_tokens * s.cache.per_token;
  // An engine with a pool sets workspace and pool aside at the start, for the fullest pass.
  const double pass = std::max(serving_workspace(s, p.prefill_tokens) + serving_scores(s), serving_logits(s));
  return weights + runtime + cache + (p.k.pooled ? pass : serving_workspace(s, 1));
}

}  // namespace

MemoryEstimate serving_memory(const ServingMemoryPlan& plan, const Machine& machine, const Layout& layout) {
  const ServingSetup s = serving_setup(plan, layout);
  MemoryEstimate m;
  m.known = true;
  m.meter = plan.k.meter;
  m.weights = serving_weights(s);
  m.runtime = plan.k.base_gib * kGib + quantised_scratch(s);
  const double runtime = m.runtime + (plan.k.pooled ? plan.k.graphs_gib * kGib : 0);  // without what loading takes
  set_peak(s, m);
  const double capacity = machine.memory_gib * kGib;
  m.limit_gib = capacity;
  const double required_cache = plan.k.pooled ? set_pool(s, capacity, m) : m.kv_cache;
  m.allocated = m.weights + m.activations + m.logits + m.kv_cache + m.runtime + m.communication;
  m.reserved = m.allocated;
  m.required = m.allocated - m.kv_cache + required_cache;
  if (plan.longest > 0) m.required = std::max(m.required, with_longest(s, m.weights, runtime + m.communication));
  return m;
}

}  // namespace gpuadvise
