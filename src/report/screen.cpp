#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "catalog/lookup.h"
#include "estimate/pieces.h"
#include "report/catalog.h"
#include "report/cost_text.h"
#include "report/screen.h"

namespace gpuadvise::report {

using base::pad_right;
using base::significant;

void Screen::headline() {
  out_ << bold(work_text());
  if (!w_.assumptions.empty()) out_ << "     " << t_("screen/aside", {{"text", t_("screen/assumed-marked")}});
  out_ << "\n";
}

void Screen::machine_line(const Family* family, const InstanceType* type, const Machine& m) {
  const Accelerator& a = *m.accelerator;
  const std::string count = type != nullptr && type->slice
                                ? card_text(k_.catalog, *type, t_)
                                : fmt::format("{:g} x {}", m.accelerators_per_node, short_name(a));
  std::string link;
  if (m.accelerators_per_node > 1) {
    link = m.link == LinkKind::nvlink ? fmt::format(", NVLink {:g} GB/s", m.link_gb_per_s)
           : m.link == LinkKind::hccs ? std::string(", HCCS")
                                      : std::string(", PCIe");
  }
  if (type != nullptr) {
    out_ << "  " << bold(fmt::format("{} x {}", m.nodes, type->name)) << "    " << vendor(family->vendor)
         << (family->platform.empty() ? "" : fmt::format(" ({})", family->platform)) << "    " << count << link << '\n';
  } else {
    out_ << "  " << bold(fmt::format("{} x {}{}", m.nodes, count, link)) << '\n';
  }
}

std::string_view Screen::data_word() const {
  switch (w_.kind) {
    case TaskKind::llm_training:
    case TaskKind::media_training:
      return "layout/data";
    case TaskKind::streaming:
    case TaskKind::transcoding:
      return "layout/cards-apart";
    case TaskKind::rendering:
    case TaskKind::hpc:
      return independent_pieces(w_) ? "layout/cards-apart" : "layout/cards-together";
    default:
      return "layout/replicas";
  }
}

void Screen::layout_line(const Layout& l, const Machine& m, int together) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : t_("screen/comma")) + part; };
  const auto n = [](int v) { return fmt::format("{}", v); };
  const bool training = w_.kind == TaskKind::llm_training || w_.kind == TaskKind::media_training;
  if (l.tensor > 1) add(t_("layout/tensor", {{"n", n(l.tensor)}}));
  if (l.pipeline > 1) add(t_("layout/pipeline", {{"n", n(l.pipeline)}}));
  if (l.context > 1) add(t_("layout/context", {{"n", n(l.context)}}));
  if (l.expert > 1) add(t_("layout/expert", {{"n", n(l.expert)}}));
  if (l.data > 1) add(t_(data_word(), {{"n", n(l.data)}}));
  if (text.empty()) add(t_("layout/one-card"));
  if (training) {
    if (l.zero_stage > 0) add(fmt::format("ZeRO-{}", l.zero_stage));
    add(t_("layout/micro-batch", {{"n", n(l.micro_batch)}}));
    if (w_.kind == TaskKind::llm_training) {
      add(t_(
          "layout/checkpointing",
          {{"degree", t_(fmt::format("checkpointing/{}",
                                     gpuadvise::names(Checkpointing{})[static_cast<std::size_t>(l.checkpointing)]))}}));
    }
  }
  if (together > 1) {
    add(m.inter_node_gbps <= 0 ? t_("layout/network-unknown")
        : m.rdma               ? t_("layout/rdma", {{"gbps", fmt::format("{:g}", m.inter_node_gbps)}})
                               : t_("layout/tcp", {{"gbps", fmt::format("{:g}", m.inter_node_gbps)}}));
  }
  row("screen/layout", text);
}

std::string Screen::memory_bound(const MemoryEstimate& m) const {
  if (m.at_least <= 0) return t_("unknown");
  return (m.cannot_fit() ? t_("screen/does-not-fit") + "  " : "") +
         t_("screen/at-least",
            {{"least", fmt::format("{:.1f}", m.at_least)}, {"limit", fmt::format("{:.1f}", m.capacity_gib)}});
}

void Screen::must_have(const MemoryEstimate& m) {
  row({}, t_("screen/must-have", {{"needed", fmt::format("{:.1f}", m.required)},
                                  {"limit", fmt::format("{:.1f}", std::min(m.limit_gib, m.capacity_gib))}}));
}

void Screen::memory_line(const MemoryEstimate& m, const Machine& machine) {
  if (!m.known) {
    row("screen/memory", memory_bound(m) + (m.why.empty() || !t_.has(m.why) ? "" : t_("screen/colon") + t_(m.why)));
    return;
  }
  constexpr int kBar = 40;
  const double share = machine.memory_gib > 0 ? std::clamp(m.device / machine.memory_gib, 0.0, 1.0) : 0;
  const int filled = static_cast<int>(std::lround(share * kBar));
  std::vector<std::pair<double, const char*>> items = {
      {m.weights, "memory/weights"},     {m.gradients, "memory/gradients"},
      {m.optimizer, "memory/optimizer"}, {m.activations, "memory/activations"},
      {m.logits, "memory/logits"},       {m.kv_cache, "memory/kv-cache"},
      {m.adapters, "memory/adapters"},   {m.communication, "memory/communication"},
      {m.runtime, "memory/runtime"},     {m.scene, w_.kind == TaskKind::hpc ? "memory/problem" : "memory/scene"}};
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string detail;
  for (std::size_t i = 0; i < 3 && items[i].first >= 0.05; ++i) {
    detail += fmt::format("{}{} {:.1f}", detail.empty() ? "" : t_("screen/comma"), t_(items[i].second), items[i].first);
  }
  out_ << "  " << label("screen/memory") << '[' << std::string(static_cast<std::size_t>(filled), '#')
       << std::string(static_cast<std::size_t>(kBar - filled), '.') << "]  "
       << t_("screen/of-per-card",
             {{"used", fmt::format("{:.1f}", m.device)}, {"limit", fmt::format("{:.1f}", machine.memory_gib)}})
       << (m.fits ? "" : "  " + t_("screen/does-not-fit")) << '\n';
  if (!m.fits && m.device <= std::min(m.limit_gib, m.capacity_gib)) must_have(m);
  std::string tail = detail;
  if (!machine.usable_memory_known) tail += (tail.empty() ? "" : t_("screen/semicolon")) + t_("screen/usable-assumed");
  if (!tail.empty()) out_ << "  " << pad_right("", kLabel - 1) << t_("screen/aside", {{"text", tail}}) << '\n';
}

std::string Screen::band(double low, double high) const {
  if (low == 0 && high == 0) return {};
  return fmt::format(" ({:+.0f}/{:+.0f} %)", low, high);
}

void Screen::speed_line(const SpeedEstimate& s, const std::optional<double>& hours) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "    ") + part; };
  if (s.output_tokens_per_second && w_.kind != TaskKind::llm_training) {
    add(t_("speed/output-tokens", {{"rate", significant(*s.output_tokens_per_second)}}) +
        band(s.band_low_percent, s.band_high_percent));
    if (s.ttft_ms) add(fmt::format("TTFT {} ms", significant(*s.ttft_ms)));
    if (s.tpot_ms) add(fmt::format("TPOT {} ms", significant(*s.tpot_ms)));
    if (load_is_open() && s.requests_per_second && s.latency_ms) {
      add(t_("speed/within-targets", {{"rate", significant(*s.requests_per_second)},
                                      {"n", significant(*s.requests_per_second * *s.latency_ms / 1e3)}}));
    }
  } else if (s.tokens_per_second) {
    add(t_("speed/tokens", {{"rate", significant(*s.tokens_per_second)}}) +
        band(s.band_low_percent, s.band_high_percent));
    if (s.samples_per_second && w_.kind == TaskKind::llm_training) {
      add(t_("speed/samples", {{"rate", significant(*s.samples_per_second)}}));
    }
    if (s.mfu_percent) add(fmt::format("MFU {:.0f} %", *s.mfu_percent));
  } else if (s.samples_per_second && w_.kind != TaskKind::hpc) {
    add(samples_text(*s.samples_per_second) + band(s.band_low_percent, s.band_high_percent));
  } else if (s.value) {
    add(fmt::format("{} {}", significant(*s.value), s.unit) + band(s.band_low_percent, s.band_high_percent));
  }
  if (s.relative) add(t_("speed/relative", {{"times", significant(*s.relative, 2)}, {"card", reference_card()}}));
  if (hours) {
    add(t_("speed/finish", {{"work", work_amount()}, {"time", duration(*hours)}}));
  }
  if (text.empty()) text = t_("unknown") + (s.why.empty() || !t_.has(s.why) ? "" : t_("screen/colon") + t_(s.why));
  row("screen/speed", text);
}

bool Screen::load_is_open() const {
  const InferenceSpec& i = w_.profile.inference;
  return w_.kind == TaskKind::llm_serving && i.slo && !i.concurrency && !i.requests_per_second &&
         i.mode.value_or(ServingMode::online) == ServingMode::online;
}

std::string Screen::samples_text(double rate) const {
  const CostUnit unit = w_.task == nullptr ? CostUnit::none : w_.task->cost_unit;
  const bool still = w_.profile.inference.frames.value_or(1) <= 1;
  const double audio = w_.profile.inference.audio_seconds.value_or(0);
  if (unit == CostUnit::audio_hour && audio > 0) {
    return t_("speed/real-time", {{"times", significant(rate * audio)}});
  }
  if (unit == CostUnit::image && rate < 1) {
    return t_(still ? "speed/seconds-per-image" : "speed/seconds-per-clip", {{"seconds", significant(1 / rate)}});
  }
  if (unit == CostUnit::image && still) return t_("speed/images", {{"rate", significant(rate)}});
  if (unit == CostUnit::passage) return t_("speed/passages", {{"rate", significant(rate)}});
  if (unit == CostUnit::frame) return t_("speed/frames", {{"rate", significant(rate * 3600)}});
  return t_("speed/samples", {{"rate", significant(rate)}});
}

void Screen::step_line(const SpeedEstimate& s) {
  const StepTerms& t = s.terms;
  std::vector<std::pair<double, const char*>> terms = {
      {t.compute, "step/compute"},    {t.attention, "step/attention"},      {t.memory_traffic, "step/memory"},
      {t.tensor_comm, "step/tensor"}, {t.pipeline_bubble, "step/pipeline"}, {t.data_comm, "step/data"},
      {t.expert_comm, "step/expert"}, {t.context_comm, "step/context"},     {t.optimizer, "step/optimizer"},
      {t.host, "step/host"},          {t.data_loading, "step/data-loading"}};
  double all = 0;
  for (const auto& [seconds, id] : terms) all += seconds;
  if (all <= 0 || !s.step_seconds) return;
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text = t_("step/seconds", {{"seconds", significant(*s.step_seconds)}});
  constexpr double kWorthSaying = 0.001;
  for (const auto& [seconds, id] : terms) {
    if (seconds / all < kWorthSaying) break;
    text += t_("screen/comma") + fmt::format("{} {} %", t_(id), significant(100 * seconds / all, 2));
  }
  row("screen/step", text);
}

std::string Screen::reference_card() const {
  const Accelerator* card = find_accelerator(k_.catalog, w_.task->reference_card);
  return std::string(card == nullptr ? w_.task->reference_card : short_name(*card));
}

std::string Screen::work_amount() const {
  const DataSpec& d = w_.profile.data;
  const double epochs = d.epochs.value_or(1);
  if (w_.kind == TaskKind::llm_training && d.dataset_tokens) {
    return t_("work/tokens",
              {{"count", base::format_count(*d.dataset_tokens * epochs * w_.profile.operations.runs.value_or(1))}});
  }
  const double runs = w_.profile.operations.runs.value_or(1);
  if (w_.kind == TaskKind::rendering) {
    return t_("work/frames", {{"count", base::group_thousands(w_.profile.rendering.frames.value_or(0))}});
  }
  if (w_.kind == TaskKind::hpc) return t_("work/runs", {{"count", base::group_thousands(runs)}});
  return t_("work/samples", {{"count", base::format_count(d.dataset_samples.value_or(0) * epochs * runs)}});
}

std::string Screen::duration(double hours) const {
  if (hours < 1) return t_("time/minutes", {{"n", significant(hours * 60, 2)}});
  if (hours < 72) return t_("time/hours", {{"n", significant(hours, 3)}});
  return t_("time/days", {{"n", significant(hours / 24, 3)}});
}

void Screen::cost_line(const CostEstimate& c) {
  row("screen/cost", cost_amounts(c, t_));
  for (const auto& line : cost_basis(c, t_)) row("", line);
}

void Screen::bullet(const Note& note, std::string_view mark) {
  const std::string text =
      note.text + (note.remedy.empty() || mark == "- " ? "" : t_("screen/semicolon") + note.remedy);
  const std::size_t width = o_.width > 40 ? o_.width - 6 : 34;
  // The user's own rules say where they come from.
  const std::string rule =
      note.origin.empty() ? std::string(note.rule) : fmt::format("{} < {}", note.rule, base::printable(note.origin));
  const auto lines = base::wrap(text, width - std::min<std::size_t>(width / 3, base::display_width(rule) + 4));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = "   " + std::string(i == 0 ? mark : "  ") + lines[i];
    if (i + 1 == lines.size()) {
      const std::size_t used = base::display_width(line) + base::display_width(rule) + 2;
      line += std::string(used < o_.width ? o_.width - used : 2, ' ') + faint(rule);
    }
    out_ << line << '\n';
  }
  if (o_.explain && !note.seen.empty()) out_ << "       " << faint(note.seen) << '\n';
}

std::string Screen::work_text() const {
  const std::string task(t_.lang() == Lang::zh ? w_.task->title_zh : w_.task->title_en);
  std::string text = task;
  const auto add = [&](const std::string& part) { text += t_("screen/comma") + part; };
  if (w_.model != nullptr) {
    text += t_("screen/colon") + std::string(w_.model->name);
  } else if (w_.profile.model.name) {
    text += t_("screen/colon") + base::printable(*w_.profile.model.name);
  } else if (w_.params > 0) {
    text += t_("screen/colon") + base::format_count(w_.params);
  }
  const auto n = [](double v) { return base::group_thousands(v); };
  if (w_.kind == TaskKind::llm_training || w_.kind == TaskKind::media_training) {
    const TrainingSpec& t = w_.profile.training;
    if (t.method) {
      std::string method =
          t_(fmt::format("method/{}", gpuadvise::names(Method{})[static_cast<std::size_t>(*t.method)]));
      if (t.lora_rank && (*t.method == Method::lora || *t.method == Method::qlora))
        method += fmt::format(" r{}", *t.lora_rank);
      add(method);
    }
    if (t.precision) add(std::string(gpuadvise::names(Precision{})[static_cast<std::size_t>(*t.precision)]));
    if (t.sequence_length && w_.kind == TaskKind::llm_training)
      add(t_("work/sequence", {{"n", n(*t.sequence_length)}}));
    if (t.global_batch) add(t_("work/batch", {{"n", n(*t.global_batch)}}));
  } else if (w_.kind == TaskKind::llm_serving || w_.kind == TaskKind::interactive) {
    const InferenceSpec& s = w_.profile.inference;
    if (s.weights) add(std::string(*s.weights));
    if (s.input_tokens && s.output_tokens) {
      add(t_("work/in-out", {{"in", n(*s.input_tokens)}, {"out", n(*s.output_tokens)}}));
    }
    if (s.concurrency) add(t_("work/concurrency", {{"n", significant(*s.concurrency)}}));
  } else if (w_.kind == TaskKind::media_inference) {
    const InferenceSpec& s = w_.profile.inference;
    if (s.weights) add(std::string(*s.weights));
    if (s.resolution) add(base::printable(*s.resolution));
    if (s.steps) add(t_("work/steps", {{"n", n(*s.steps)}}));
    if (s.concurrency) add(t_("work/batch", {{"n", significant(*s.concurrency)}}));
  } else if (w_.kind == TaskKind::hpc) {
    if (w_.profile.hpc.app) add(base::printable(*w_.profile.hpc.app));
    if (w_.profile.hpc.precision)
      add(std::string(gpuadvise::names(Precision{})[static_cast<std::size_t>(*w_.profile.hpc.precision)]));
  } else if (w_.profile.rendering.app) {
    add(base::printable(*w_.profile.rendering.app));
  }
  return text;
}

std::string Screen::vendor(std::string_view id) const {
  const Vendor* v = find_vendor(k_.catalog, id);
  return std::string(v == nullptr ? id : v->name.in(t_.lang()));
}

void Screen::row(std::string_view id, const std::string& text) {
  const auto lines = base::wrap(text, o_.width > kLabel + 24 ? o_.width - kLabel - 2 : 24);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out_ << "  " << (i == 0 ? label(id) : pad_right("", kLabel)) << lines[i] << '\n';
  }
}

void Screen::paragraph(const std::string& text, std::string_view indent) {
  const auto lines = base::wrap(text, o_.width - indent.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out_ << (i == 0 ? std::string(indent) : std::string(indent.size(), ' ')) << lines[i] << '\n';
  }
}

}  // namespace gpuadvise::report
