#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "report/advice.h"
#include "report/cost_text.h"

namespace gpuadvise::report {

namespace {

using base::display_width;
using base::pad_right;
using base::significant;

// One line of the table: what is compared, and a cell for each column.
struct Row {
  std::string label;
  std::vector<std::string> cells;
};

class Table {
 public:
  Table(std::ostream& out, const Comparison& comparison, const Knowledge& knowledge, const base::Texts& texts,
        const TableOptions& options)
      : out_(out), c_(comparison), k_(knowledge), t_(texts), o_(options) {}

  void print() {
    row("compare/machine",
        [](const Recommendation& r) { return fmt::format("{} x {}", r.machine.nodes, r.type->name); });
    row("compare/cards", [](const Recommendation& r) {
      return fmt::format("{:g} x {}", r.machine.accelerators_per_node * r.machine.nodes, r.machine.accelerator->name);
    });
    row("screen/layout", [](const Recommendation& r) { return layout(r.layout); });
    row("screen/memory", [&](const Recommendation& r) { return memory(r); });
    row("screen/speed", [&](const Recommendation& r) { return speed(r.estimate.speed); });
    row("compare/latency", [&](const Recommendation& r) { return latency(r.estimate.speed); });
    row("compare/waits", [&](const Recommendation& r) {
      for (const auto& term : r.criteria) {
        if (term.criterion == "network" && term.value) return fmt::format("{:.0f} %", 100 * *term.value);
      }
      return std::string("-");
    });
    row("compare/per-hour", [&](const Recommendation& r) { return money(r, r.estimate.cost.per_hour); });
    row("compare/per-million", [&](const Recommendation& r) { return money(r, r.estimate.cost.per_million_tokens); });
    row("compare/to-finish", [&](const Recommendation& r) { return money(r, r.estimate.cost.to_finish); });
    row("compare/hours", [&](const Recommendation& r) {
      return r.hours_to_finish ? significant(*r.hours_to_finish) + " h" : std::string("-");
    });
    row("compare/status", [&](const Recommendation& r) {
      const auto word = gpuadvise::names(Status{})[static_cast<std::size_t>(r.type->status.value_or(r.family->status))];
      return t_(fmt::format("status/{}", word));
    });
    row("compare/score", [&](const Recommendation& r) { return fmt::format("{:.1f}", r.score); });
    write();
    for (const auto& column : c_.columns) failures(column);
  }

 private:
  template <class F>
  void row(std::string_view label, F&& cell) {
    Row out{t_(label), {}};
    bool any = false;
    for (const auto& column : c_.columns) {
      out.cells.push_back(column.runs ? cell(*column.runs) : std::string("-"));
      any = any || out.cells.back() != "-";
    }
    if (any) rows_.push_back(std::move(out));
  }

  static std::string layout(const Layout& l) {
    std::string text;
    const auto add = [&](const char* name, int n) {
      if (n > 1) text += fmt::format("{}{}{}", text.empty() ? "" : " ", name, n);
    };
    add("TP", l.tensor);
    add("PP", l.pipeline);
    add("CP", l.context);
    add("EP", l.expert);
    add("DP", l.data);
    if (l.zero_stage > 0) text += fmt::format("{}ZeRO-{}", text.empty() ? "" : " ", l.zero_stage);
    return text.empty() ? "1" : text;
  }

  std::string memory(const Recommendation& r) const {
    const MemoryEstimate& m = r.estimate.memory;
    return m.known ? fmt::format("{:.1f} / {:.1f} GiB", m.device, r.machine.memory_gib) : t_("unknown");
  }

  std::string speed(const SpeedEstimate& s) const {
    const auto text = [&](double v, const std::string& unit) {
      return fmt::format("{} {} ({:+.0f}/{:+.0f} %)", significant(v), unit, s.band_low_percent, s.band_high_percent);
    };
    if (!s.known) return s.relative ? significant(*s.relative, 2) + " x" : t_("unknown");
    if (s.output_tokens_per_second) return text(*s.output_tokens_per_second, t_("column/tokens"));
    if (s.tokens_per_second) return text(*s.tokens_per_second, t_("column/tokens"));
    if (s.samples_per_second) return text(*s.samples_per_second, t_("column/samples"));
    return s.relative ? significant(*s.relative, 2) + " x" : t_("unknown");
  }

  static std::string latency(const SpeedEstimate& s) {
    if (!s.ttft_ms || !s.tpot_ms) return "-";
    return fmt::format("TTFT {} / TPOT {} ms", significant(*s.ttft_ms), significant(*s.tpot_ms));
  }

  std::string money(const Recommendation& r, const std::optional<double>& amount) const {
    const CostEstimate& cost = r.estimate.cost;
    if (!cost.known) return &amount == &r.estimate.cost.per_hour ? no_amount(cost, t_) : "-";
    if (!amount) return "-";
    return fmt::format("{} {}", cost.currency, *amount >= 100 ? base::group_thousands(*amount) : significant(*amount));
  }

  void write() {
    std::size_t label_width = 0;
    for (const auto& r : rows_) label_width = std::max(label_width, display_width(r.label));
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < c_.columns.size(); ++i) {
      std::size_t width = display_width(base::printable(c_.columns[i].name));
      for (const auto& r : rows_) width = std::max(width, display_width(r.cells[i]));
      widths.push_back(width);
    }
    line(std::string(), label_width, widths, [&](std::size_t i) { return base::printable(c_.columns[i].name); });
    for (const auto& r : rows_) line(r.label, label_width, widths, [&](std::size_t i) { return r.cells[i]; });
  }

  template <class F>
  void line(const std::string& label, std::size_t label_width, const std::vector<std::size_t>& widths, F&& cell) {
    std::string text = "  " + pad_right(label, label_width);
    for (std::size_t i = 0; i < widths.size(); ++i) text += "  " + pad_right(cell(i), widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    out_ << text << '\n';
  }

  void failures(const Compared& column) {
    if (column.runs) return;
    out_ << "\n  " << base::printable(column.name);
    if (column.type != nullptr && column.type->name != column.name) out_ << " (" << column.type->name << ")";
    out_ << ": " << t_("compare/cannot") << '\n';
    for (const auto& note : column.failures) {
      std::string text = note.text;
      if (!note.remedy.empty()) text += t_("screen/semicolon") + note.remedy;
      bool first = true;
      for (const auto& piece : base::wrap(text, std::max<std::size_t>(o_.width, 60) - 8)) {
        out_ << (first ? "   - " : "     ") << piece << '\n';
        first = false;
      }
    }
  }

  std::ostream& out_;
  const Comparison& c_;
  const Knowledge& k_;
  const base::Texts& t_;
  TableOptions o_;
  std::vector<Row> rows_;
};

}  // namespace

void print_comparison(std::ostream& out, const Comparison& comparison, const Knowledge& knowledge,
                      const base::Texts& texts, const TableOptions& options) {
  Table(out, comparison, knowledge, texts, options).print();
}

void print_sensitivity(std::ostream& out, std::span<const Turn> turns, const base::Texts& texts,
                       const TableOptions& options) {
  out << '\n' << "  " << texts("sensitivity/title") << '\n';
  std::string steady;
  for (const auto& turn : turns) {
    if (turn.to.empty()) {
      steady +=
          (steady.empty() ? "" : texts("screen/comma")) + turn.input + texts("screen/aside", {{"text", turn.looked}});
      continue;
    }
    const std::string then =
        turn.type == nullptr ? texts("sensitivity/nothing-fits") : fmt::format("{} x {}", turn.nodes, turn.type->name);
    out << "   - "
        << texts(turn.from.empty() ? "sensitivity/turn-word" : "sensitivity/turn",
                 {{"input", turn.input}, {"from", turn.from}, {"to", turn.to}, {"then", then}})
        << '\n';
  }
  if (steady.empty()) return;
  bool first = true;
  for (const auto& piece : base::wrap(texts("sensitivity/steady", {{"inputs", steady}}), options.width - 6)) {
    out << (first ? "   - " : "     ") << piece << '\n';
    first = false;
  }
}

}  // namespace gpuadvise::report
