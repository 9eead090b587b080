#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "gpuadvise/emit.h"

#include "advisor/layouts.h"
#include "base/text.h"
#include "base/translate.h"
#include "report/advice.h"
#include "report/catalog.h"
#include "report/estimate_json.h"
#include "report/ranking_table.h"

namespace gpuadvise::report {

using base::pad_left;
using base::pad_right;
using base::significant;

namespace {

// The answer of recommend: the pick and its reasons, the runner-ups, and what was turned away.
class AdviceTable : public RankingTable {
 public:
  using RankingTable::RankingTable;

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

  void check_first(const Advice& a) {
    const auto steps = verify_steps(a, k_, t_.lang());
    if (steps.empty()) return;
    out_ << "  " << t_("screen/check-first") << '\n';
    for (const auto& step : steps) paragraph("- " + step.says + ": " + step.command, "   ");
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
};

}  // namespace

void print_advice(std::ostream& out, const Advice& advice, const Knowledge& knowledge, const base::Texts& texts,
                  const TableOptions& options) {
  AdviceTable(out, advice.workload, knowledge, texts, options).advice(advice);
}

void print_solution(std::ostream& out, const ProfileSolution& s, const Knowledge& knowledge, const base::Texts& texts,
                    const TableOptions& options) {
  AdviceTable(out, s.at.workload, knowledge, texts, options).solution(s);
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
