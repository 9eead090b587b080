// Serving workloads and machines for tests: one language model of a known size on cards of the built-in catalog.
#pragma once

#include <stdexcept>
#include <string>

#include "gpuadvise/knowledge.h"
#include "gpuadvise/workload.h"

#include "workload/architecture.h"

namespace gpuadvise::test {

inline const Accelerator& accelerator(std::string_view id) {
  for (const auto& a : builtin_knowledge().catalog.accelerators) {
    if (a.id == id) return a;
  }
  throw std::runtime_error("no accelerator " + std::string(id));
}

inline Architecture llama_8b() {
  Architecture a;
  a.layers = 32;
  a.hidden = 4096;
  a.intermediate = 14336;
  a.heads = 32;
  a.kv_heads = 8;
  a.head_dim = 128;
  a.vocab = 128256;
  return a;
}

inline Architecture llama_70b() {
  Architecture a = llama_8b();
  a.layers = 80;
  a.hidden = 8192;
  a.intermediate = 28672;
  a.heads = 64;
  return a;
}

// 30B parameters of which 3B run a token.
inline Architecture moe_30b() {
  Architecture a;
  a.layers = 48;
  a.hidden = 2048;
  a.intermediate = 6144;
  a.heads = 32;
  a.kv_heads = 4;
  a.head_dim = 128;
  a.vocab = 151936;
  a.experts = 128;
  a.experts_per_token = 8;
  a.moe_intermediate = 768;
  return a;
}

inline Workload serve(const Architecture& architecture, std::string_view engine = "vllm",
                      std::string_view weights = "bf16") {
  Workload w;
  w.kind = TaskKind::llm_serving;
  w.has_architecture = true;
  w.architecture = completed(architecture);
  const ParameterCount count = count_parameters(w.architecture);
  w.params = count.total;
  w.active_params = count.active;
  auto& i = w.profile.inference;
  i.engine = engine;
  i.weights = weights;
  i.kv_cache = "bf16";
  i.input_tokens = 1024;
  i.output_tokens = 256;
  i.concurrency = 1;
  i.mode = ServingMode::batch_static;
  return w;
}

inline Machine machine(std::string_view id, double cards = 1, LinkKind link = LinkKind::nvlink) {
  Machine m;
  m.accelerator = &accelerator(id);
  m.accelerators_per_node = cards;
  m.memory_gib = m.accelerator->memory_gib.value() * std::min(cards, 1.0);
  if (cards > 1) {
    m.link = link;
    m.link_gb_per_s = link == LinkKind::pcie ? 64 : m.accelerator->link_gb_per_s.value_or(600);
  }
  return m;
}

inline Layout tensor(int cards) {
  Layout l;
  l.tensor = cards;
  return l;
}

inline const Calibration& calibration() { return builtin_knowledge().calibration; }

}  // namespace gpuadvise::test
