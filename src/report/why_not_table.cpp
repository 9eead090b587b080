#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "report/advice.h"
#include "report/catalog.h"
#include "report/cost_text.h"
#include "report/ranking_table.h"

namespace gpuadvise::report {

using base::pad_right;

namespace {

// Why a type is not the pick, and what would change that.
class WhyNotTable : public RankingTable {
 public:
  using RankingTable::RankingTable;

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
};

}  // namespace

void print_why_not(std::ostream& out, std::span<const WhyNot> answers, const Advice& advice, const Knowledge& knowledge,
                   const base::Texts& texts, const TableOptions& options) {
  WhyNotTable screen(out, advice.workload, knowledge, texts, options);
  for (const auto& answer : answers) screen.why_not(answer, advice);
}

}  // namespace gpuadvise::report
