// Workloads and machines for tests of training speed.
#pragma once

#include "gpuadvise/estimate.h"
#include "gpuadvise/knowledge.h"

namespace gpuadvise::test {

inline const TrainingCalibration& training_calibration() { return builtin_knowledge().calibration.training; }

inline const Accelerator* card(std::string_view id) {
  for (const Accelerator& a : builtin_knowledge().catalog.accelerators) {
    if (a.id == id) return &a;
  }
  return nullptr;
}

// Plain decoders with the shapes of well-known models.
inline Architecture shape_7b() {
  Architecture a;
  a.layers = 32, a.hidden = 4096, a.intermediate = 11008, a.heads = 32, a.kv_heads = 32, a.head_dim = 128;
  a.vocab = 32000;
  return a;
}
inline Architecture shape_13b() {
  Architecture a = shape_7b();
  a.layers = 40, a.hidden = 5120, a.intermediate = 13824, a.heads = 40, a.kv_heads = 40;
  return a;
}
inline Architecture shape_14b() {
  Architecture a = shape_13b();
  a.layers = 48, a.kv_heads = 8, a.vocab = 152064;
  return a;
}

inline Workload training(const Architecture& shape, double params, int sequence, int global_batch,
                         std::string_view framework = "fsdp") {
  Workload w;
  w.kind = TaskKind::llm_training;
  w.has_architecture = true;
  w.architecture = shape;
  w.params = w.active_params = params;
  TrainingSpec& t = w.profile.training;
  t.method = Method::full;
  t.precision = Precision::bf16;
  t.base_weights = Precision::bf16;
  t.optimizer = "adamw";
  t.sequence_length = sequence;
  t.global_batch = global_batch;
  t.flash_attention = true;
  t.framework = framework;
  return w;
}

inline Machine machine(const Accelerator* card, int cards, int nodes, LinkKind link, double gbps = 0,
                       bool rdma = true) {
  Machine m;
  m.accelerator = card;
  m.accelerators_per_node = cards;
  m.nodes = nodes;
  m.link = link;
  m.inter_node_gbps = gbps;
  m.rdma = rdma;
  return m;
}

inline Layout sharded(int cards, int micro_batch, Checkpointing checkpointing = Checkpointing::full) {
  Layout l;
  l.data = cards;
  l.zero_stage = 3;
  l.micro_batch = micro_batch;
  l.checkpointing = checkpointing;
  return l;
}

inline double speed(const Workload& w, const Machine& m, const Layout& l) {
  const SpeedEstimate e = estimate_speed(w, m, l, builtin_knowledge().calibration);
  return e.known ? *e.tokens_per_second : 0;
}

}  // namespace gpuadvise::test
