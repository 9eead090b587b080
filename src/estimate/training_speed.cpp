#include <algorithm>
#include <cmath>

#include "estimate/expert_shards.h"
#include "estimate/training_blocks.h"
#include "estimate/training_lookup.h"
#include "estimate/training_speed.h"

namespace gpuadvise {

namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kMilli = 1e-3;
constexpr double kNano = 1e-9;

// Whole numbers of a layout, all at least one.
struct Ranks {
  double tensor, pipeline, data, context, expert;
  explicit Ranks(const Layout& l)
      : tensor(std::max(1, l.tensor)),
        pipeline(std::max(1, l.pipeline)),
        data(std::max(1, l.data)),
        context(std::max(1, l.context)),
        expert(std::max(1, l.expert)) {}
  double cards() const { return tensor * pipeline * data * context; }
};

// Bytes of one stored weight.
double weight_bytes(Precision base) {
  switch (base) {
    case Precision::fp32:
      return 2;  // gathered and used in 16 bits
    case Precision::int8:
    case Precision::fp8:
      return 1;
    case Precision::nf4:
    case Precision::int4:
    case Precision::fp4:
      return 0.5;
    default:
      return 2;
  }
}

void set_passes(TrainingRun& r, Method method) {
  if (r.adapters) r.weight_passes = 2;
  if (method == Method::freeze) {
    // Gradients flow no deeper than the trained layers.
    const double trained = std::min(1.0, r.cal.freeze_layers / std::max(1.0, r.shape.layers));
    r.weight_passes = r.flow_passes = 1 + 2 * trained;
    r.host_passes = 1 + trained;
  }
  if (r.layout.checkpointing == Checkpointing::full) {
    r.weight_passes += 1;
    r.flow_passes += 1;
    r.host_passes += 1;
  }
}

// Parameters on one card, the routed experts apart.
struct Held {
  double dense = 0;
  double experts = 0;
  double all() const { return dense + experts; }
};

Held held_params(const TrainingShape& shape, const Ranks& ranks, double params) {
  const double experts = std::min(shape.expert_weights(), params);
  return {(params - experts) / (ranks.tensor * ranks.pipeline), experts / (ranks.expert * ranks.pipeline)};
}

double trained_params(const TrainingRun& r, const Ranks& ranks, Method method, double held, double lora_rank) {
  if (method == Method::full) return held;
  if (method == Method::freeze) return held * std::min(1.0, r.cal.freeze_layers / std::max(1.0, r.shape.layers));
  const TrainingShape& s = r.shape;
  const double widths = (s.full_blocks + s.window_blocks) * s.attention.widths() + s.linear_blocks * s.linear.widths() +
                        s.dense_blocks * s.dense.widths() + s.expert_blocks * s.shared.widths();
  return lora_rank * widths / (ranks.tensor * ranks.pipeline);
}

// The stage that the others wait for. Where the layers divide among the stages (and their chunks), the last stage has
// the head on top; where they do not, recipes count the ends (embedding and head) as layers, and the fullest stage has
// layers only.
struct Stage {
  double layers = 0;
  bool head = true;
};

Stage slowest_stage(double layers, double pipeline, double chunks) {
  if (std::fmod(layers, pipeline * chunks) == 0) return {layers / pipeline, true};
  return {std::ceil((layers + 1) / pipeline), false};
}

// The larger of two paces; where they are near each other both are felt.
double pace(double device, double host) {
  if (device <= 0 || host <= 0) return std::max(device, host);
  const double high = std::max(device, host);
  const double ratio = std::min(device, host) / high;
  return high * std::sqrt(std::sqrt(1 + ratio * ratio * ratio * ratio));
}

double companion_time(const TrainingCalibration& cal, const Workload& workload) {
  if (workload.model == nullptr || workload.task == nullptr) return 0;
  for (const TrainingCompanion& row : cal.companions) {
    if (row.model == workload.model->id && row.task == workload.task->id) return row.extra_time;
  }
  return 0;
}

bool is_pretraining(const Workload& workload) {
  return workload.task != nullptr && workload.task->id == "llm-pretrain";
}

// Rates of the card in this run's precision, `device_time` longer than the calibrated ones. False where a peak is not
// documented. `slice`: the part of the card that the machine has.
bool set_rates(TrainingRun& r, const Accelerator& card, const TrainingSpec& training, double device_time,
               double slice) {
  const auto reached = [&](double peak, double of) {
    return slice * peak * std::min(of / device_time, r.cal.highest_share);
  };
  const Precision precision = training.precision.value_or(Precision::bf16);
  const bool half = precision != Precision::fp32 && precision != Precision::tf32 && precision != Precision::fp64;
  const bool eight = (precision == Precision::fp8 || precision == Precision::fp4) && card.peak.fp8.has_value();
  const MatrixRate main = matrix_rate(r.cal, card, r.chip, precision);
  const MatrixRate wide = eight ? matrix_rate(r.cal, card, r.chip, Precision::bf16) : main;
  const MatrixRate attention =
      matrix_rate(r.cal, card, r.chip, precision == Precision::fp16 ? Precision::fp16 : Precision::bf16);
  const double share = r.framework.kernels == KernelGeneration::third    ? r.chip.attention_third
                       : r.framework.kernels == KernelGeneration::second ? r.chip.attention_second
                                                                         : r.chip.attention_first;
  r.peak = main.peak * slice;
  r.matrix_rate = reached(main.peak, main.share);
  r.wide_rate = reached(wide.peak, wide.share);
  r.attention_rate = reached(attention.peak, share);
  r.bandwidth = reached(card.memory_bandwidth_gb_per_s.value_or(0) * kGiga, r.chip.bandwidth_share);
  r.element = half ? 2 : 4;
  r.operand = eight ? 1 : r.element;
  r.fused_attention = half && training.flash_attention.value_or(false);
  return r.matrix_rate > 0 && r.bandwidth > 0;
}

}  // namespace

TrainingSpeedPlan training_speed_plan(const Workload& workload, const TrainingCalibration& cal) {
  TrainingSpeedPlan plan;
  plan.shape = training_shape(workload);
  plan.pretraining = is_pretraining(workload);
  plan.framework = find_training_framework(cal, workload.profile.training.framework.value_or("*"));
  if (plan.framework == nullptr) return plan;
  plan.device_time = plan.framework->device_time * release_factor(*plan.framework, workload.profile.software) *
                     (1 + companion_time(cal, workload)) *
                     (plan.shape.encoder && !plan.pretraining ? cal.encoder_finetune : 1.0);
  return plan;
}

SpeedEstimate estimate_training_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                                      const TrainingCalibration& cal) {
  return estimate_training_speed(training_speed_plan(workload, cal), workload, machine, layout, cal);
}

SpeedEstimate estimate_training_speed(const TrainingSpeedPlan& plan, const Workload& workload, const Machine& machine,
                                      const Layout& layout, const TrainingCalibration& cal) {
  SpeedEstimate out;
  const auto refuse = [&out](std::string_view why) {
    out.why = why;
    return out;
  };
  if (machine.accelerator == nullptr) return refuse("speed/no-accelerator");
  const Accelerator& card = *machine.accelerator;
  const TrainingSpec& training = workload.profile.training;
  if (workload.params <= 0 && !workload.has_architecture) return refuse("speed/no-architecture");
  if (!card.memory_bandwidth_gb_per_s) return refuse("speed/unknown-bandwidth");
  const ChipTraining* chip = find_training_chip(cal, card);
  const FrameworkTraining* framework = plan.framework;
  if (chip == nullptr || framework == nullptr) return refuse("speed/not-calibrated");

  TrainingRun r{cal, *chip, *framework, layout, plan.shape, training_fabric(machine, *chip, *framework, cal)};
  if (!set_rates(r, card, training, plan.device_time,
                 machine.accelerators_per_node > 0 ? std::min(1.0, machine.accelerators_per_node) : 1.0))
    return refuse("speed/unknown-peak");
  const Ranks ranks(layout);
  const Method method = training.method.value_or(Method::full);
  r.sequence = std::max(1, training.sequence_length.value_or(1));
  r.micro_batch = std::max(1, layout.micro_batch);
  r.tokens = r.micro_batch * r.sequence / ranks.context;
  r.adapters = method == Method::lora || method == Method::qlora;
  r.trains_all = method == Method::full;
  r.selective = layout.checkpointing == Checkpointing::selective;
  r.compiled = training.compile.value_or(false);
  set_passes(r, method);

  const double sequences = std::max<double>(training.global_batch.value_or(0), r.micro_batch * ranks.data);
  const double micro_steps = std::max(1.0, std::ceil(sequences / (r.micro_batch * ranks.data)));
  const double step_sequences = micro_steps * r.micro_batch * ranks.data;

  // One micro-batch through all layers, and the restoring of packed weights ahead of each product.
  BlockTime blocks = all_blocks(r);
  const Held held = held_params(r.shape, ranks, workload.params > 0 ? workload.params : workload.active_params);
  const Precision base = training.base_weights.value_or(Precision::bf16);
  const bool packed = method == Method::qlora || weight_bytes(base) < 1;
  if (packed || base == Precision::int8) {
    const double bytes = packed ? cal.dequant_bytes : cal.dequant_int8_bytes;
    blocks.traffic += bytes * held.all() * ranks.pipeline * r.host_passes / r.bandwidth;
  }
  const double trained = trained_params(r, ranks, method, held.all(), training.lora_rank.value_or(16));
  if (micro_steps > 1) blocks.traffic += cal.accumulate_bytes * trained * ranks.pipeline / r.bandwidth;
  const bool fused_loss = training.fused_loss.value_or(FusedLoss::none) != FusedLoss::none;
  const double predicted = !r.shape.encoder ? 1 : plan.pretraining ? cal.masked_share : 0;
  const BlockTime head = head_block(r, predicted, fused_loss);

  // The host launches a layer while the device works on an earlier one.
  const double launch_ms = framework->launch_ms * (r.adapters ? framework->adapter_launch : 1) +
                           (layout.zero_stage >= 3 ? framework->sharded_launch_ms : 0);
  const double host = (launch_ms * r.shape.layers + framework->moe_launch_ms * r.shape.expert_blocks) *
                      chip->host_factor * kMilli * r.host_passes / ranks.pipeline;

  // The pipeline runs at the pace of its slowest stage.
  const bool chunks_named = layout.virtual_pipeline > 1 || workload.profile.parallelism.virtual_pipeline.has_value();
  const double most_chunks = std::max(1.0, std::floor(r.shape.layers / ranks.pipeline));
  const double chunks = ranks.pipeline <= 1 ? 1
                        : chunks_named      ? std::max(1, layout.virtual_pipeline)
                                            : std::min(std::max(1.0, framework->chunks), most_chunks);
  const Stage stage = slowest_stage(r.shape.layers, ranks.pipeline, chunks);
  const double even = (blocks.sum() + head.sum()) / ranks.pipeline;
  const double device =
      framework->even_stages
          ? even
          : std::max(even, stage.layers / r.shape.layers * blocks.sum() + (stage.head ? head.sum() : 0));
  const double paced = pace(device, host);
  double send = 0;
  if (ranks.pipeline > 1) {
    const double bytes = r.tokens * r.shape.hidden * 2 / (layout.sequence_parallel ? ranks.tensor : 1);
    const bool across = ranks.tensor * ranks.context * ranks.data >= r.fabric.cards_per_node;
    send = 2 * chunks * send_seconds(r.fabric, across, bytes) * (1 - framework->tensor_overlap);
  }

  // Data parallelism. ZeRO-3 and FSDP gather the weights twice and scatter the gradients once around every
  // micro-batch; the other stages reduce gradients once a step (ZeRO-2: once a micro-batch).
  const bool gathers = layout.zero_stage >= 3 && ranks.data * ranks.context > 1;
  const Group group = group_on(r.fabric, ranks.data * ranks.context, ranks.tensor);
  const double pieces =
      std::max(1.0, layout.zero_stage >= 1 ? framework->pieces_per_layer * r.shape.layers / ranks.pipeline : 1.0);
  const auto gather = [&](const Group& over, double bytes) { return gather_seconds(r.fabric, over, bytes, pieces); };
  double exposed_gather = 0;
  if (gathers) {
    const double moved =
        2 * gather(group, held.all() * weight_bytes(base)) + gather(group, trained * framework->gradient_bytes);
    const double hidden = framework->data_overlap * moved;
    exposed_gather = moved - hidden + std::max(0.0, hidden - device);
  }
  double reduce = 0;
  if (!gathers && ranks.data * ranks.context > 1) {
    const double expert_share = r.trains_all && held.all() > 0 ? held.experts / held.all() : 0;
    const double back_bytes = layout.zero_stage >= 1 ? 2 : framework->gradient_bytes;
    const auto both = [&](const Group& over, double count) {
      return gather(over, count * framework->gradient_bytes) + gather(over, count * back_bytes);
    };
    reduce = both(group, trained * (1 - expert_share));
    const double replicas = ranks.data * ranks.context * ranks.tensor / expert_shards(layout);
    if (expert_share > 0 && replicas > 1) {
      reduce += both(group_on(r.fabric, replicas, expert_shards(layout)), trained * expert_share);
    }
    if (layout.zero_stage == 2) reduce += (micro_steps - 1) * gather(group, trained * framework->gradient_bytes);
  }
  constexpr double kBackward = 2.0 / 3;  // of a micro-batch's device time
  const double window = device * kBackward * (layout.zero_stage == 2 ? micro_steps : 1);
  const double exposed_reduce = reduce - std::min(framework->data_overlap * reduce, window);

  const double owned = trained / (layout.zero_stage >= 1 ? ranks.data * ranks.context : 1);
  const bool on_host = training.offload.value_or(Offload::none) != Offload::none;
  const double optimizer = on_host ? owned * cal.host_optimizer_ns * kNano : owned * cal.optimizer_bytes / r.bandwidth;

  const double rounds = micro_steps + (ranks.pipeline - 1) / chunks;
  const double fixed = framework->step_ms * kMilli;
  double step = rounds * (paced + exposed_gather + send) + exposed_reduce + optimizer + fixed;
  double loading = 0;
  if (machine.vcpus > 0 && cal.tokens_per_vcpu > 0) {
    const double prepared = machine.nodes * machine.vcpus * cal.tokens_per_vcpu;  // tokens/s
    loading = std::max(0.0, step_sequences * r.sequence / prepared - step);
  }
  step += loading;

  out.known = true;
  out.step_seconds = step;
  out.samples_per_second = step_sequences / step;
  out.tokens_per_second = step_sequences * r.sequence / step;
  out.tokens_per_second_per_accelerator = *out.tokens_per_second / ranks.cards();
  const double passes = method == Method::full ? 3 : r.adapters ? 2 : r.flow_passes;
  const double flops = passes * forward_flops_per_token(r.shape, r.sequence, !framework->whole_attention);
  out.tflops_per_accelerator = flops * *out.tokens_per_second_per_accelerator / kTera;
  out.mfu_percent = 100 * *out.tflops_per_accelerator * kTera / r.peak;

  const double times = micro_steps / ranks.pipeline;
  StepTerms& t = out.terms;
  t.compute = times * (blocks.compute + head.compute);
  t.attention = times * blocks.attention;
  t.memory_traffic = times * (blocks.traffic + head.traffic);
  t.tensor_comm = times * blocks.tensor;
  t.expert_comm = times * blocks.expert;
  t.context_comm = times * blocks.context;
  t.data_comm = micro_steps * exposed_gather + exposed_reduce;
  t.optimizer = optimizer;
  t.host = micro_steps * (paced - device) + fixed;
  t.data_loading = loading;
  const double named = t.compute + t.attention + t.memory_traffic + t.tensor_comm + t.expert_comm + t.context_comm +
                       t.data_comm + t.optimizer + t.host + t.data_loading;
  t.pipeline_bubble = std::max(0.0, step - named);

  const TrainingClass of{framework->name, chip->chip_class, r.shape.expert_blocks > 0, machine.nodes > 1, r.adapters};
  if (const TrainingBand* band = find_training_band(cal, of)) {
    out.band_low_percent = band->low_percent;
    out.band_high_percent = band->high_percent;
  }
  return out;
}

std::optional<double> training_scaling_efficiency(const Workload& workload, const Machine& machine,
                                                  const Layout& layout, const TrainingCalibration& cal) {
  const Ranks ranks(layout);
  const double per_node = std::max(1.0, machine.accelerators_per_node);
  const double replica_nodes = std::ceil(ranks.tensor * ranks.pipeline * ranks.context / per_node);
  const double shrink = machine.nodes / replica_nodes;
  if (machine.nodes <= replica_nodes) return 1;
  if (std::fmod(ranks.data, shrink) != 0) return std::nullopt;
  const SpeedEstimate many = estimate_training_speed(workload, machine, layout, cal);
  Machine few = machine;
  few.nodes = static_cast<int>(replica_nodes);
  Layout small = layout;
  small.data = static_cast<int>(ranks.data / shrink);
  small.expert = static_cast<int>(std::min<double>(layout.expert, small.data * ranks.tensor * ranks.context));
  Workload share = workload;
  if (share.profile.training.global_batch) {
    share.profile.training.global_batch =
        std::max(1, static_cast<int>(*workload.profile.training.global_batch / shrink));
  }
  const SpeedEstimate one = estimate_training_speed(share, few, small, cal);
  if (!many.known || !one.known) return std::nullopt;
  return *many.tokens_per_second_per_accelerator / *one.tokens_per_second_per_accelerator;
}

}  // namespace gpuadvise
