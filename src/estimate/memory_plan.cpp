#include "estimate/memory_plan.h"

namespace gpuadvise {

namespace {

template <class Plan>
void take(MemoryPlan& plan, const MediaPlan<Plan>& media) {
  if (media.plan) plan.terms = *media.plan;
  plan.why = media.why;
}

void plan_training(MemoryPlan& plan, const Workload& w, const MemoryCalibration& c) {
  if (!w.has_architecture) {
    take(plan, media_training_plan(w, c));
  } else if (auto training = training_memory_plan(w, c); training.shape.params > 0) {
    plan.terms = training;
  }
}

void plan_inference(MemoryPlan& plan, const Workload& w, const MemoryCalibration& c) {
  if (w.kind == TaskKind::media_inference && !w.has_architecture) {
    take(plan, media_inference_plan(w, c));
  } else if (auto serving = serving_memory_plan(w, c); serving.shape.params > 0) {
    plan.terms = serving;
  }
}

void plan_scene(MemoryPlan& plan, const std::optional<double>& gib, bool spread, std::string_view why) {
  if (gib) {
    plan.terms = SceneMemoryPlan{*gib * kGib, spread};
  } else {
    plan.why = why;
  }
}

// The class whose measured error the estimate has; none: the profile states the memory.
const MemoryBand* band_of(const Workload& w, const MemoryCalibration& c) {
  if (w.kind == TaskKind::rendering || w.kind == TaskKind::hpc) return nullptr;
  const Profile& p = w.profile;
  const auto model = p.model.name.value_or("");
  if (w.kind == TaskKind::llm_training) {
    return find_band(c, "training", training_constants(c, p.training.framework.value_or(""), model).name);
  }
  if (w.kind == TaskKind::llm_serving || w.kind == TaskKind::interactive) {
    const auto k = serving_constants(c, p.inference.engine.value_or(""), p.software.framework.value_or(""), model);
    return find_band(c, "serving", k.name);
  }
  return find_band(c, "media", "general");
}

}  // namespace

MemoryPlan memory_plan(const Workload& workload, const MemoryCalibration& c) {
  MemoryPlan plan;
  switch (workload.kind) {
    case TaskKind::llm_training:
    case TaskKind::media_training:
      plan_training(plan, workload, c);
      break;
    case TaskKind::llm_serving:
    case TaskKind::interactive:
    case TaskKind::media_inference:
      plan_inference(plan, workload, c);
      break;
    case TaskKind::rendering:
      plan_scene(plan, workload.profile.rendering.scene_gib, false, "memory/scene-not-stated");
      break;
    case TaskKind::hpc:
      plan_scene(plan, workload.profile.hpc.memory_gib, true, "memory/problem-not-stated");
      break;
    case TaskKind::streaming:
      plan.why = "memory/by-session";
      break;
    case TaskKind::transcoding:
      plan.why = "memory/few-frames";
      break;
  }
  if (plan.terms.index() == 0) {
    if (plan.why.empty()) plan.why = "memory/no-model";
    return plan;
  }
  plan.cuda_context = memory_constant(c, "cuda_context_gib", 0) * kGib;
  plan.cann_context = memory_constant(c, "cann_context_gib", 0) * kGib;
  if (const auto* band = band_of(workload, c)) {
    plan.band_low_percent = band->low_percent;
    plan.band_high_percent = band->high_percent;
  }
  return plan;
}

}  // namespace gpuadvise
