#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "advisor/layouts.h"

namespace gpuadvise {

namespace {

constexpr std::array kPowers = {1, 2, 4, 8, 16, 32, 64};

class Search {
 public:
  Search(const Estimator& estimator, const Machine& machine, Objective objective, double margin)
      : estimator_(estimator),
        w_(estimator.workload()),
        machine_(machine),
        objective_(objective),
        margin_(margin),
        cards_per_node_(std::max(1, static_cast<int>(std::lround(machine.accelerators_per_node)))),
        cards_(cards_per_node_ * machine.nodes) {}

  LayoutSearch run() {
    switch (w_.kind) {
      case TaskKind::llm_training:
        training();
        break;
      case TaskKind::llm_serving:
      case TaskKind::interactive:
        serving();
        break;
      case TaskKind::media_training:
        media_training();
        break;
      case TaskKind::media_inference:
      case TaskKind::rendering:
      case TaskKind::streaming:
      case TaskKind::transcoding:
      case TaskKind::hpc: {
        Layout layout;
        layout.data = cards_;
        consider(layout);
        break;
      }
    }
    return out_;
  }

 private:
  const ParallelismSpec& pins() const { return w_.profile.parallelism; }
  const TrainingSpec& setup() const { return w_.profile.training; }

  static bool allowed(const std::optional<int>& pin, int value) { return !pin || *pin == value; }

  MemoryEstimate memory(const Layout& layout) const { return estimator_.memory(machine_, layout); }

  // What is known to be on the card.
  static double held(const MemoryEstimate& m) { return m.known ? m.device : m.at_least; }

  void closest(const Layout& layout, const MemoryEstimate& memory) {
    const double least = held(out_.closest.memory);
    if (least == 0 || held(memory) < least) {
      out_.closest.layout = layout;
      out_.closest.memory = memory;
    }
  }

  void take(const Layout& layout, const MemoryEstimate& memory) {
    const SpeedEstimate speed = estimator_.speed(machine_, layout);
    const double value = merit(w_, speed, objective_);
    const bool in_time = within_latency(speed);
    if (out_.fits && in_time < best_in_time_) return;
    // On equal merit the layout found first stays: the loops run from the plainest to the most split.
    if (!out_.fits || in_time > best_in_time_ || value > best_ * 1.001) {
      out_.fits = LayoutChoice{layout, memory, speed};
      best_ = value;
      best_in_time_ = in_time;
    }
  }

  bool within_latency(const SpeedEstimate& speed) const {
    const Slo slo = w_.profile.inference.slo.value_or(Slo{});
    const auto within = [](const std::optional<double>& value, const std::optional<double>& target) {
      return !target || (value && *value <= *target);
    };
    return within(speed.ttft_ms, slo.ttft_ms) && within(speed.tpot_ms, slo.tpot_ms);
  }

  // A verdict needs room for the error of the estimate.
  bool safe(const MemoryEstimate& m) const { return memory_verdict(m, w_, machine_.memory_gib, margin_).fits(); }

  bool consider(const Layout& layout) {
    const MemoryEstimate m = memory(layout);
    if (!safe(m)) {
      closest(layout, m);
      return false;
    }
    take(layout, m);
    return true;
  }

  // Micro-batches by doubling, for each degree of checkpointing, while they fit and divide the batch.
  bool batches(Layout layout) {
    static constexpr std::array kDegrees = {Checkpointing::none, Checkpointing::selective, Checkpointing::full};
    const int per_rank = std::max(1, setup().global_batch.value_or(layout.data) / layout.data);
    bool any = false;
    for (const Checkpointing degree : kDegrees) {
      if (setup().activation_checkpointing && *setup().activation_checkpointing != degree) continue;
      layout.checkpointing = degree;
      layout.micro_batch = setup().micro_batch.value_or(1);
      MemoryEstimate m = memory(layout);
      if (!safe(m)) {
        closest(layout, m);
        continue;
      }
      any = true;
      if (!setup().micro_batch) {
        // Past a few thousand tokens a micro-batch gains nothing more, and headroom is worth having.
        constexpr int kEnoughTokens = 16384;
        const int sequence = setup().sequence_length.value_or(1);
        const auto larger_pays = [&] {
          return layout.micro_batch * 2 <= per_rank && layout.micro_batch * sequence < kEnoughTokens;
        };
        while (larger_pays()) {
          Layout larger = layout;
          larger.micro_batch *= 2;
          const MemoryEstimate more = memory(larger);
          if (!safe(more)) break;
          layout = larger;
          m = more;
        }
        take(layout, m);
        // More checkpointing frees memory for a larger micro-batch, and there is none to want.
        if (!larger_pays()) break;
        continue;
      }
      take(layout, m);
    }
    return any;
  }

  bool split_fits_model(int tensor, int pipeline) const {
    const Architecture& a = w_.architecture;
    if (!w_.has_architecture) return tensor == 1 && pipeline == 1;
    // Training keeps stages equal; engines that serve take a stage with a layer more.
    const bool equal = w_.kind == TaskKind::llm_training;
    return (a.heads == 0 || a.heads % tensor == 0) && a.layers >= pipeline && (!equal || a.layers % pipeline == 0);
  }

  bool try_split(int tensor, int pipeline, int expert, std::span<const int> stages) {
    if (!allowed(pins().tensor, tensor) || !allowed(pins().pipeline, pipeline)) return false;
    if (!allowed(pins().expert, expert)) return false;
    const int context = pins().context.value_or(1);
    const int model_parallel = tensor * pipeline * context;
    if (cards_ % model_parallel != 0 || !split_fits_model(tensor, pipeline)) return false;
    Layout layout;
    layout.tensor = tensor;
    layout.pipeline = pipeline;
    layout.context = context;
    layout.expert = expert;
    layout.virtual_pipeline = pins().virtual_pipeline.value_or(1);
    layout.data = cards_ / model_parallel;
    if (!allowed(pins().data, layout.data)) return false;
    if (layout.data > setup().global_batch.value_or(layout.data)) return false;
    if (expert > 1 && (layout.data * tensor) % expert != 0) return false;
    layout.sequence_parallel = pins().sequence_parallel.value_or(tensor > 1);
    bool any = false;
    for (const int stage : stages) {
      if (!allowed(pins().zero_stage, stage)) continue;
      layout.zero_stage = layout.data == 1 && !pins().zero_stage ? 0 : stage;
      any = batches(layout) || any;
      if (layout.data == 1) break;
    }
    return any;
  }

  void training() {
    static constexpr std::array kStages = {0, 1, 2, 3};
    static constexpr std::array kLight = {1, 3};
    static constexpr std::array kStatesOnly = {1};
    const std::span<const int> stages =
        pins().zero_stage ? std::span<const int>(kStages) : std::span<const int>(kLight);
    const bool frozen = setup().method == Method::lora || setup().method == Method::qlora;
    const bool moe = w_.has_architecture && w_.architecture.experts > 0;
    bool any = try_split(1, 1, pins().expert.value_or(1), stages);
    // Adapters move so little that splitting layers never pays once data parallelism fits; neither does it for a
    // model that leaves most of a card free.
    const bool roomy = any && out_.fits && out_.fits->memory.headroom_gib > 0.25 * machine_.memory_gib;
    if (any && (frozen || (machine_.nodes == 1 && roomy)) && !moe) return;
    const std::span<const int> split_stages =
        pins().zero_stage ? std::span<const int>(kStages) : std::span<const int>(kStatesOnly);
    for (const int tensor : kPowers) {
      if (tensor > cards_per_node_) break;
      for (const int pipeline : kPowers) {
        if (tensor * pipeline > cards_) break;
        for (const int expert : kPowers) {
          if (expert > 1 && (!moe || expert > w_.architecture.experts || expert > cards_)) break;
          if (tensor == 1 && pipeline == 1 && expert == pins().expert.value_or(1)) continue;
          try_split(tensor, pipeline, expert, split_stages);
        }
      }
    }
  }

  void serving() {
    for (const int tensor : kPowers) {
      if (tensor > cards_per_node_) break;
      if (!allowed(pins().tensor, tensor)) continue;
      const bool whole_node = tensor == cards_per_node_;
      for (const int pipeline : kPowers) {
        if (tensor * pipeline > cards_ || (pipeline > 1 && !whole_node && !pins().pipeline)) break;
        if (!allowed(pins().pipeline, pipeline) || !split_fits_model(tensor, pipeline)) continue;
        if (cards_ % (tensor * pipeline) != 0) continue;
        Layout layout;
        layout.tensor = tensor;
        layout.pipeline = pipeline;
        layout.expert = pins().expert.value_or(1);
        layout.context = pins().context.value_or(1);
        layout.data = cards_ / (tensor * pipeline);
        if (!allowed(pins().data, layout.data)) continue;
        consider(layout);
      }
    }
  }

  void media_training() {
    Layout layout;
    layout.data = cards_;
    layout.zero_stage = pins().zero_stage.value_or(0);
    layout.micro_batch = setup().micro_batch.value_or(1);
    layout.checkpointing = setup().activation_checkpointing.value_or(Checkpointing::none);
    if (consider(layout)) return;
    for (const int stage : {1, 3}) {
      for (const Checkpointing degree : {Checkpointing::none, Checkpointing::full}) {
        layout.zero_stage = pins().zero_stage.value_or(cards_ > 1 ? stage : 0);
        layout.checkpointing = setup().activation_checkpointing.value_or(degree);
        if (consider(layout)) return;
      }
    }
  }

  const Estimator& estimator_;
  const Workload& w_;
  const Machine& machine_;
  Objective objective_;
  double margin_;
  int cards_per_node_;
  int cards_;
  double best_ = 0;
  bool best_in_time_ = false;
  LayoutSearch out_;
};

}  // namespace

MemoryVerdict memory_verdict(const MemoryEstimate& memory, const Workload& workload, double usable_gib, double margin) {
  const double kept = std::clamp(workload.profile.constraints.min_headroom.value_or(0), 0.0, 0.99);
  if (!memory.known) return {memory.at_least, usable_gib * (1 - kept)};
  const double held = std::max(memory.device, memory.required);
  const MemoryVerdict card{held * std::max(1 + margin, 1 / (1 - kept)), usable_gib};
  if (memory.fits || !card.fits()) return card;
  return {memory.required, std::min(memory.limit_gib, memory.capacity_gib)};
}

double merit(const Workload& workload, const SpeedEstimate& speed, Objective objective) {
  // A card that draws is no use to a stream until something is known to encode it.
  if (!speed.known) return workload.kind == TaskKind::streaming ? 0 : speed.relative.value_or(0);
  switch (workload.kind) {
    case TaskKind::llm_training:
      return speed.tokens_per_second.value_or(0);
    case TaskKind::llm_serving:
    case TaskKind::interactive: {
      if (objective == Objective::latency) {
        const double ms = speed.latency_ms.value_or(speed.tpot_ms.value_or(0));
        return ms > 0 ? 1 / ms : 0;
      }
      return speed.output_tokens_per_second.value_or(0);
    }
    case TaskKind::media_training:
    case TaskKind::media_inference:
      return speed.samples_per_second.value_or(speed.relative.value_or(0));
    case TaskKind::rendering:
    case TaskKind::streaming:
    case TaskKind::transcoding:
    case TaskKind::hpc:
      return speed.relative.value_or(0);
  }
  return 0;
}

int machines_together(const Workload& workload, const Machine& machine, const Layout& layout) {
  switch (workload.kind) {
    case TaskKind::llm_training:
    case TaskKind::media_training:
    case TaskKind::hpc:
      return machine.nodes;
    case TaskKind::llm_serving:
    case TaskKind::interactive: {
      const int per_node = std::max(1, static_cast<int>(std::floor(machine.accelerators_per_node)));
      const int replica = layout.tensor * layout.pipeline * std::max(1, layout.context);
      return std::min(machine.nodes, std::max(1, (replica + per_node - 1) / per_node));
    }
    default:
      return 1;
  }
}

LayoutSearch best_layout(const Estimator& estimator, const Machine& machine, const Knowledge& knowledge,
                         Objective objective) {
  return Search(estimator, machine, objective, knowledge.hardware.memory_margin).run();
}

}  // namespace gpuadvise
