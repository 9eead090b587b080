#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "advisor/layouts.h"
#include "advisor/notes.h"
#include "advisor/score.h"
#include "base/text.h"

namespace gpuadvise {

namespace {

using base::significant;

std::optional<double> time_of(const Recommendation& r, const Workload& w) {
  if (r.hours_to_finish) return r.hours_to_finish;
  const double rate = merit(w, r.estimate.speed, Objective::balanced);
  return rate > 0 ? std::optional(1 / rate) : std::nullopt;
}

// The figure that the ranking compared.
std::optional<double> cost_of(const Recommendation& r) {
  for (const auto& term : r.criteria) {
    if (term.criterion == "cost") return term.value;
  }
  return std::nullopt;
}

class Reasons {
 public:
  Reasons(const Advice& advice, const base::Texts& texts)
      : advice_(advice), texts_(texts), pick_(advice.recommendations.front()) {}

  std::vector<Note> run() {
    memory();
    load();
    precision();
    network();
    work_engine();
    cost();
    only_choice();
    constexpr std::size_t kMost = 5;
    if (out_.size() > kMost) out_.resize(kMost);
    return std::move(out_);
  }

 private:
  void add(std::string_view rule, std::string_view message, const NoteValues& values) {
    out_.push_back(make_note(texts_, rule, message, values));
  }

  void memory() {
    const MemoryEstimate& m = pick_.estimate.memory;
    if (!m.known) return;
    // The largest card that is too small in the same number: it shows what the memory is needed for.
    const Rejection* largest = nullptr;
    double largest_gib = 0;
    for (const auto& r : advice_.rejected) {
      if (r.missing_gib <= 0 || !r.type->accelerator_memory_gib) continue;
      if (r.type->accelerators != pick_.machine.accelerators_per_node) continue;
      const double gib = *r.type->accelerator_memory_gib;
      if (gib > largest_gib && gib < m.capacity_gib) largest = &r, largest_gib = gib;
    }
    const std::string spare = significant(m.headroom_gib);
    // Small slices and old cards show nothing: the contrast is worth a word from half of what is needed.
    if (largest == nullptr || largest_gib < 0.5 * m.device) {
      add("memory/fit", "reason/fits", {{"spare", spare}});
    } else {
      add("memory/fit", "reason/fits-smaller-not",
          {{"spare", spare},
           {"smaller", fmt::format("{:g}", largest_gib)},
           {"more", significant(largest->missing_gib, 2)}});
    }
  }

  void load() {
    if (!pick_.fleet || !pick_.fleet->peak) return;
    add("serving/replicas", "reason/replicas",
        {{"peak", fmt::format("{}", *pick_.fleet->peak)},
         {"rps", significant(advice_.workload.profile.inference.requests_per_second.value_or(0))},
         {"each", significant(pick_.fleet->replica.requests_per_second)}});
    if (pick_.fleet->off_peak) {
      add("serving/autoscale", "reason/off-peak", {{"off_peak", fmt::format("{}", *pick_.fleet->off_peak)}});
    }
  }

  void precision() {
    const Accelerator& a = *pick_.machine.accelerator;
    if (advice_.workload.kind != TaskKind::llm_training && advice_.workload.kind != TaskKind::media_training) return;
    if (advice_.workload.profile.training.precision == Precision::bf16 && a.peak.bf16) {
      add("numbers/bf16-native", "reason/bf16-native", {{"tflops", fmt::format("{:g}", *a.peak.bf16)}});
    }
  }

  void network() {
    const double cards = pick_.machine.accelerators_per_node * pick_.machine.nodes;
    if (cards <= 1) {
      if (advice_.workload.kind == TaskKind::llm_training) add("network/one-card", "reason/one-card", {});
      return;
    }
    const std::string percent = fmt::format("{:.0f}", 100 * communication_share(pick_.estimate.speed));
    constexpr double kIdle = 0.03;
    if (pick_.machine.nodes > 1) {
      add("network/between-machines", pick_.machine.rdma ? "reason/rdma" : "reason/tcp",
          {{"gbps", fmt::format("{:g}", pick_.machine.inter_node_gbps)}, {"percent", percent}});
    } else if (pick_.machine.link == LinkKind::pcie) {
      add("network/light-traffic", "reason/pcie-enough", {{"percent", percent}});
    } else {
      const bool idle = communication_share(pick_.estimate.speed) < kIdle;
      add("network/fast-link", idle ? "reason/fast-link-idle" : "reason/fast-link",
          {{"link", pick_.machine.link == LinkKind::hccs ? "HCCS" : "NVLink"},
           {"rate", fmt::format("{:g}", pick_.machine.link_gb_per_s)},
           {"percent", percent}});
    }
  }

  void work_engine() {
    const Accelerator& a = *pick_.machine.accelerator;
    switch (advice_.workload.kind) {
      case TaskKind::rendering:
        if (a.rt_core_count.value_or(0) > 0) {
          add("graphics/rt-cores", "reason/rt-cores", {{"count", fmt::format("{}", *a.rt_core_count)}});
        }
        break;
      case TaskKind::streaming:
      case TaskKind::transcoding:
        if (a.nvenc_count.value_or(0) > 0) {
          add("graphics/encoders", "reason/encoders", {{"count", fmt::format("{}", *a.nvenc_count)}});
        }
        break;
      case TaskKind::hpc: {
        const double fp64 = std::max(a.peak.fp64.value_or(0), a.peak.fp64_tensor.value_or(0));
        if (fp64 > 0 && a.memory_bandwidth_gb_per_s) {
          add("hpc/fp64", "reason/fp64",
              {{"tflops", significant(fp64)}, {"bandwidth", base::group_thousands(*a.memory_bandwidth_gb_per_s)}});
        }
        break;
      }
      case TaskKind::llm_serving:
      case TaskKind::interactive:
        if (a.memory_bandwidth_gb_per_s) {
          add("serving/bandwidth", "reason/bandwidth",
              {{"bandwidth", base::group_thousands(*a.memory_bandwidth_gb_per_s)}});
        }
        break;
      case TaskKind::llm_training:
      case TaskKind::media_training:
      case TaskKind::media_inference:
        break;
    }
  }

  void cost() {
    const auto mine = cost_of(pick_);
    const auto my_time = time_of(pick_, advice_.workload);
    const std::string count = fmt::format("{}", advice_.recommendations.size());
    if (!mine) {
      add("money/no-price", "reason/no-price", {});
      return;
    }
    std::size_t cheaper = 0;
    std::size_t priced = 0;
    const Recommendation* fastest = &pick_;
    for (const auto& r : advice_.recommendations) {
      const auto cost = cost_of(r);
      if (!cost) continue;
      ++priced;
      if (*cost < *mine * 0.999) ++cheaper;
      const auto time = time_of(r, advice_.workload);
      const auto best = time_of(*fastest, advice_.workload);
      if (time && best && *time < *best) fastest = &r;
    }
    const std::string of = fmt::format("{}", priced);
    const auto their_time = time_of(*fastest, advice_.workload);
    const auto theirs = cost_of(*fastest);
    if (cheaper == 0 && fastest != &pick_ && my_time && their_time && theirs) {
      add("money/cheapest", "reason/cheapest-against-fastest",
          {{"count", of},
           {"faster", significant(*my_time / *their_time, 2)},
           {"dearer", significant(*theirs / *mine, 2)}});
    } else if (cheaper == 0) {
      add("money/cheapest", "reason/cheapest", {{"count", of}});
    } else {
      add("money/rank", "reason/cost-rank", {{"rank", fmt::format("{}", cheaper + 1)}, {"count", of}});
    }
  }

  void only_choice() {
    if (advice_.recommendations.size() == 1) add("search/only", "reason/only-one", {});
  }

  const Advice& advice_;
  const base::Texts& texts_;
  const Recommendation& pick_;
  std::vector<Note> out_;
};

}  // namespace

Note make_note(const base::Texts& texts, std::string_view rule, std::string_view message, const NoteValues& values) {
  std::vector<std::pair<std::string_view, std::string_view>> args(values.begin(), values.end());
  return {rule, Severity::note, base::fill(texts.raw(message), args), {}, {}};
}

std::vector<Note> pick_reasons(const Advice& advice, const base::Texts& texts) { return Reasons(advice, texts).run(); }

}  // namespace gpuadvise
