#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "catalog/lookup.h"
#include "estimate/price_choice.h"
#include "report/catalog.h"
#include "report/cost_text.h"
#include "report/ranking_table.h"

namespace gpuadvise::report {

using base::pad_left;
using base::pad_right;
using base::significant;

std::string RankingTable::speed_cell(const Recommendation& r) const {
  const SpeedEstimate& s = r.estimate.speed;
  if (w_.kind == TaskKind::llm_training && s.tokens_per_second) return significant(*s.tokens_per_second);
  if (s.output_tokens_per_second) return significant(*s.output_tokens_per_second);
  const bool relative = speed_header() == t_("column/relative");
  if (s.samples_per_second && !relative) return significant(*s.samples_per_second);
  if (s.relative) return fmt::format("{} x", significant(*s.relative, 2));
  return "-";
}

std::string RankingTable::speed_header() const {
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

std::optional<double> RankingTable::cost_value(const Recommendation& r) {
  const CostEstimate& c = r.estimate.cost;
  return c.to_finish ? c.to_finish : c.per_hour;
}

std::string RankingTable::cost_cell(const Recommendation& r) {
  const auto cost = cost_value(r);
  if (!cost) return "-";
  return fmt::format("{}{}{}", r.estimate.cost.per_hour_low ? "<= " : "",
                     *cost >= 100 ? base::group_thousands(*cost) : significant(*cost),
                     is_doubtful(r.estimate.cost) ? " *" : "");
}

std::optional<double> RankingTable::rate(const Recommendation& r) {
  const SpeedEstimate& s = r.estimate.speed;
  for (const auto& v : {s.tokens_per_second, s.output_tokens_per_second, s.samples_per_second, s.relative}) {
    if (v) return v;
  }
  return std::nullopt;
}

std::string RankingTable::trade(const Recommendation& r, const Recommendation& best) const {
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

void RankingTable::others(const Advice& a) {
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
  const auto type_text = [](const Recommendation& r) { return fmt::format("{} x {}", r.machine.nodes, r.type->name); };
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
         << pad_left(speed_cell(*r), 11) << pad_left(cost_cell(*r), 15) << "  " << trade(*r, a.recommendations.front())
         << '\n';
  }
  const bool marked = std::any_of(rows.begin(), rows.end(), [](const Recommendation* r) {
    return cost_value(*r) && is_doubtful(r->estimate.cost);
  });
  if (marked) paragraph(t_("screen/doubtful-price"), "  ");
  const auto on_front = [](const Recommendation* r) { return r->pareto; };
  if (std::any_of(rows.begin(), rows.end(), on_front)) paragraph(t_("screen/front"), "  ");
}

void RankingTable::roles(const Advice& a) {
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

void RankingTable::ties(const Advice& a) {
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

}  // namespace gpuadvise::report
