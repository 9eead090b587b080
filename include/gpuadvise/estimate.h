// Memory, speed and cost of one workload on one layout. Pure functions: no I/O, no globals, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/calibration.h"
#include "gpuadvise/catalog.h"
#include "gpuadvise/workload.h"

namespace gpuadvise {

// The hardware as an estimate sees it: one node type, how many, and what joins them.
struct Machine {
  const Accelerator* accelerator = nullptr;
  double accelerators_per_node = 1;  // below 1: a slice of one card
  int nodes = 1;
  double memory_gib = 0;             // usable memory of one accelerator (or slice)
  bool usable_memory_known = false;  // from a driver's report; otherwise a stated fraction of nominal
  LinkKind link = LinkKind::none;
  double link_gb_per_s = 0;    // per accelerator, total of both directions
  double inter_node_gbps = 0;  // per node
  bool rdma = false;
  double vcpus = 0;            // per node; 0: unknown
  double host_memory_gib = 0;  // per node; 0: unknown
};

struct Layout {
  int tensor = 1;
  int pipeline = 1;
  int virtual_pipeline = 1;
  int data = 1;  // training: data-parallel ranks; serving: replicas
  int expert = 1;
  int context = 1;
  bool sequence_parallel = false;
  int zero_stage = 0;
  int micro_batch = 1;
  Checkpointing checkpointing = Checkpointing::none;
};

// GiB per accelerator on the fullest card. The items add up to `total`, which is counted the way the framework or
// engine itself reports it (`meter`); by_meter says what the same run shows elsewhere. The verdict
// goes by what is required.
struct MemoryEstimate {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;
  double logits = 0;
  double kv_cache = 0;
  double adapters = 0;
  double communication = 0;
  double runtime = 0;
  double scene = 0;  // what the application itself holds: the scene of a renderer, the problem of a simulation
  double fragmentation = 0;
  double total = 0;
  MemoryMeter meter = MemoryMeter::allocated;
  double allocated = 0;  // live tensors at the peak
  double reserved = 0;   // held by the framework's allocator
  double device = 0;     // everything on the card, context included
  double required = 0;   // what the card must have: device less what the allocator would give back
  double limit_gib = 0;  // what the engine lets itself use: its share of the card; the card where it sets no share
  double capacity_gib = 0;
  bool known = false;  // false: the model cannot say; why tells the reason
  bool fits = false;
  // Where not known: what the parameters alone take of the card, by method and layout; 0: not known either.
  double at_least = 0;
  double headroom_gib = 0;
  double band_low_percent = 0;  // measured error of the nearest class, from the accuracy tables
  double band_high_percent = 0;
  std::string_view why;  // message id

  // What is known of it is too much for the card, even if not all is known.
  bool cannot_fit() const { return known ? !fits : capacity_gib > 0 && at_least > capacity_gib; }
};

// Seconds of one optimizer step (training) or of one serving step, by term.
struct StepTerms {
  double compute = 0;
  double attention = 0;
  double memory_traffic = 0;
  double tensor_comm = 0;
  double pipeline_bubble = 0;
  double data_comm = 0;
  double expert_comm = 0;
  double context_comm = 0;
  double optimizer = 0;
  double host = 0;
  double data_loading = 0;
};

enum class EstimateConfidence : std::uint8_t { measured, interpolated, extrapolated, unknown };

struct SpeedEstimate {
  bool known = false;
  std::optional<double> tokens_per_second;  // whole job
  std::optional<double> tokens_per_second_per_accelerator;
  std::optional<double> samples_per_second;
  std::optional<double> tflops_per_accelerator;  // model FLOPs, recompute not counted
  std::optional<double> mfu_percent;
  std::optional<double> step_seconds;
  std::optional<double> ttft_ms;
  std::optional<double> tpot_ms;
  std::optional<double> latency_ms;                // inference: request in to last token out
  std::optional<double> output_tokens_per_second;  // whole system, like the two below
  std::optional<double> total_tokens_per_second;   // input and output
  std::optional<double> requests_per_second;
  std::optional<double> value;
  std::string_view unit;
  std::optional<double> relative;
  double band_low_percent = 0;
  double band_high_percent = 0;
  // How near the measurements are that the formulas were fitted on; unknown: they do not say.
  EstimateConfidence nearness = EstimateConfidence::unknown;
  StepTerms terms;
  std::string_view why;  // message id, when not known
};

// From how many hours a month a subscription costs less than paying on demand; above those of a month (730): never.
struct BreakEven {
  const Price* on_demand = nullptr;
  const Price* subscription = nullptr;
  double hours_per_month = 0;
};

// Money for so many units of work that are not tokens.
struct UnitCost {
  CostUnit unit = CostUnit::none;
  double count = 1;
  double amount = 0;
};

// Every amount is in `currency`, that of the request: amounts of two candidates compare as numbers. A price in another
// currency without a rate, or none at all, gives no amount. Formulas: docs/method/cost.md.
struct CostEstimate {
  bool known = false;  // per_hour is given
  std::string_view currency;
  std::optional<double> per_hour;                  // all machines
  std::optional<double> per_hour_low;              // spot by the vendor's stated range; per_hour is then its upper end
  std::optional<double> per_million_tokens;        // trained; serving: input and output together
  std::optional<double> per_million_input_tokens;  // serving: input x tokens in + output x tokens out is a request
  std::optional<double> per_million_output_tokens;
  std::optional<UnitCost> per_unit;
  std::optional<double> to_finish;
  std::optional<double> interruption_loss;  // share of the time, in to_finish; spot training with checkpoints only
  std::optional<double> exchange_rate;      // what one unit of the price's currency was taken to be worth
  std::optional<int> price_age_months;      // against the newest fact of the catalog
  std::optional<BreakEven> month;
  std::optional<BreakEven> year;
  const Price* price = nullptr;  // the row it rests on; with no amount: the row that could not be used
  std::string_view why;          // message id: what is not known, and why
};

struct Estimate {
  MemoryEstimate memory;
  SpeedEstimate speed;
  CostEstimate cost;
  EstimateConfidence confidence = EstimateConfidence::unknown;
};

MemoryEstimate estimate_memory(const Workload& workload, const Machine& machine, const Layout& layout,
                               const Calibration& calibration);
SpeedEstimate estimate_speed(const Workload& workload, const Machine& machine, const Layout& layout,
                             const Calibration& calibration);

}  // namespace gpuadvise
