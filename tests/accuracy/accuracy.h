// How near the estimates are to published measurements. The folder with the measurements ("gold": one JSON object a
// line, shape in its README) is given as an argument; without it the program says so and stops, so that a build without
// the measurements still passes.
//
// One file of measurements is one Study. To add one: write FILE_study.cpp that defines `extern const Study NAME`, whose
// evaluate() fills a Sample from a Row (what was measured, what the estimate says, the classes that the row belongs to,
// peers' answers if any), and add NAME to the list in studies.cpp. Statistics, the split into calibration and holdout
// rows, the tables, the confusion of verdicts, and the page docs/accuracy.md come from the core.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuadvise/knowledge.h"
#include "gpuadvise/profile.h"

#include "base/arena.h"
#include "base/node.h"

namespace gpuadvise::accuracy {

// One measurement.
struct Row {
  std::string id;
  std::string source;
  std::string note;
  std::string quality;  // A: every field that matters is stated by the source; B: one or two were inferred
  Profile profile;
  base::Node measured;
  bool holdout = false;  // never fitted on: FNV-1a of the id is divisible by three

  std::optional<double> number(std::string_view key) const;  // of `measured`; null or absent: empty
  std::string_view word(std::string_view key) const;         // of `measured`; empty when absent
};

enum class Verdict : std::uint8_t { none, fits, does_not_fit };

// What one row came to.
struct Sample {
  std::string id;
  std::string source;
  std::string quality;
  bool holdout = false;
  std::optional<double> measured;
  std::optional<double> predicted;
  std::string why;  // why there is no prediction; a profile that the product refuses says it by itself
  Verdict measured_verdict = Verdict::none;
  Verdict predicted_verdict = Verdict::none;
  std::vector<std::pair<std::string, std::string>> classes;          // {"method", "lora"}, {"framework", "megatron"}
  std::vector<std::pair<std::string, std::optional<double>>> peers;  // {"16 bytes a parameter", 112.0}
  std::optional<double> band_low_percent;                            // what the estimate itself says of its error
  std::optional<double> band_high_percent;

  // Rows of one group are the same work on other machines: their ratios and order are compared.
  std::string group;
  std::string machine;                   // what tells two rows of a group apart
  std::optional<double> measured_speed;  // higher is better
  std::optional<double> relative;        // as estimated

  std::optional<double> error_percent() const;  // (predicted / measured - 1) x 100
};

struct Context {
  const Knowledge* knowledge = nullptr;
  const Catalog* catalog = nullptr;  // of knowledge
  Calibration calibration;           // of knowledge
  bool by_total = false;             // compare with the answer's total whatever the row's meter, as a stranger would
  bool verbose = false;              // print each row's terms
  bool unknown_source = false;  // leave-source-out: predict as if the row's framework or engine had no entry of its own
};

struct Study {
  std::string_view name;   // memory-training
  std::string_view file;   // memory_train.jsonl
  std::string_view title;  // Memory of training
  std::string_view unit;   // GiB
  void (*evaluate)(const Row& row, const Context& context, Sample& sample);
  bool verdicts_must_hold = false;  // --check fails when a row measured as out of memory is called a fit
  bool leaves_source_out = false;   // the page also says how well rows are met without what was fitted on their source
};

std::span<const Study* const> studies();

// The rows of one gold file, in order. Throws InputError with file and line. Views in the profiles live in `arena`.
std::vector<Row> read_rows(const std::string& path, base::Arena& arena);
bool in_holdout(std::string_view id);

struct Summary {
  std::size_t count = 0;
  double median = 0;  // of |error|, percent
  double p90 = 0;     // of |error|, percent
  double bias = 0;    // median of the signed error, percent
  double low = 0;     // 10th percentile of the signed error
  double high = 0;    // 90th percentile of the signed error
};
Summary summarise(const std::vector<double>& signed_errors_percent);
double quantile(std::vector<double> values, double q);  // linear between the neighbours

// Every pair of rows of one group on different machines.
struct PairSummary {
  std::size_t count = 0;
  double median = 0;  // of |predicted ratio / measured ratio - 1|, percent
  double p90 = 0;
  std::size_t ordered = 0;  // pairs whose measured speeds differ by more than 5 %
  double tau = 0;           // Kendall: (concordant - discordant) / ordered
};
PairSummary pair_summary(const std::vector<Sample>& samples,
                         const std::function<bool(const Sample&, const Sample&)>& take);

struct Confusion {
  int fit_called_fit = 0;
  int fit_called_oom = 0;
  int oom_called_oom = 0;
  int oom_called_fit = 0;
};
Confusion confusion(const std::vector<Sample>& samples);

// Pairs with a holdout row whose measured speeds differ by more than 5 % and whose order the estimate turns round.
std::vector<std::pair<const Sample*, const Sample*>> turned_pairs(const std::vector<Sample>& samples);

// Remarks on single rows, kept beside the program in remarks.yaml: why a row is set aside as unusable, or why the
// model gets it wrong.
struct Remark {
  bool set_aside = false;
  std::string reason;
};
using Remarks = std::map<std::string, Remark, std::less<>>;
Remarks read_remarks(const std::string& path);

struct Result {
  const Study* study;
  std::vector<Sample> samples;    // rows in use
  std::vector<Sample> set_aside;  // with a remark that says why
  std::vector<Sample> unknown;    // rows in use, predicted as if their source were unknown; empty: not asked for
};
Result run(const Study& study, const std::string& gold, const Context& context, const Remarks& remarks,
           base::Arena& arena);

// Rows in use that are further off than that and have no remark that says why.
std::vector<const Sample*> unexplained(const Result& result, const Remarks& remarks, double bad_percent);

struct PrintOptions {
  bool markdown = false;
  int worst = 12;           // rows listed
  double bad_percent = 25;  // rows further off than this are listed with their remark in the page
};
std::string print(const Result& result, const Remarks& remarks, const PrintOptions& options);

}  // namespace gpuadvise::accuracy
