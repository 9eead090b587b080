#include <algorithm>
#include <cmath>

#include "gpuadvise/error.h"

#include "accuracy.h"

namespace gpuadvise::accuracy {

std::optional<double> Sample::error_percent() const {
  if (!measured || !predicted || *measured <= 0) return std::nullopt;
  return (*predicted / *measured - 1) * 100;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (at - static_cast<double>(below));
}

Summary summarise(const std::vector<double>& signed_errors_percent) {
  Summary out;
  out.count = signed_errors_percent.size();
  if (out.count == 0) return out;
  std::vector<double> size(signed_errors_percent);
  for (double& e : size) e = std::abs(e);
  out.median = quantile(size, 0.5);
  out.p90 = quantile(size, 0.9);
  out.bias = quantile(signed_errors_percent, 0.5);
  out.low = quantile(signed_errors_percent, 0.1);
  out.high = quantile(signed_errors_percent, 0.9);
  return out;
}

PairSummary pair_summary(const std::vector<Sample>& samples,
                         const std::function<bool(const Sample&, const Sample&)>& take) {
  constexpr double kOrdered = 1.05;
  PairSummary out;
  std::vector<double> errors;
  int agreement = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& a = samples[i];
    if (a.group.empty() || !a.relative || !a.measured_speed) continue;
    for (std::size_t j = i + 1; j < samples.size(); ++j) {
      const Sample& b = samples[j];
      if (b.group != a.group || b.machine == a.machine || !b.relative || !b.measured_speed || !take(a, b)) continue;
      const double measured = *a.measured_speed / *b.measured_speed;
      const double predicted = *a.relative / *b.relative;
      errors.push_back(std::abs(predicted / measured - 1) * 100);
      if (std::max(measured, 1 / measured) <= kOrdered) continue;
      ++out.ordered;
      if (predicted != 1) agreement += (measured > 1) == (predicted > 1) ? 1 : -1;
    }
  }
  out.count = errors.size();
  out.median = quantile(errors, 0.5);
  out.p90 = quantile(errors, 0.9);
  if (out.ordered > 0) out.tau = static_cast<double>(agreement) / static_cast<double>(out.ordered);
  return out;
}

std::vector<std::pair<const Sample*, const Sample*>> turned_pairs(const std::vector<Sample>& samples) {
  std::vector<std::pair<const Sample*, const Sample*>> out;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = i + 1; j < samples.size(); ++j) {
      const Sample& a = samples[i];
      const Sample& b = samples[j];
      const std::vector<Sample> two{a, b};
      const PairSummary pair = pair_summary(two, [](const Sample&, const Sample&) { return true; });
      if (pair.ordered > 0 && pair.tau < 0 && (a.holdout || b.holdout)) out.emplace_back(&a, &b);
    }
  }
  return out;
}

Confusion confusion(const std::vector<Sample>& samples) {
  Confusion out;
  for (const auto& s : samples) {
    if (s.measured_verdict == Verdict::none || s.predicted_verdict == Verdict::none) continue;
    const bool fits = s.measured_verdict == Verdict::fits;
    const bool said = s.predicted_verdict == Verdict::fits;
    (fits ? (said ? out.fit_called_fit : out.fit_called_oom) : (said ? out.oom_called_fit : out.oom_called_oom)) += 1;
  }
  return out;
}

std::vector<const Sample*> unexplained(const Result& result, const Remarks& remarks, double bad_percent) {
  std::vector<const Sample*> out;
  for (const auto& sample : result.samples) {
    const auto error = sample.error_percent();
    if (!error || std::abs(*error) <= bad_percent) continue;
    const auto remark = remarks.find(sample.id);
    if (remark == remarks.end() || remark->second.reason.empty()) out.push_back(&sample);
  }
  return out;
}

Result run(const Study& study, const std::string& gold, const Context& context, const Remarks& remarks,
           base::Arena& arena) {
  Result result{&study, {}, {}, {}};
  Context unknown = context;
  unknown.unknown_source = true;
  for (const auto& row : read_rows(gold + "/" + std::string(study.file), arena)) {
    Sample sample;
    sample.id = row.id;
    sample.source = row.source;
    sample.quality = row.quality;
    sample.holdout = row.holdout;
    try {
      study.evaluate(row, context, sample);
    } catch (const InputError& error) {
      sample.why = error.message();
    }
    if (study.leaves_source_out && !context.unknown_source) {
      Sample without = sample;
      without.predicted.reset();
      try {
        study.evaluate(row, unknown, without);
        result.unknown.push_back(std::move(without));
      } catch (const InputError&) {  // said above already
      }
    }
    const auto remark = remarks.find(row.id);
    const bool aside = remark != remarks.end() && remark->second.set_aside;
    (aside ? result.set_aside : result.samples).push_back(std::move(sample));
  }
  return result;
}

}  // namespace gpuadvise::accuracy
