#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "accuracy.h"
#include "base/text.h"

namespace gpuadvise::accuracy {

namespace {

// A table that reads well in a terminal and as Markdown.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string str(bool markdown) const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], base::display_width(row[i]));
    }
    std::string out;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      out += markdown ? "|" : "";
      for (std::size_t i = 0; i < rows_[r].size(); ++i) {
        const std::string cell = i == 0 || r == 0 || !numeric(rows_[r][i]) ? base::pad_right(rows_[r][i], widths[i])
                                                                           : base::pad_left(rows_[r][i], widths[i]);
        out += markdown ? " " + cell + " |" : cell + "  ";
      }
      out += "\n";
      if (r == 0 && markdown) {
        out += "|";
        for (const auto w : widths) out += std::string(w + 2, '-') + "|";
        out += "\n";
      }
    }
    return out;
  }

 private:
  static bool numeric(const std::string& cell) {
    return cell.find_first_not_of("0123456789.,+- %") == std::string::npos;
  }
  std::vector<std::vector<std::string>> rows_;
};

std::vector<double> errors(const std::vector<Sample>& samples, const std::function<bool(const Sample&)>& take) {
  std::vector<double> out;
  for (const auto& s : samples) {
    if (const auto e = s.error_percent(); e && take(s)) out.push_back(*e);
  }
  return out;
}

std::vector<std::string> cells(std::string label, const Summary& s) {
  if (s.count == 0) return {std::move(label), "0", "", "", "", ""};
  return {std::move(label),
          fmt::format("{}", s.count),
          fmt::format("{:.1f}", s.median),
          fmt::format("{:.1f}", s.p90),
          fmt::format("{:+.1f}", s.bias),
          fmt::format("{:+.1f} .. {:+.1f}", s.low, s.high)};
}

std::string heading(bool markdown, std::string_view text) {
  return markdown ? fmt::format("\n### {}\n\n", text) : fmt::format("\n{}\n", text);
}

}  // namespace

std::string print(const Result& result, const Remarks& remarks, const PrintOptions& options) {
  const auto& samples = result.samples;
  const bool md = options.markdown;
  const std::vector<std::string> head{"rows", "count", "median |error| %", "p90 |error| %", "bias %", "p10 .. p90 %"};
  std::string out = md ? fmt::format("## {}\n\n", result.study->title) : fmt::format("== {} ==\n", result.study->title);
  out += fmt::format("`{}`: {} rows in use, {} set aside. Error = predicted / measured - 1, in {}.\n",
                     result.study->file, samples.size(), result.set_aside.size(), result.study->unit);

  out += heading(md, "Fitted and not fitted");
  Table split(head);
  for (const std::string quality : {"A", "B", ""}) {
    for (const int part : {0, 1, 2}) {
      const auto label = fmt::format("{}{}",
                                     part == 0   ? "calibration"
                                     : part == 1 ? "holdout"
                                                 : "all",
                                     quality.empty() ? "" : ", quality " + quality);
      split.add(cells(label, summarise(errors(samples, [&](const Sample& s) {
                        return (part == 2 || s.holdout == (part == 1)) && (quality.empty() || s.quality == quality);
                      }))));
    }
  }
  out += split.str(md);

  std::vector<std::string> keys{"source"};
  for (const auto& s : samples) {
    for (const auto& [key, value] : s.classes) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  const auto value_of = [](const Sample& s, const std::string& key) {
    if (key == "source") return s.source;
    for (const auto& [k, v] : s.classes) {
      if (k == key) return v;
    }
    return std::string();
  };
  for (const auto& key : keys) {
    std::set<std::string> values;
    for (const auto& s : samples) {
      if (const auto v = value_of(s, key); !v.empty() && s.error_percent()) values.insert(v);
    }
    if (values.empty()) continue;
    out += heading(md, "By " + key);
    Table table(head);
    for (const auto& value : values) {
      table.add(cells(value, summarise(errors(samples, [&](const Sample& s) { return value_of(s, key) == value; }))));
    }
    out += table.str(md);
  }

  if (!result.unknown.empty()) {
    out += heading(md, "Without what was fitted on the source");
    out +=
        "Predicted as if the framework or engine had no class of its own, which is what an unknown one gets. Rows of\n"
        "sources whose framework is the general class keep it.\n\n";
    Table table(head);
    std::set<std::string> sources;
    for (const auto& s : result.unknown) {
      if (s.error_percent()) sources.insert(s.source);
    }
    for (const auto& source : sources) {
      table.add(cells(source, summarise(errors(result.unknown, [&](const Sample& s) { return s.source == source; }))));
    }
    table.add(cells("all", summarise(errors(result.unknown, [](const Sample&) { return true; }))));
    out += table.str(md);
  }

  const auto always = [](const Sample&, const Sample&) { return true; };
  if (pair_summary(samples, always).count > 0) {
    out += heading(md, "Ratio and order between machines on the same work");
    Table table({"pairs", "count", "median |error| %", "p90 |error| %", "pairs over 5 % apart", "Kendall tau"});
    const auto add = [&](const std::string& label, const std::function<bool(const Sample&, const Sample&)>& take) {
      const auto s = pair_summary(samples, take);
      if (s.count == 0) return;
      table.add({label, fmt::format("{}", s.count), fmt::format("{:.1f}", s.median), fmt::format("{:.1f}", s.p90),
                 fmt::format("{}", s.ordered), fmt::format("{:.3f}", s.tau)});
    };
    add("all", always);
    add("a holdout row in the pair", [](const Sample& a, const Sample& b) { return a.holdout || b.holdout; });
    add("both rows holdout", [](const Sample& a, const Sample& b) { return a.holdout && b.holdout; });
    std::set<std::string> sources;
    for (const auto& s : samples) sources.insert(s.source);
    for (const auto& source : sources) {
      add(source, [&](const Sample& a, const Sample&) { return a.source == source; });
    }
    out += table.str(md);
    if (const auto turned = turned_pairs(samples); !turned.empty()) {
      out += heading(md, "Pairs with a holdout row in the wrong order");
      Table pairs({"faster as measured", "slower as measured", "measured ratio", "predicted ratio"});
      for (const auto& [a, b] : turned) {
        const bool first = *a->measured_speed > *b->measured_speed;
        const Sample& fast = first ? *a : *b;
        const Sample& slow = first ? *b : *a;
        pairs.add({fmt::format("{} ({})", fast.id, fast.machine), fmt::format("{} ({})", slow.id, slow.machine),
                   fmt::format("{:.2f}", *fast.measured_speed / *slow.measured_speed),
                   fmt::format("{:.2f}", *fast.relative / *slow.relative)});
      }
      out += pairs.str(md);
    }
  }

  std::vector<std::string> peers;
  for (const auto& s : samples) {
    for (const auto& [name, value] : s.peers) {
      if (std::find(peers.begin(), peers.end(), name) == peers.end()) peers.push_back(name);
    }
  }
  if (!peers.empty()) {
    out += heading(md, "Peers on the same rows");
    Table table(
        {"formula", "count", "median |error| %", "p90 |error| %", "bias %", "gpuadvise median", "gpuadvise p90"});
    for (const auto& peer : peers) {
      std::vector<double> theirs;
      std::vector<double> ours;
      for (const auto& s : samples) {
        const auto mine = s.error_percent();
        for (const auto& [name, value] : s.peers) {
          if (name != peer || !value || !mine) continue;
          theirs.push_back((*value / *s.measured - 1) * 100);
          ours.push_back(*mine);
        }
      }
      const auto t = summarise(theirs);
      const auto o = summarise(ours);
      table.add({peer, fmt::format("{}", t.count), fmt::format("{:.1f}", t.median), fmt::format("{:.1f}", t.p90),
                 fmt::format("{:+.1f}", t.bias), fmt::format("{:.1f}", o.median), fmt::format("{:.1f}", o.p90)});
    }
    out += table.str(md);
  }

  const auto c = confusion(samples);
  if (c.fit_called_fit + c.fit_called_oom + c.oom_called_fit + c.oom_called_oom > 0) {
    out += heading(md, "Verdicts");
    Table table({"measured", "called a fit", "called too big"});
    table.add({"fits", fmt::format("{}", c.fit_called_fit), fmt::format("{}", c.fit_called_oom)});
    table.add({"out of memory", fmt::format("{}", c.oom_called_fit), fmt::format("{}", c.oom_called_oom)});
    out += table.str(md);
    for (const auto& s : samples) {
      if (s.measured_verdict != Verdict::none && s.predicted_verdict != Verdict::none &&
          s.measured_verdict != s.predicted_verdict) {
        out += fmt::format("{}wrong verdict: {} ({})\n", md ? "\n- " : "  ", s.id, s.source);
      }
    }
  }

  std::vector<const Sample*> far;
  for (const auto& s : samples) {
    if (s.error_percent()) far.push_back(&s);
  }
  std::stable_sort(far.begin(), far.end(), [](const Sample* a, const Sample* b) {
    return std::abs(*a->error_percent()) > std::abs(*b->error_percent());
  });
  const auto listed = [&](std::size_t i) {
    return md ? std::abs(*far[i]->error_percent()) > options.bad_percent : static_cast<int>(i) < options.worst;
  };
  if (!far.empty() && listed(0)) {
    out += heading(md, md ? fmt::format("Rows wrong by more than {:.0f} %", options.bad_percent) : "Worst rows");
    Table table({"row", "source", "quality", "measured", "predicted", "error %", "reason"});
    for (std::size_t i = 0; i < far.size() && listed(i); ++i) {
      const auto& s = *far[i];
      const auto remark = remarks.find(s.id);
      table.add({s.id + (s.holdout ? " (holdout)" : ""), s.source, s.quality, fmt::format("{:.4g}", *s.measured),
                 fmt::format("{:.4g}", *s.predicted), fmt::format("{:+.1f}", *s.error_percent()),
                 remark == remarks.end() ? "" : remark->second.reason});
    }
    out += table.str(md);
  }

  if (md) {
    // What is known of rows that are off, though by less.
    constexpr double kWorthSaying = 8;
    std::string more;
    for (std::size_t i = 0; i < far.size(); ++i) {
      const auto remark = remarks.find(far[i]->id);
      const double off = *far[i]->error_percent();
      if (listed(i) || std::abs(off) < kWorthSaying || remark == remarks.end()) continue;
      more += fmt::format("- {} ({:+.1f} %): {}\n", far[i]->id, off, remark->second.reason);
    }
    if (!more.empty()) out += heading(md, "Remarks on other rows") + more;
  }

  std::map<std::string, std::vector<std::string>> silent;
  for (const auto& s : samples) {
    if (s.measured && !s.predicted) silent[s.why].push_back(s.id);
  }
  if (!silent.empty()) {
    out += heading(md, "Rows without an answer");
    for (const auto& [why, ids] : silent) out += fmt::format("- {}: {}\n", why, fmt::join(ids, ", "));
  }
  if (!result.set_aside.empty()) {
    out += heading(md, "Rows set aside");
    for (const auto& s : result.set_aside) {
      out += fmt::format("- {} ({}): {}\n", s.id, s.source, remarks.find(s.id)->second.reason);
    }
  }
  return out;
}

}  // namespace gpuadvise::accuracy
