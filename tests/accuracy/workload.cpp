#include <algorithm>

#include "estimate/machine.h"
#include "workload.h"
#include "workload/model_lookup.h"

namespace gpuadvise::accuracy {

namespace {

TaskKind kind_of(std::string_view task) {
  if (task == "hpc") return TaskKind::hpc;
  if (task == "rendering") return TaskKind::rendering;
  if (task == "video-transcoding") return TaskKind::transcoding;
  if (task == "cloud-gaming" || task == "vdi") return TaskKind::streaming;
  if (task == "llm-inference") return TaskKind::llm_serving;
  if (task.ends_with("inference")) return TaskKind::media_inference;
  if (task.starts_with("llm")) return TaskKind::llm_training;
  return TaskKind::media_training;
}

}  // namespace

Setup setup_of(const Row& row, const Context& context) {
  Setup s;
  Workload& w = s.workload;
  w.profile = row.profile;
  if (context.unknown_source) {
    w.profile.training.framework = "unlisted";
    w.profile.inference.engine = "unlisted";
    w.profile.software.framework.reset();
  }
  w.kind = kind_of(row.profile.task.value_or(""));
  if (row.profile.model.architecture) {
    w.has_architecture = true;
    w.architecture = *row.profile.model.architecture;
  }
  if (row.profile.model.name) w.model = find_model(*context.catalog, *row.profile.model.name).model;
  w.params = row.profile.model.params.value_or(0);
  w.active_params = row.profile.model.active_params.value_or(w.params);

  const HardwareSpec& h = row.profile.hardware;
  s.machine.accelerators_per_node = h.accelerators_per_node.value_or(1);
  s.machine.nodes = h.nodes.value_or(1);
  if (h.accelerator && context.catalog != nullptr) {
    for (const auto& a : context.catalog->accelerators) {
      if (a.id != *h.accelerator) continue;
      s.machine.accelerator = &a;
      s.machine.usable_memory_known = a.usable_memory_gib.has_value();
      s.machine.memory_gib = a.usable_memory_gib.value_or(a.memory_gib.value_or(0) * 0.98);
    }
  }
  s.machine.link = h.interconnect.value_or(LinkKind::none);
  const ParallelismSpec& p = row.profile.parallelism;
  s.layout.tensor = p.tensor.value_or(1);
  s.layout.pipeline = p.pipeline.value_or(1);
  s.layout.virtual_pipeline = p.virtual_pipeline.value_or(1);
  s.layout.data = p.data.value_or(1);
  s.layout.expert = p.expert.value_or(1);
  s.layout.context = p.context.value_or(1);
  s.layout.sequence_parallel = p.sequence_parallel.value_or(false);
  s.layout.zero_stage = p.zero_stage.value_or(0);
  s.layout.micro_batch = row.profile.training.micro_batch.value_or(1);
  s.layout.checkpointing = row.profile.training.activation_checkpointing.value_or(Checkpointing::none);
  return s;
}

Setup product_setup(const Row& row, const Context& context) {
  Profile profile = row.profile;
  if (context.unknown_source) {
    profile.training.framework = "unlisted";
    profile.inference.engine = "unlisted";
    profile.software.framework.reset();
  }
  Setup s;
  s.workload = resolve(profile, *context.catalog);
  s.machine = machine_of(*context.catalog, context.knowledge->hardware, s.workload.profile.hardware);
  s.layout = layout_of(s.workload, s.machine);
  return s;
}

}  // namespace gpuadvise::accuracy
