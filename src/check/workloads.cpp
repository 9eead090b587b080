#include <fmt/format.h>

#include "base/text.h"
#include "check/workloads.h"

namespace gpuadvise::check {

namespace {

Use use_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::llm_training:
    case TaskKind::media_training:
      return Use::training;
    case TaskKind::llm_serving:
    case TaskKind::media_inference:
      return Use::serving;
    case TaskKind::rendering:
    case TaskKind::streaming:
      return Use::graphics;
    default:
      return Use::unknown;
  }
}

// Everything that hints can set: equal profiles share one workload, so that their sizings are shared too.
std::string key_of(const Profile& p) {
  return fmt::format(
      "{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", p.task.value_or(""), p.model.name.value_or(""),
      p.model.params.value_or(0), p.inference.weights.value_or(""), p.inference.engine.value_or(""),
      p.inference.max_context.value_or(0), p.inference.concurrency.value_or(0),
      p.inference.gpu_memory_utilization.value_or(0), p.parallelism.tensor.value_or(0),
      p.parallelism.pipeline.value_or(0), p.parallelism.zero_stage.value_or(-1),
      static_cast<int>(p.training.method.value_or(Method::freeze)), p.training.sequence_length.value_or(0),
      p.training.micro_batch.value_or(0), p.training.global_batch.value_or(0), p.training.lora_rank.value_or(0),
      static_cast<int>(p.training.precision.value_or(Precision::none)),
      p.training.activation_checkpointing.has_value());
}

}  // namespace

Workloads::Workloads(const Config& config, const Catalog& catalog, const base::Texts& texts)
    : config_(config), catalog_(catalog), texts_(texts) {
  for (const auto& named : config.workloads) {
    all_.push_back(resolve(named.profile, catalog));
    stated_[named.name] = &all_.back();
  }
}

// The workload that the configuration, a tag or the plan itself names; empty: none.
std::string Workloads::stated_name(const PlannedMachine& m) const {
  if (!m.workload.empty() && stated_.contains(m.workload)) return m.workload;
  for (const auto key : {"gpuadvise:workload", "gpuadvise/workload", "gpuadvise.workload"}) {
    std::string named(value_of(m.labels, key));
    if (stated_.contains(named)) return named;
  }
  for (const auto& mapping : config_.map) {
    if (glob_match(mapping.match, m.resource) || glob_match(mapping.match, m.name) ||
        glob_match(mapping.match, m.group)) {
      return mapping.workload;
    }
  }
  return {};
}

const Workload* Workloads::inferred(const Profile& profile) {
  const std::string key = key_of(profile);
  const auto found = inferred_.find(key);
  if (found != inferred_.end()) return found->second;
  const Workload* workload = nullptr;
  try {
    all_.push_back(resolve(profile, catalog_));
    workload = &all_.back();
  } catch (const InputError&) {
    workload = nullptr;  // what was read off contradicts itself: better nothing than a guess
  }
  inferred_[key] = workload;
  return workload;
}

void Workloads::assign(Subject& subject) {
  subject.use = subject.hints.use;
  const std::string name = stated_name(*subject.machine);
  if (!name.empty()) {
    subject.workload = stated_.at(name);
    subject.workload_name = name;
  } else if (subject.hints.profile) {
    subject.inferred = true;
    subject.workload = inferred(*subject.hints.profile);
    if (subject.workload != nullptr) {
      subject.workload_name = texts_("check/inferred-name", {{"model", base::printable(subject.hints.model)}});
    }
  } else {
    subject.inferred = subject.use != Use::unknown;
  }
  if (subject.workload == nullptr) return;
  subject.use = use_of(subject.workload->kind);
  auto& used = used_[subject.workload_name];
  used.name = subject.workload_name;
  used.task = subject.workload->task == nullptr ? "" : std::string(subject.workload->task->id);
  used.model = subject.workload->model == nullptr ? "" : std::string(subject.workload->model->id);
  used.inferred = subject.inferred;
  ++used.machines;
}

std::vector<CheckedWorkload> Workloads::used() const {
  std::vector<CheckedWorkload> out;
  for (const auto& [name, one] : used_) out.push_back(one);
  return out;
}

}  // namespace gpuadvise::check
