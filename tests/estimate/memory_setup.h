// Profiles from text to what memory estimates take.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "gpuadvise/estimate.h"
#include "gpuadvise/knowledge.h"

#include "base/arena.h"
#include "base/node.h"
#include "workload/profile.h"

namespace gpuadvise::test {

struct MemorySetup {
  base::Arena arena;
  Workload workload;
  Machine machine;
  Layout layout;

  explicit MemorySetup(std::string_view yaml) {
    const Catalog& catalog = builtin_knowledge().catalog;
    const Profile profile = read_profile(base::parse_yaml(yaml, "test"), arena, "test");
    workload = resolve(profile, catalog);
    machine.accelerators_per_node = profile.hardware.accelerators_per_node.value_or(1);
    machine.nodes = profile.hardware.nodes.value_or(1);
    for (const auto& card : catalog.accelerators) {
      if (card.id != profile.hardware.accelerator.value_or("")) continue;
      machine.accelerator = &card;
      machine.memory_gib = card.usable_memory_gib.value_or(card.memory_gib.value_or(0) * 0.97);
    }
    const ParallelismSpec& p = profile.parallelism;
    layout.tensor = p.tensor.value_or(1);
    layout.pipeline = p.pipeline.value_or(1);
    layout.data = p.data.value_or(1);
    layout.expert = p.expert.value_or(1);
    layout.context = p.context.value_or(1);
    layout.zero_stage = p.zero_stage.value_or(0);
    layout.sequence_parallel = p.sequence_parallel.value_or(false);
    layout.micro_batch = workload.profile.training.micro_batch.value_or(1);
    layout.checkpointing = workload.profile.training.activation_checkpointing.value_or(Checkpointing::none);
  }
  MemoryEstimate estimate() const {
    return estimate_memory(workload, machine, layout, builtin_knowledge().calibration);
  }
  double items() const {
    const MemoryEstimate m = estimate();
    return m.weights + m.gradients + m.optimizer + m.activations + m.logits + m.kv_cache + m.adapters +
           m.communication + m.runtime + m.fragmentation;
  }
};

inline MemoryEstimate memory_of(std::string_view yaml) { return MemorySetup(yaml).estimate(); }

}  // namespace gpuadvise::test
