#include <algorithm>
#include <cmath>

#include "gpuadvise/serving.h"

#include "base/date.h"
#include "estimate/cost.h"

namespace gpuadvise {

namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kMillion = 1e6;

bool trains(const Workload& w) { return w.kind == TaskKind::llm_training || w.kind == TaskKind::media_training; }

struct UnitRate {
  CostUnit unit;
  double count;  // units that the cost is told for
  std::optional<double> per_hour;
};

UnitRate unit_rate(const Workload& w, const SpeedEstimate& s) {
  constexpr double kMany = 1000;
  const CostUnit unit = w.task == nullptr ? CostUnit::none : w.task->cost_unit;
  const auto hourly = [](const std::optional<double>& rate) {
    return rate ? std::optional(*rate * kSecondsPerHour) : std::nullopt;
  };
  const auto valued_in = [&](std::string_view name) { return s.unit == name ? s.value : std::nullopt; };
  switch (unit) {
    case CostUnit::image:
      if (w.profile.inference.frames.value_or(1) > 1) return {CostUnit::clip, 1, hourly(s.samples_per_second)};
      return {unit, kMany, hourly(s.samples_per_second)};
    case CostUnit::passage:
      return {unit, kMany, hourly(s.samples_per_second)};
    case CostUnit::clip:
    case CostUnit::frame:
      return {unit, 1, hourly(s.samples_per_second)};
    case CostUnit::audio_hour:
      if (!s.samples_per_second || !w.profile.inference.audio_seconds) return {unit, 1, std::nullopt};
      return {unit, 1, *s.samples_per_second * *w.profile.inference.audio_seconds};
    case CostUnit::session_hour:
      return {unit, 1, valued_in("sessions")};
    case CostUnit::stream_hour:
      if (s.unit == "fps") return {CostUnit::frame, kMany, hourly(s.value)};
      return {unit, 1, valued_in("streams")};
    case CostUnit::none:
      break;
  }
  return {CostUnit::none, 1, std::nullopt};
}

// A subscription is paid in whole months or years, however soon the job is done.
double money_for(double hours, ChargeType charge, double per_hour) {
  constexpr double kSlack = 1e-9;
  if (charge != ChargeType::month && charge != ChargeType::year) return hours * per_hour;
  const double term = hours_of(charge);
  return std::max(1.0, std::ceil(hours / term - kSlack)) * term * per_hour;
}

void set_to_finish(const Workload& w, const SpeedEstimate& speed, const Catalog& catalog, int nodes,
                   CostEstimate& cost) {  // nodes: that one interruption stops
  if (!work_of(w)) return;
  const bool spot = charge_of(w) == ChargeType::spot;
  cost.interruption_loss = interruption_loss(w, catalog.spot_interruptions, nodes);
  // What a lost machine was rendering is a frame or two.
  if (spot && !cost.interruption_loss && w.kind != TaskKind::rendering) {
    cost.why = "cost/spot-no-checkpoints";
    return;
  }
  if (cost.interruption_loss && *cost.interruption_loss > catalog.spot_interruptions.most_lost) {
    cost.why = "cost/spot-too-many";
    return;
  }
  const auto hours = hours_to_finish(w, speed, catalog, nodes);
  if (hours) cost.to_finish = money_for(*hours, spot ? ChargeType::spot : cost.price->charge, *cost.per_hour);
}

}  // namespace

std::optional<double> work_of(const Workload& w) {
  const DataSpec& d = w.profile.data;
  const double passes = d.epochs.value_or(1) * w.profile.operations.runs.value_or(1);
  if (w.kind == TaskKind::llm_training && d.dataset_tokens) return *d.dataset_tokens * passes;
  if (w.kind == TaskKind::media_training && d.dataset_samples) return *d.dataset_samples * passes;
  if (w.kind == TaskKind::rendering) return w.profile.rendering.frames;
  if (w.kind == TaskKind::hpc && w.profile.hpc.hours_per_run) return w.profile.operations.runs.value_or(1);
  return std::nullopt;
}

std::optional<double> interruption_loss(const Workload& w, const SpotInterruptions& interruptions, int nodes) {
  if (!trains(w) || charge_of(w) != ChargeType::spot || w.profile.operations.checkpointing != true) return std::nullopt;
  if (interruptions.hours_between <= 0) return std::nullopt;
  const double lost_each = interruptions.checkpoint_hours / 2 + interruptions.restart_hours;
  return nodes * lost_each / interruptions.hours_between;
}

std::optional<double> hours_to_finish(const Workload& w, const SpeedEstimate& speed, const Catalog& catalog,
                                      int nodes) {
  const auto work = work_of(w);
  const auto rate = w.kind == TaskKind::llm_training ? speed.tokens_per_second : speed.samples_per_second;
  if (!work || !rate || *rate <= 0) return std::nullopt;
  const double lost = interruption_loss(w, catalog.spot_interruptions, nodes).value_or(0);
  if (lost > 0 && lost > catalog.spot_interruptions.most_lost) return std::nullopt;
  return *work / *rate / kSecondsPerHour / (1 - lost);
}

CostEstimate estimate_cost(const Workload& w, const SpeedEstimate& speed, const PriceChoice& choice,
                           const Catalog& catalog, int nodes, std::optional<int> nodes_of_a_run) {
  CostEstimate cost;
  cost.price = choice.price;
  cost.why = choice.why;
  if (choice.price != nullptr) cost.price_age_months = base::months_between(choice.price->as_of, catalog.date);
  if (cost.why == "cost/other-currency") cost.currency = choice.currency;  // the one that it is not known in
  if (!choice.per_hour) return cost;
  cost.known = true;
  cost.currency = choice.currency;
  cost.exchange_rate = choice.rate;
  cost.per_hour = *choice.per_hour * nodes;
  if (choice.per_hour_low) cost.per_hour_low = *choice.per_hour_low * nodes;
  if (const auto& rate = speed.tokens_per_second; rate && *rate > 0) {
    cost.per_million_tokens = *cost.per_hour / (*rate * kSecondsPerHour) * kMillion;
  }
  const UnitRate units = unit_rate(w, speed);
  if (units.per_hour && *units.per_hour > 0) {
    cost.per_unit = UnitCost{units.unit, units.count, *cost.per_hour / *units.per_hour * units.count};
  }
  set_to_finish(w, speed, catalog, nodes_of_a_run.value_or(nodes), cost);
  if (choice.price != nullptr && charge_of(w) != ChargeType::spot) {
    cost.month = break_even(catalog, *choice.price, ChargeType::month);
    cost.year = break_even(catalog, *choice.price, ChargeType::year);
  }
  return cost;
}

void split_token_cost(const Workload& w, const Machine& machine, const Layout& layout, const Calibration& calibration,
                      Estimate& estimate) {
  CostEstimate& cost = estimate.cost;
  if (w.kind != TaskKind::llm_serving && w.kind != TaskKind::interactive) return;
  if (!cost.per_hour) return;
  const auto tokens = serving_token_cost(w, machine, layout, calibration, estimate.speed, *cost.per_hour);
  if (!tokens) return;
  cost.per_million_input_tokens = tokens->input;
  cost.per_million_output_tokens = tokens->output;
}

}  // namespace gpuadvise
