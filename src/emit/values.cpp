#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/regions.h"
#include "emit/values.h"
#include "workload/profile_fields.h"

namespace gpuadvise::emit_detail {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

std::string flag(bool on) { return on ? "yes" : ""; }

// A region that an API takes: price lists also write "mainland China".
bool is_region_code(std::string_view region) {
  return region.find('-') != std::string_view::npos && std::all_of(region.begin(), region.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

// SkyPilot and cluster labels call a card by its model and, where there are several sizes, its memory: A100-80GB.
std::string short_card(std::string_view id) {
  const auto parts = base::split(id, '-');
  std::string out;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    const bool memory = part.ends_with("gb") && part.find_first_not_of("0123456789") == part.size() - 2;
    const bool form = part.starts_with("sxm") || part == "pcie" || part == "nvl";
    if (form || (!memory && !out.empty() && part != "ti")) continue;
    out += (out.empty() ? "" : "-") + std::string(part);
  }
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return out;
}

class Collector {
 public:
  Collector(const Advice& advice, const Knowledge& knowledge, Lang lang)
      : w_(advice.workload), r_(advice.recommendations.front()), k_(knowledge), lang_(lang) {}

  Values run() {
    machine();
    place();
    disks();
    network();
    layout();
    serving();
    training();
    request();
    shares();
    return std::move(v_);
  }

 private:
  void set(std::string_view name, std::string value) { v_.insert_or_assign(std::string(name), std::move(value)); }
  void set(std::string_view name, double value) { set(name, fmt::format("{:.0f}", value)); }
  void set(std::string_view name, int value) { set(name, fmt::format("{}", value)); }

  int cards() const { return std::max(1, static_cast<int>(std::ceil(r_.machine.accelerators_per_node - 1e-9))); }

  void machine() {
    const Accelerator& card = *r_.machine.accelerator;
    set("type", std::string(r_.type->name));
    set("card", std::string(card.name));
    set("card_short", short_card(card.id));
    set("cards", cards());
    set("nodes", r_.machine.nodes);
    set("job_nodes", r_.machines_together);
    set("many", flag(r_.machines_together > 1));
    set("several_cards", flag(r_.machine.accelerators_per_node * r_.machines_together > 1));
    set("cuda", flag(card.software_stack == "cuda"));
    set("npu", flag(card.software_stack == "cann"));
    set("rocm", flag(card.software_stack == "rocm"));
    for (const auto& vendor : k_.catalog.vendors) set(vendor.id, flag(vendor.id == r_.family->vendor));
    const Vendor* vendor = find_vendor(k_.catalog, r_.family->vendor);
    set("vendor_name", vendor == nullptr ? std::string(r_.family->vendor) : std::string(vendor->name.in(lang_)));
    set("catalog_date", std::string(k_.catalog.date));
    std::string devices;
    for (int i = 0; i < cards(); ++i) devices += fmt::format("{}- /dev/davinci{}", i == 0 ? "" : "\n", i);
    set("npu_devices", devices);
  }

  void place() {
    const Price* price = r_.estimate.cost.price;
    const auto regions = w_.profile.constraints.regions.value_or(std::span<const std::string_view>());
    std::string region;
    if (price != nullptr && is_region_code(price->region)) region = price->region;
    for (const Sold wanted : {Sold::yes, Sold::unknown}) {
      for (const auto asked : regions) {
        if (!region.empty() || !is_region_code(asked)) continue;
        if (sold_in(k_.catalog, *r_.family, asked) == wanted) region = asked;
      }
    }
    set("region", region);
    set("region_or", region.empty() ? "REGION" : region);
    const auto charge = w_.profile.operations.charge_type.value_or(ChargePreference::on_demand);
    set("spot", flag(charge == ChargePreference::spot));
    set("prepaid", flag(charge == ChargePreference::month || charge == ChargePreference::year));
  }

  void disks() {
    const EmitDisk* disk = nullptr;
    for (const auto& row : k_.emit.disks) {
      if (row.vendor != r_.family->vendor) continue;
      const auto& listed = r_.family->disks;
      const bool fits =
          listed.empty() ? row.listed.empty() : std::find(listed.begin(), listed.end(), row.listed) != listed.end();
      if (fits) {
        disk = &row;
        break;
      }
    }
    set("disk", disk == nullptr ? std::string() : std::string(disk->category));
    set("disk_level", disk == nullptr ? std::string() : std::string(disk->level));
    // Twice the weights in 16 bit, and room for images and outputs; in steps of 100 GiB.
    const double weights = 2 * w_.params / kGib;
    set("data_gib", 100 * std::ceil((100 + 2 * weights) / 100));
  }

  void network() {
    const std::string_view kind = r_.family->rdma;
    const bool many = r_.machines_together > 1;
    const bool rdma = !kind.empty() && kind != "none";
    set("rdma", flag(many && rdma));
    set("erdma", flag(many && kind == "eRDMA"));
    set("rdma_other", flag(many && rdma && kind != "eRDMA"));
    set("rdma_kind", std::string(kind));
    set("hpc_cluster", flag(rdma && kind != "eRDMA"));  // such machines are made in a cluster of their own, even one
  }

  void layout() {
    const Layout& l = r_.layout;
    const int replica = l.tensor * l.pipeline * std::max(1, l.context);
    const int per_node = std::max(1, cards() / replica);
    set("tensor", l.tensor);
    set("pipeline", l.pipeline);
    set("pipelined", flag(l.pipeline > 1));
    set("data", l.data);
    set("expert", l.expert);
    set("expert_on", flag(l.expert > 1));
    set("context_parallel", l.context);
    set("context_on", flag(l.context > 1));
    set("sequence_parallel", flag(l.sequence_parallel && l.tensor > 1));
    set("zero", l.zero_stage);
    set("saves", flag(w_.profile.operations.checkpointing.value_or(false)));
    set("zero_on", flag(l.zero_stage > 0));
    set("micro_batch", l.micro_batch);
    set("recompute", flag(l.checkpointing != Checkpointing::none));
    set("recompute_full", flag(l.checkpointing == Checkpointing::full));
    set("replica_cards", std::min(replica, cards()));
    set("replica_nodes", std::max(1, (replica + cards() - 1) / cards()));
    set("spans", flag(replica > cards()));
    set("replicas", std::max(1, l.data));
    set("local_replicas", per_node);
    set("local_many", flag(per_node > 1));
  }

  void serving() {
    const InferenceSpec& i = w_.profile.inference;
    const int input = i.input_tokens.value_or(0);
    const int output = i.output_tokens.value_or(0);
    set("input_tokens", input);
    set("output_tokens", output);
    set("max_context", i.max_context.value_or(input + output));
    set("max_context_known", flag(i.max_context || input + output > 0));
    set("concurrency", std::ceil(i.concurrency.value_or(1)));
    set("prompts", std::ceil(10 * i.concurrency.value_or(1)));
    const std::string_view weights = i.weights.value_or("");
    set("dtype", weights == "bf16" ? "bfloat16" : weights == "fp16" ? "float16" : "");
    set("kv_fp8", flag(i.kv_cache == "fp8"));
    set("utilization", i.gpu_memory_utilization ? fmt::format("{:g}", *i.gpu_memory_utilization) : std::string());
  }

  void training() {
    const TrainingSpec& t = w_.profile.training;
    const int batch = t.global_batch.value_or(r_.layout.micro_batch * std::max(1, r_.layout.data));
    set("global_batch", batch);
    set("accumulation", std::max(1, batch / std::max(1, r_.layout.micro_batch * std::max(1, r_.layout.data))));
    set("sequence", t.sequence_length.value_or(0));
    set("bf16", flag(t.precision == Precision::bf16 || t.precision == Precision::fp8));
    set("fp16", flag(t.precision == Precision::fp16));
  }

  void request() {
    const bool training = w_.kind == TaskKind::llm_training || w_.kind == TaskKind::media_training;
    const bool serves = w_.kind == TaskKind::llm_serving || w_.kind == TaskKind::media_inference;
    set("task", std::string(w_.task->id));
    set("title", std::string(lang_ == Lang::zh ? w_.task->title_zh : w_.task->title_en));
    set("training", flag(training));
    set("serving", flag(serves));
    std::string model;
    if (w_.model != nullptr) {
      model = w_.model->name;
    } else if (w_.profile.model.name) {
      model = *w_.profile.model.name;
    } else if (w_.params > 0) {
      model = base::format_count(w_.params);
    }
    set("model", model);
    set("needs_model", flag(w_.params > 0 || !model.empty()));
  }

  // Machines that work alone on frames or runs: each takes its share of them.
  void shares() {
    const bool frames = w_.kind == TaskKind::rendering;
    const int total = frames ? w_.profile.rendering.frames.value_or(0) : w_.profile.operations.runs.value_or(0);
    const bool runs =
        w_.kind == TaskKind::hpc || w_.kind == TaskKind::llm_training || w_.kind == TaskKind::media_training;
    const bool shared = (frames || runs) && total > 1 && r_.machine.nodes > 1 && r_.machines_together <= 1;
    set("shared", flag(shared));
    set("shares", r_.machine.nodes);
    set("last_share", r_.machine.nodes - 1);
    set("share_unit", frames ? "FRAMES" : "RUNS");
    set("share_total", total);
  }

  const Workload& w_;
  const Recommendation& r_;
  const Knowledge& k_;
  Lang lang_;
  Values v_;
};

std::string_view work_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::llm_training:
    case TaskKind::media_training:
      return "training";
    case TaskKind::llm_serving:
      return "serving";
    case TaskKind::interactive:
      return "notebook";
    default:
      return "job";
  }
}

}  // namespace

Values values_of(const Advice& advice, const Knowledge& knowledge, Lang lang) {
  return Collector(advice, knowledge, lang).run();
}

const EmitLaunch& find_launch(const Advice& advice, const EmitKnowledge& emit) {
  const Workload& w = advice.workload;
  const Recommendation& r = advice.recommendations.front();
  const std::string_view work = work_of(w.kind);
  const std::string_view software =
      work == "training" ? w.profile.training.framework.value_or("") : w.profile.inference.engine.value_or("");
  const bool split = work == "training" && (r.layout.tensor > 1 || r.layout.pipeline > 1);
  const EmitLaunch* other = nullptr;
  const EmitLaunch* splitting = nullptr;
  for (const auto& row : emit.launches) {
    if (row.work != work) continue;
    if (!row.stack.empty() && row.stack != r.machine.accelerator->software_stack) continue;
    if (row.splits_layers && splitting == nullptr) splitting = &row;
    const bool named = std::find(row.software.begin(), row.software.end(), software) != row.software.end();
    if (named && (!split || row.splits_layers)) return row;
    if (row.software.empty()) other = &row;
  }
  // A layout that splits layers needs a trainer that can.
  if (split && splitting != nullptr) return *splitting;
  if (other == nullptr) throw std::logic_error(fmt::format("emit: no launch for {}", work));
  return *other;
}

void add_launch(Values& values, const EmitLaunch& launch, const base::Texts& texts) {
  const Escapes none{plain, plain};
  values["image"] = launch.image;
  const bool several =
      !launch.several.empty() && (!values["spans"].empty() || (launch.work == "training" && !values["many"].empty()));
  values["command"] = render(several ? launch.several : launch.command, values, none, texts);
  values["benchmark"] = render(launch.benchmark, values, none, texts);
  values["own_command"] = flag(launch.work == "job");
  values["notebook"] = flag(launch.work == "notebook");
  values["scripted"] = flag(launch.work == "training");
  // Other engines and jobs run a command of the user's.
  if (values["command"].find("$COMMAND") != std::string::npos) values["own_command"] = "yes";
  values["inputs_needed"] =
      flag(!values["needs_model"].empty() || !values["scripted"].empty() || !values["own_command"].empty() ||
           !values["erdma"].empty() || !values["shared"].empty());
  // A pod or task is one replica where it fits a machine; else each is a whole machine.
  const bool per_replica = !values["serving"].empty() && values["spans"].empty();
  values["pod_cards"] = values[per_replica ? "replica_cards" : "cards"];
  const bool trains = launch.work == "training";
  values["sky_nodes"] = values[!values["serving"].empty()           ? "replica_nodes"
                               : trains && values["shared"].empty() ? "job_nodes"
                                                                    : "nodes"];
  values["ranks"] = flag(several);
}

}  // namespace gpuadvise::emit_detail
