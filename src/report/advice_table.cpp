#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "gpuadvise/emit.h"

#include "advisor/layouts.h"
#include "base/text.h"
#include "base/translate.h"
#include "catalog/catalog_fields.h"
#include "catalog/lookup.h"
#include "estimate/pieces.h"
#include "estimate/price_choice.h"
#include "report/advice.h"
#include "report/catalog.h"
#include "report/cost_text.h"
#include "report/estimate_json.h"

namespace gpuadvise::report {

namespace {

using base::pad_left;
using base::pad_right;
using base::significant;

class Screen {
 public:
  Screen(std::ostream& out, const Workload& workload, const Knowledge& knowledge, const base::Texts& texts,
         const TableOptions& options)
      : out_(out), w_(workload), k_(knowledge), t_(texts), o_(options) {}

  void headline() {
    out_ << bold(work_text());
    if (!w_.assumptions.empty()) out_ << "     " << t_("screen/aside", {{"text", t_("screen/assumed-marked")}});
    out_ << "\n";
  }

  void advice(const Advice& a) {
    names(a);
    headline();
    out_ << '\n';
    if (a.recommendations.empty()) {
      nothing_fits(a);
      counts(a);
      return;
    }
    pick(a.recommendations.front());
    why(a.recommendations.front());
    check_first(a);
    others(a);
    roles(a);
    ties(a);
    miss(a);
    out_ << '\n';
    counts(a);
    if (o_.explain) explain(a);
  }

  void names(const Advice& a) {
    for (const auto& name : a.resolved_names) {
      std::string searched;
      for (const Family* f : name.searched) {
        searched += (searched.empty() ? "" : t_("screen/comma")) + std::string(f->name);
      }
      if (!name.documented) {
        paragraph(t_("screen/name-not-documented", {{"name", base::printable(name.name)}, {"searched", searched}}),
                  "! ");
        if (name.note != nullptr) paragraph(std::string(name.note->truth.in(t_.lang())), "  ");
      } else {
        for (const Family* f : name.searched) {
          if (!f->caveat.empty())
            paragraph(fmt::format("{}{}{}", f->name, t_("screen/colon"), f->caveat.in(t_.lang())), "! ");
        }
        if (name.note != nullptr) paragraph(std::string(name.note->truth.in(t_.lang())), "  ");
      }
    }
    if (!a.resolved_names.empty()) out_ << '\n';
  }

  void machine_line(const Family* family, const InstanceType* type, const Machine& m) {
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
           << (family->platform.empty() ? "" : fmt::format(" ({})", family->platform)) << "    " << count << link
           << '\n';
    } else {
      out_ << "  " << bold(fmt::format("{} x {}{}", m.nodes, count, link)) << '\n';
    }
  }

  // What the cards are to each other where the work is on several of them.
  std::string_view data_word() const {
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

  void layout_line(const Layout& l, const Machine& m, int together) {
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
        add(t_("layout/checkpointing",
               {{"degree",
                 t_(fmt::format("checkpointing/{}",
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

  // What there is to say of memory that is not known.
  std::string memory_bound(const MemoryEstimate& m) const {
    if (m.at_least <= 0) return t_("unknown");
    return (m.cannot_fit() ? t_("screen/does-not-fit") + "  " : "") +
           t_("screen/at-least",
              {{"least", fmt::format("{:.1f}", m.at_least)}, {"limit", fmt::format("{:.1f}", m.capacity_gib)}});
  }

  // What decides where it is not what is on the card.
  void must_have(const MemoryEstimate& m) {
    row({}, t_("screen/must-have", {{"needed", fmt::format("{:.1f}", m.required)},
                                    {"limit", fmt::format("{:.1f}", std::min(m.limit_gib, m.capacity_gib))}}));
  }

  void memory_line(const MemoryEstimate& m, const Machine& machine) {
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
      detail +=
          fmt::format("{}{} {:.1f}", detail.empty() ? "" : t_("screen/comma"), t_(items[i].second), items[i].first);
    }
    out_ << "  " << label("screen/memory") << '[' << std::string(static_cast<std::size_t>(filled), '#')
         << std::string(static_cast<std::size_t>(kBar - filled), '.') << "]  "
         << t_("screen/of-per-card",
               {{"used", fmt::format("{:.1f}", m.device)}, {"limit", fmt::format("{:.1f}", machine.memory_gib)}})
         << (m.fits ? "" : "  " + t_("screen/does-not-fit")) << '\n';
    if (!m.fits && m.device <= std::min(m.limit_gib, m.capacity_gib)) must_have(m);
    std::string tail = detail;
    if (!machine.usable_memory_known)
      tail += (tail.empty() ? "" : t_("screen/semicolon")) + t_("screen/usable-assumed");
    if (!tail.empty()) out_ << "  " << pad_right("", kLabel - 1) << t_("screen/aside", {{"text", tail}}) << '\n';
  }

  void solution(const ProfileSolution& s) {
    const Solution& found = s.solution;
    const std::string name(solve_names()[static_cast<std::size_t>(s.what)]);
    const std::string unit = t_(fmt::format("solve/unit-{}", name));
    std::string text = !found.memory.known ? t_("unknown")
                       : !found.value      ? t_("solve/nothing")
                                           : base::group_thousands(static_cast<double>(*found.value)) + " " + unit;
    if (found.value && !found.bounded) text += t_("screen/semicolon") + t_("solve/unbounded");
    if (found.value && found.beyond) {
      const MemoryEstimate& m = found.beyond_memory;
      text += t_("screen/semicolon") +
              t_("solve/beyond", {{"value", base::group_thousands(static_cast<double>(*found.beyond))},
                                  {"needed", fmt::format("{:.2f}", m.required)},
                                  {"limit", fmt::format("{:.2f}", std::min(m.limit_gib, m.capacity_gib))}});
    }
    out_ << bold(t_("solve/" + name)) << t_("screen/colon") << text << '\n';
  }

  std::string band(double low, double high) const {
    if (low == 0 && high == 0) return {};
    return fmt::format(" ({:+.0f}/{:+.0f} %)", low, high);
  }

  void speed_line(const SpeedEstimate& s, const std::optional<double>& hours) {
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

  // A latency target without a load: the speed is that of the largest load within it.
  bool load_is_open() const {
    const InferenceSpec& i = w_.profile.inference;
    return w_.kind == TaskKind::llm_serving && i.slo && !i.concurrency && !i.requests_per_second &&
           i.mode.value_or(ServingMode::online) == ServingMode::online;
  }

  // What is made or read, in the unit that people count it in.
  std::string samples_text(double rate) const {
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

  // Where the time of a step goes, largest first; --explain only.
  void step_line(const SpeedEstimate& s) {
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

  std::string reference_card() const {
    const Accelerator* card = find_accelerator(k_.catalog, w_.task->reference_card);
    return std::string(card == nullptr ? w_.task->reference_card : short_name(*card));
  }

  std::string work_amount() const {
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

  std::string duration(double hours) const {
    if (hours < 1) return t_("time/minutes", {{"n", significant(hours * 60, 2)}});
    if (hours < 72) return t_("time/hours", {{"n", significant(hours, 3)}});
    return t_("time/days", {{"n", significant(hours / 24, 3)}});
  }

  void cost_line(const CostEstimate& c) {
    row("screen/cost", cost_amounts(c, t_));
    for (const auto& line : cost_basis(c, t_)) row("", line);
  }

  void pick(const Recommendation& r) {
    machine_line(r.family, r.type, r.machine);
    layout_line(r.layout, r.machine, r.machines_together);
    if (r.runs_at_once > 1) row("", t_("layout/runs-at-once", {{"n", fmt::format("{}", r.runs_at_once)}}));
    memory_line(r.estimate.memory, r.machine);
    speed_line(r.estimate.speed, r.hours_to_finish);
    if (o_.explain) step_line(r.estimate.speed);
    cost_line(r.estimate.cost);
    out_ << '\n';
  }

  void why(const Recommendation& r) {
    out_ << "  " << bold(t_("screen/why")) << '\n';
    for (const auto& note : r.reasons) bullet(note);
    // Warnings on the first screen are few: the rest is for --explain.
    constexpr std::size_t kMost = 4;
    for (std::size_t i = 0; i < r.warnings.size() && (o_.explain || i < kMost); ++i) bullet(r.warnings[i], "! ");
  }

  void bullet(const Note& note, std::string_view mark = "- ") {
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

  void check_first(const Advice& a) {
    const auto steps = verify_steps(a, k_, t_.lang());
    if (steps.empty()) return;
    out_ << "  " << t_("screen/check-first") << '\n';
    for (const auto& step : steps) paragraph("- " + step.says + ": " + step.command, "   ");
  }

  std::string speed_cell(const Recommendation& r) const {
    const SpeedEstimate& s = r.estimate.speed;
    if (w_.kind == TaskKind::llm_training && s.tokens_per_second) return significant(*s.tokens_per_second);
    if (s.output_tokens_per_second) return significant(*s.output_tokens_per_second);
    const bool relative = speed_header() == t_("column/relative");
    if (s.samples_per_second && !relative) return significant(*s.samples_per_second);
    if (s.relative) return fmt::format("{} x", significant(*s.relative, 2));
    return "-";
  }

  std::string speed_header() const {
    switch (w_.kind) {
      case TaskKind::llm_training:
      case TaskKind::llm_serving:
      case TaskKind::interactive:
        return t_("column/tokens");
      case TaskKind::media_training:
      case TaskKind::media_inference:
        return t_("column/samples");
      default:
        return t_("column/relative");
    }
  }

  static std::optional<double> cost_value(const Recommendation& r) {
    const CostEstimate& c = r.estimate.cost;
    return c.to_finish ? c.to_finish : c.per_hour;
  }

  static std::string cost_cell(const Recommendation& r) {
    const auto cost = cost_value(r);
    if (!cost) return "-";
    return fmt::format("{}{}{}", r.estimate.cost.per_hour_low ? "<= " : "",
                       *cost >= 100 ? base::group_thousands(*cost) : significant(*cost),
                       is_doubtful(r.estimate.cost) ? " *" : "");
  }

  static std::optional<double> rate(const Recommendation& r) {
    const SpeedEstimate& s = r.estimate.speed;
    for (const auto& v : {s.tokens_per_second, s.output_tokens_per_second, s.samples_per_second, s.relative}) {
      if (v) return v;
    }
    return std::nullopt;
  }

  std::string trade(const Recommendation& r, const Recommendation& best) const {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : t_("screen/comma")) + part; };
    const auto mine = cost_value(r);
    const auto theirs = cost_value(best);
    const auto my_rate = rate(r);
    const auto their_rate = rate(best);
    if (my_rate && their_rate && *their_rate > 0) {
      const double times = *my_rate / *their_rate;
      if (times > 1.05) add(t_("trade/faster", {{"n", significant(times, 2)}}));
      if (times < 0.95) add(t_("trade/slower", {{"n", significant(1 / times, 2)}}));
    }
    if (!mine) {
      add(no_amount(r.estimate.cost, t_));
    } else if (theirs && *theirs > 0) {
      const double times = *mine / *theirs;
      if (times > 1.05) add(t_("trade/dearer", {{"n", significant(times, 2)}}));
      if (times < 0.95) add(t_("trade/cheaper", {{"n", significant(1 / times, 2)}}));
    }
    const double cards = r.machine.accelerators_per_node * r.machine.nodes;
    const double best_cards = best.machine.accelerators_per_node * best.machine.nodes;
    if (cards <= 1 && best_cards > 1) add(t_("trade/one-card"));
    const Status status = status_of(*r.family, *r.type);
    if (status != Status::current) {
      add(t_(fmt::format("status/{}", gpuadvise::names(Status{})[static_cast<std::size_t>(status)])));
    }
    if (text.empty()) add(t_("trade/much-the-same"));
    return text;
  }

  void others(const Advice& a) {
    // One line a family: the sizes of one family trade the same things.
    std::vector<const Recommendation*> rows;
    std::vector<const Family*> seen = {a.recommendations.front().family};
    for (std::size_t i = 1; i < a.recommendations.size() && rows.size() + 1 < o_.top; ++i) {
      const Recommendation& r = a.recommendations[i];
      if (std::find(seen.begin(), seen.end(), r.family) != seen.end()) continue;
      seen.push_back(r.family);
      rows.push_back(&r);
    }
    if (rows.empty()) return;
    const std::string cost_header =
        t_(cost_value(a.recommendations.front()) && a.recommendations.front().estimate.cost.to_finish
               ? "column/cost-to-finish"
               : "column/cost-per-hour",
           {{"currency", std::string(currency_of(w_, k_.catalog))}});
    std::size_t type_width = 0;
    std::size_t card_width = base::display_width(t_("column/cards"));
    const auto type_text = [](const Recommendation& r) {
      return fmt::format("{} x {}", r.machine.nodes, r.type->name);
    };
    const auto cards_text = [&](const Recommendation& r) {
      return r.type->slice ? card_text(k_.catalog, *r.type, t_)
                           : fmt::format("{:g} x {}", r.machine.accelerators_per_node * r.machine.nodes,
                                         short_name(*r.machine.accelerator));
    };
    for (const auto* r : rows) {
      type_width = std::max(type_width, type_text(*r).size());
      card_width = std::max(card_width, base::display_width(cards_text(*r)));
    }
    card_width = std::min<std::size_t>(card_width, 40);
    out_ << '\n'
         << "  " << bold(pad_right(t_("screen/others"), type_width + 4)) << ' '
         << pad_right(t_("column/cards"), card_width + 1) << pad_left(speed_header(), 11) << pad_left(cost_header, 15)
         << "  " << t_("column/trade") << '\n';
    std::size_t rank = 1;
    for (const auto* r : rows) {
      out_ << "  " << pad_left(fmt::format("{}", ++rank), 2) << (r->pareto ? "^ " : "  ")
           << pad_right(type_text(*r), type_width) << ' ' << pad_right(cards_text(*r), card_width + 1)
           << pad_left(speed_cell(*r), 11) << pad_left(cost_cell(*r), 15) << "  "
           << trade(*r, a.recommendations.front()) << '\n';
    }
    const bool marked = std::any_of(rows.begin(), rows.end(), [](const Recommendation* r) {
      return cost_value(*r) && is_doubtful(r->estimate.cost);
    });
    if (marked) paragraph(t_("screen/doubtful-price"), "  ");
    const auto on_front = [](const Recommendation* r) { return r->pareto; };
    if (std::any_of(rows.begin(), rows.end(), on_front)) paragraph(t_("screen/front"), "  ");
  }

  // What is best at one thing each.
  void roles(const Advice& a) {
    std::string text;
    for (const auto& r : a.recommendations) {
      if (r.roles.empty()) continue;
      std::string names;
      for (const Role role : r.roles) {
        names += (names.empty() ? "" : t_("screen/comma")) + t_(fmt::format("role/{}", name_of(role)));
      }
      const bool pick = &r == &a.recommendations.front();
      text += (text.empty() ? "" : t_("screen/semicolon")) + names + t_("screen/colon") +
              (pick ? t_("screen/the-pick") : fmt::format("{} x {}", r.machine.nodes, r.type->name));
    }
    if (!text.empty()) paragraph(text + t_("screen/full-stop"), "  ");
  }

  // What the error of the estimates cannot tell from the pick.
  void ties(const Advice& a) {
    std::string ties;
    std::size_t count = 0;
    std::vector<const Family*> seen = {a.recommendations.front().family};
    for (const auto& r : a.recommendations) {
      if (!r.tied || std::find(seen.begin(), seen.end(), r.family) != seen.end()) continue;
      seen.push_back(r.family);
      constexpr std::size_t kMost = 3;
      if (++count <= kMost) ties += fmt::format("{}{}", ties.empty() ? "" : t_("screen/comma"), r.type->name);
    }
    if (count > 0) paragraph(t_("screen/tie", {{"names", ties}}), "  ");
  }

  void miss(const Advice& a) {
    if (!a.nearest_miss) return;
    const NearestMiss& m = *a.nearest_miss;
    std::string text = t_("screen/nearest-miss", {{"type", m.type->name},
                                                  {"card", card_text(k_.catalog, *m.type, t_)},
                                                  {"more", significant(m.needed_gib - m.capacity_gib, 2)}});
    if (!m.change.empty()) {
      text += t_("screen/nearest-miss-change", {{"change", m.change}, {"gib", fmt::format("{:.1f}", m.changed_gib)}});
    }
    paragraph(text, "  ");
  }

  void nothing_fits(const Advice& a) {
    paragraph(t_("screen/nothing-fits"), "  ");
    if (a.nearest_miss) miss(a);
    std::map<std::string_view, std::pair<std::size_t, const Rejection*>> kinds;
    for (const auto& r : a.rejected) {
      auto& kind = kinds[r.reason.rule];
      if (kind.first++ == 0 || kind.second->reason.text.empty()) kind.second = &r;
    }
    for (const auto& [rule, kind] : kinds) {
      const Note& reason = kind.second->reason;
      paragraph(fmt::format("{} x {}: {} ({}){}{}", kind.first, rule, reason.text, kind.second->type->name,
                            reason.remedy.empty() ? "" : t_("screen/semicolon"), reason.remedy),
                "   - ");
    }
  }

  void counts(const Advice& a) {
    std::map<std::string_view, std::size_t> by_rule;
    for (const auto& r : a.rejected) ++by_rule[r.reason.rule];
    std::vector<std::pair<std::size_t, std::string_view>> kinds;
    for (const auto& [rule, n] : by_rule) kinds.emplace_back(n, rule);
    std::sort(kinds.begin(), kinds.end(), [](const auto& x, const auto& y) {
      return x.first != y.first ? x.first > y.first : x.second < y.second;
    });
    std::string rejected;
    for (const auto& [n, rule] : kinds) rejected += fmt::format("{}{} {}", t_("screen/comma"), n, rule);
    paragraph(t_("screen/counts", {{"searched", fmt::format("{}", a.searched)},
                                   {"fit", fmt::format("{}", a.recommendations.size())},
                                   {"rejected", rejected}}),
              "  ");
    std::string left_out;
    for (const auto& cut : a.cuts) {
      if (cut.constraint == "search.status") continue;
      left_out += fmt::format("{}{} {}", left_out.empty() ? "" : t_("screen/comma"), cut.types, cut.constraint);
    }
    if (!left_out.empty()) paragraph(t_("screen/left-out", {{"cuts", left_out}}), "  ");
    std::string assumed;
    const std::size_t most = o_.explain ? w_.assumptions.size() : 6;
    for (std::size_t i = 0; i < w_.assumptions.size() && i < most; ++i) {
      assumed += fmt::format("{}{} {}", assumed.empty() ? "" : t_("screen/comma"), w_.assumptions[i].field,
                             w_.assumptions[i].value);
    }
    if (w_.assumptions.size() > most) assumed += t_("screen/comma") + "...";
    paragraph(t_("screen/footer", {{"date", k_.catalog.date}, {"hash", k_.catalog.sha256.substr(0, 8)}}) +
                  (assumed.empty() ? "" : t_("screen/comma") + t_("screen/assumed", {{"what", assumed}})) +
                  (w_.architecture_inferred ? t_("screen/comma") + t_("screen/inferred-architecture") : ""),
              "  ");
  }

  void explain(const Advice& a) {
    out_ << '\n' << "  " << bold(t_("explain/scores")) << '\n';
    for (std::size_t i = 0; i < a.recommendations.size() && i < o_.top; ++i) {
      const Recommendation& r = a.recommendations[i];
      out_ << fmt::format("  {:>2}  {}  {:.1f}\n", i + 1, r.type->name, r.score);
      for (const auto& c : r.criteria) {
        out_ << "        " << pad_right(c.criterion, 14) << pad_left(c.value ? significant(*c.value) : "-", 12) << ' '
             << pad_right(base::translate(c.unit, k_.messages, t_.lang()), 24)
             << fmt::format("{:.3f} x {:.2f} / {:.2f} = {:.1f}\n", c.normalised, c.weight, c.factor,
                            100 * c.contribution);
      }
      for (const auto& note : r.warnings) bullet(note, "! ");
    }
    out_ << '\n' << "  " << bold(t_("explain/rejected")) << '\n';
    for (const auto& r : a.rejected) {
      paragraph(fmt::format("{}  {}: {}", r.type->name, r.reason.rule, r.reason.text), "    ");
      if (!r.reason.seen.empty()) out_ << "        " << faint(r.reason.seen) << '\n';
    }
    out_ << '\n' << "  " << bold(t_("explain/assumptions")) << '\n';
    for (const auto& assumption : w_.assumptions) out_ << "    " << assumption_text(assumption, t_) << '\n';
  }

  void why_not(const WhyNot& answer, const Advice& a) {
    const Recommendation* pick = a.recommendations.empty() ? nullptr : &a.recommendations.front();
    const std::string what = fmt::format("{} ({}, {})", answer.type->name, card_text(k_.catalog, *answer.type, t_),
                                         vendor(answer.family->vendor));
    if (answer.failures.empty()) {
      if (!answer.as_asked) return;
      const bool first = answer.rank && *answer.rank == 1;
      out_ << bold(answer.rank ? t_(first ? "why-not/is-pick" : "why-not/ranked",
                                    {{"type", what},
                                     {"rank", fmt::format("{}", *answer.rank)},
                                     {"count", fmt::format("{}", a.recommendations.size())}})
                               : t_("why-not/not-searched", {{"type", what}}))
           << '\n';
      if (!answer.rank && !answer.family->caveat.empty())
        paragraph(std::string(answer.family->caveat.in(t_.lang())), "  ");
      runs(*answer.as_asked, pick, first);
      wins(answer, a);
      return;
    }
    out_ << bold(t_("why-not/cannot", {{"type", what}})) << '\n';
    std::size_t number = 0;
    for (const auto& failure : answer.failures) {
      paragraph(fmt::format("{}  {}{}", pad_right(failure.rule, 22), failure.text,
                            failure.remedy.empty() ? "" : "  " + t_("why-not/change", {{"change", failure.remedy}})),
                fmt::format("  {}  ", ++number));
    }
    if (!answer.with_changes) {
      paragraph(t_("why-not/no-change"), "  ");
      return;
    }
    std::string flags;
    for (const auto& change : answer.changes) flags += (flags.empty() ? "" : " ") + change;
    paragraph(t_("why-not/with-changes", {{"flags", flags}}), "  ");
    runs(*answer.with_changes, pick, false);
  }

  void wins(const WhyNot& answer, const Advice& a) {
    const bool any_price = std::any_of(a.recommendations.begin(), a.recommendations.end(),
                                       [](const Recommendation& r) { return r.estimate.cost.known; });
    for (const auto& flag : answer.wins_with) paragraph(t_("why-not/wins-with", {{"flags", flag}}), "  ");
    if (answer.wins_below) {
      paragraph(t_("why-not/wins-below", {{"price", money(answer.wins_below_currency, *answer.wins_below)}}), "  ");
    } else if (answer.rank && *answer.rank > 1 && any_price) {
      paragraph(t_("why-not/no-price-wins"), "  ");
    }
  }

  void runs(const Recommendation& r, const Recommendation* pick, bool first) {
    std::string text = fmt::format("{} x {}", r.machine.nodes, r.type->name);
    const auto add = [&](const std::string& part) { text += t_("screen/comma") + part; };
    if (r.estimate.memory.known) {
      add(t_("screen/of-per-card", {{"used", fmt::format("{:.1f}", r.estimate.memory.device)},
                                    {"limit", fmt::format("{:.1f}", r.machine.memory_gib)}}));
    }
    if (speed_cell(r) != "-") add(speed_cell(r) + " " + speed_header());
    if (r.hours_to_finish) add(duration(*r.hours_to_finish));
    const CostEstimate& c = r.estimate.cost;
    add(c.known ? t_("cost/per-hour", {{"amount", money(c.currency, *c.per_hour)}}) : no_amount(c, t_));
    if (c.to_finish) add(t_("cost/to-finish", {{"amount", money(c.currency, *c.to_finish)}}));
    paragraph(text, "  ");
    constexpr std::size_t kMost = 3;
    for (std::size_t i = 0; i < r.warnings.size() && i < kMost; ++i) bullet(r.warnings[i], "! ");
    if (pick != nullptr && !first) paragraph(t_("why-not/against-pick", {{"trade", trade(r, *pick)}}), "  ");
  }

  std::string work_text() const {
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

 private:
  static constexpr std::size_t kLabel = 10;

  std::string vendor(std::string_view id) const {
    const Vendor* v = find_vendor(k_.catalog, id);
    return std::string(v == nullptr ? id : v->name.in(t_.lang()));
  }
  std::string label(std::string_view id) const { return pad_right(id.empty() ? std::string() : t_(id), kLabel); }
  void row(std::string_view id, const std::string& text) {
    const auto lines = base::wrap(text, o_.width > kLabel + 24 ? o_.width - kLabel - 2 : 24);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out_ << "  " << (i == 0 ? label(id) : pad_right("", kLabel)) << lines[i] << '\n';
    }
  }
  void paragraph(const std::string& text, std::string_view indent) {
    const auto lines = base::wrap(text, o_.width - indent.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out_ << (i == 0 ? std::string(indent) : std::string(indent.size(), ' ')) << lines[i] << '\n';
    }
  }
  std::string bold(const std::string& text) const { return o_.colour ? "\x1b[1m" + text + "\x1b[0m" : text; }
  std::string faint(const std::string& text) const { return o_.colour ? "\x1b[2m" + text + "\x1b[0m" : text; }

  std::ostream& out_;
  const Workload& w_;
  const Knowledge& k_;
  const base::Texts& t_;
  const TableOptions& o_;
};

}  // namespace

void print_advice(std::ostream& out, const Advice& advice, const Knowledge& knowledge, const base::Texts& texts,
                  const TableOptions& options) {
  Screen(out, advice.workload, knowledge, texts, options).advice(advice);
}

void print_why_not(std::ostream& out, std::span<const WhyNot> answers, const Advice& advice, const Knowledge& knowledge,
                   const base::Texts& texts, const TableOptions& options) {
  Screen screen(out, advice.workload, knowledge, texts, options);
  for (const auto& answer : answers) screen.why_not(answer, advice);
}

void print_solution(std::ostream& out, const ProfileSolution& s, const Knowledge& knowledge, const base::Texts& texts,
                    const TableOptions& options) {
  Screen(out, s.at.workload, knowledge, texts, options).solution(s);
  print_estimate(out, s.at, knowledge, texts, options);
}

void print_estimate(std::ostream& out, const ProfileEstimate& e, const Knowledge& knowledge, const base::Texts& texts,
                    const TableOptions& options) {
  Screen screen(out, e.workload, knowledge, texts, options);
  screen.headline();
  screen.machine_line(e.family, e.type, e.machine);
  screen.layout_line(e.layout, e.machine, machines_together(e.workload, e.machine, e.layout));
  screen.memory_line(e.estimate.memory, e.machine);
  screen.speed_line(e.estimate.speed, std::nullopt);
  screen.cost_line(e.estimate.cost);
  for (const auto& failure : e.failures) screen.bullet(failure, "! ");
  if (options.explain) {
    for (const auto& assumption : e.workload.assumptions) out << "    " << assumption_text(assumption, texts) << '\n';
  }
}

}  // namespace gpuadvise::report
