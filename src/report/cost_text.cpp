#include <algorithm>
#include <fmt/format.h>

#include "gpuadvise/knowledge.h"

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "report/cost_text.h"

namespace gpuadvise::report {

namespace {

using base::significant;

constexpr int kOldMonths = 12;
constexpr double kHoursAMonth = 730;

std::string word(std::string_view kind, std::string_view name, const base::Texts& texts) {
  return texts(fmt::format("{}/{}", kind, name));
}

std::string name_of(ChargeType charge) { return std::string(names(ChargeType{})[static_cast<std::size_t>(charge)]); }

std::string money_range(std::string_view currency, const std::optional<double>& low, double high,
                        const base::Texts& texts) {
  if (!low) return money(currency, high);
  return texts("cost/range", {{"low", money(currency, *low)}, {"high", money(currency, high)}});
}

std::string listed(const Price& p, const base::Texts& texts) {
  return fmt::format("{} / {}", money(p.currency, p.amount), word("charge-unit", name_of(p.charge), texts));
}

// A region's id is the same in all languages; what a price page writes for several of them is not.
std::string region_words(const Price& p, const base::Texts& texts) {
  if (p.region.empty()) return texts(p.confidence == SourceKind::user ? "cost/all-regions" : "cost/no-region");
  std::string id = "price-area/";
  for (const char c : base::lower(p.region)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (kept || !id.ends_with('-')) id += kept ? c : '-';
  }
  while (id.ends_with('-')) id.pop_back();
  return texts.has(id) ? texts(id) : base::printable(p.region);
}

std::string origin(const CostEstimate& c, const base::Texts& texts) {
  const Price& p = *c.price;
  const bool own = p.confidence == SourceKind::user;
  std::string out = texts(
      "cost/basis", {{"charge", own ? listed(p, texts) : word("charge", name_of(p.charge), texts)},
                     {"region", region_words(p, texts)},
                     {"date", p.as_of.empty() ? texts("undated") : std::string(p.as_of)},
                     {"source", word("source", names(SourceKind{})[static_cast<std::size_t>(p.confidence)], texts)}});
  if (own) out += fmt::format(" ({})", base::printable(p.source));
  // More than a year old is worth a word where the money is.
  if (c.price_age_months.value_or(0) > kOldMonths) {
    out += texts("screen/comma") + texts("cost/months-old", {{"n", fmt::format("{}", *c.price_age_months)}});
  }
  return (is_doubtful(c) ? "! " : "") + out;
}

std::string break_even_text(const BreakEven& b, const base::Texts& texts) {
  return texts(b.hours_per_month < kHoursAMonth ? "cost/break-even" : "cost/break-even-never",
               {{"subscription", listed(*b.subscription, texts)},
                {"on-demand", listed(*b.on_demand, texts)},
                {"hours", significant(b.hours_per_month)}});
}

}  // namespace

std::string money(std::string_view currency, double amount) {
  return fmt::format("{} {}", currency, amount >= 100 ? base::group_thousands(amount) : significant(amount));
}

std::string no_amount(const CostEstimate& c, const base::Texts& texts) {
  if (c.why.empty() || !texts.has(c.why)) return texts("cost/no-price");
  if (c.price == nullptr) return texts(c.why);
  // Rates are stated in the catalog's first currency, which has none of its own.
  const bool base = c.price->currency == builtin_knowledge().catalog.currencies.front().code;
  return texts(c.why, {{"price", listed(*c.price, texts)},
                       {"currency", std::string(c.price->currency)},
                       {"rate", std::string(base ? c.currency : c.price->currency)}});
}

std::string cost_amounts(const CostEstimate& c, const base::Texts& texts) {
  if (!c.known) return no_amount(c, texts);
  const double low = c.per_hour_low ? *c.per_hour_low / *c.per_hour : 1;
  const auto amount = [&](double high) {
    return money_range(c.currency, c.per_hour_low ? std::optional(high * low) : std::nullopt, high, texts);
  };
  std::string out;
  const auto add = [&](std::string_view id, double high) {
    out += (out.empty() ? "" : texts("screen/comma")) + texts(id, {{"amount", amount(high)}});
  };
  add("cost/per-hour", *c.per_hour);
  if (c.to_finish) add("cost/to-finish", *c.to_finish);
  if (c.per_million_input_tokens && c.per_million_output_tokens) {
    add("cost/per-million-input", *c.per_million_input_tokens);
    add("cost/per-million-output", *c.per_million_output_tokens);
  } else if (c.per_million_tokens) {
    add("cost/per-million", *c.per_million_tokens);
  }
  if (c.per_unit) {
    const auto unit = names(CostUnit{})[static_cast<std::size_t>(c.per_unit->unit)];
    add(c.per_unit->count > 1 ? fmt::format("cost/per-thousand-{}", unit) : fmt::format("cost/per-{}", unit),
        c.per_unit->amount);
  }
  return out;
}

std::vector<std::string> cost_basis(const CostEstimate& c, const base::Texts& texts) {
  std::vector<std::string> out;
  if (c.price == nullptr) return out;
  out.push_back(origin(c, texts));
  if (!c.known) return out;
  if (c.exchange_rate) {
    // Told the way round that is above 1, as rates are given.
    const bool turned = *c.exchange_rate < 1;
    out.push_back(
        texts("cost/converted", {{"price", listed(*c.price, texts)},
                                 {"from", std::string(turned ? c.currency : c.price->currency)},
                                 {"to", std::string(turned ? c.price->currency : c.currency)},
                                 {"rate", fmt::format("{:.6g}", turned ? 1 / *c.exchange_rate : *c.exchange_rate)}}));
  }
  if (c.per_hour_low) {
    out.push_back(texts("cost/spot-range", {{"low", significant(100 * *c.per_hour_low / *c.per_hour)}}));
  }
  if (c.interruption_loss && c.to_finish) {
    out.push_back(texts("cost/interruptions", {{"percent", significant(100 * *c.interruption_loss, 2)}}));
  }
  if (!c.why.empty() && texts.has(c.why)) out.push_back(texts(c.why));
  if (c.month) out.push_back(break_even_text(*c.month, texts));
  if (c.year) out.push_back(break_even_text(*c.year, texts));
  return out;
}

bool is_doubtful(const CostEstimate& c) {
  if (c.price == nullptr || c.price->confidence == SourceKind::user) return c.price_age_months.value_or(0) > kOldMonths;
  const SourceKind kind = c.price->confidence;
  return kind == SourceKind::third_party || kind == SourceKind::third_party_low || !c.price_age_months ||
         *c.price_age_months > kOldMonths;
}

}  // namespace gpuadvise::report
