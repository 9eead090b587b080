#include <algorithm>
#include <cmath>

#include "estimate/name_match.h"
#include "estimate/work_class.h"

namespace gpuadvise {

namespace {

bool selects(const WorkSelector& row, const WorkQuery& query) {
  if (row.kind != query.kind) return false;
  if (!row.app.empty() && !name_holds(query.app, row.app)) return false;
  if (!row.words.empty() && !name_holds(query.case_name, row.words) && !name_holds(query.words, row.words))
    return false;
  if (row.precision && row.precision != query.precision) return false;
  return !row.bound || row.bound == query.bound;
}

const WorkClass* class_named(std::string_view id, const AppsCalibration& calibration) {
  for (const WorkClass& work : calibration.classes) {
    if (work.id == id) return &work;
  }
  return nullptr;
}

// Pieces of `detail`, separated by "|", hold every given text.
bool details_agree(std::string_view detail, std::span<const std::string_view> wanted) {
  for (const std::string_view text : wanted) {
    if (text.empty()) continue;
    bool found = false;
    std::string_view rest = detail;
    while (!found) {
      const auto bar = rest.find('|');
      found = same_name(rest.substr(0, bar), text);
      if (bar == std::string_view::npos) break;
      rest.remove_prefix(bar + 1);
    }
    if (!found) return false;
  }
  return true;
}

bool same_machine(const CaseMeasurement& row, const Machine& machine) {
  constexpr double kSameSlice = 1e-3;  // profiles write a third of a card as 0.3333
  return row.accelerator == machine.accelerator->id && row.nodes == machine.nodes &&
         std::abs(row.accelerators - machine.accelerators_per_node) < kSameSlice;
}

// The measured case nearest to the machine: the same machine, else any with the same app, case and details.
const CaseMeasurement* find_case(const WorkQuery& query, std::span<const std::string_view> details,
                                 const Machine& machine, const AppsCalibration& calibration) {
  const CaseMeasurement* found = nullptr;
  for (const CaseMeasurement& row : calibration.cases) {
    if (!same_name(row.app, query.app) || !same_name(row.case_name, query.case_name)) continue;
    if (!details_agree(row.detail, details)) continue;
    if (same_machine(row, machine)) return &row;
    if (found == nullptr) found = &row;
  }
  return found;
}

bool has_detail(std::span<const std::string_view> details, std::string_view wanted) {
  if (wanted.empty()) return true;
  for (const std::string_view detail : details) {
    if (same_name(detail, wanted)) return true;
  }
  return false;
}

// The most particular row comes first in the list.
const AppCardFactor* find_factor(const WorkQuery& query, std::span<const std::string_view> details,
                                 const Accelerator& card, const AppsCalibration& calibration) {
  for (const AppCardFactor& row : calibration.app_cards) {
    if (!same_name(row.app, query.app) || !name_holds(query.case_name, row.words)) continue;
    if (!has_detail(details, row.detail) || (row.precision && row.precision != query.precision)) continue;
    if (row.accelerator.empty() ? row.chip_class == card.chip_class : row.accelerator == card.id) return &row;
  }
  return nullptr;
}

}  // namespace

const WorkClass* find_class(const WorkQuery& query, const AppsCalibration& calibration) {
  for (const WorkSelector& row : calibration.selectors) {
    if (selects(row, query)) return class_named(row.work_class, calibration);
  }
  return nullptr;
}

std::optional<double> size_before(std::string_view text, std::string_view word) {
  const auto at = text.rfind(word);
  if (word.empty() || at == std::string_view::npos) return std::nullopt;
  auto end = at;
  while (end > 0 && text[end - 1] == ' ') --end;
  double value = 0;
  double unit = 1;
  bool any = false;
  while (end > 0 && ((text[end - 1] >= '0' && text[end - 1] <= '9') || (any && text[end - 1] == ','))) {
    const char c = text[--end];
    if (c == ',') continue;
    value += (c - '0') * unit;
    unit *= 10;
    any = true;
  }
  if (!any || value <= 0) return std::nullopt;
  return value;
}

double class_time(const WorkClass& work, const CardRates& card, const CardRates& reference, Precision precision,
                  std::optional<double> size) {
  double joined = 0;
  double joined_on_reference = 0;
  for (const ResourceShare& part : work.shares) {
    const bool tensor = part.resource == Resource::tensor;
    const double rate = tensor ? card.of(precision) : card.of(part.resource);
    const double on_reference = tensor ? reference.of(precision) : reference.of(part.resource);
    if (rate <= 0 || on_reference <= 0) return 0;
    joined += std::pow(part.share * on_reference / rate, work.overlap);
    joined_on_reference += std::pow(part.share, work.overlap);
  }
  if (joined <= 0) return 0;
  const double busy = std::pow(joined / joined_on_reference, 1 / work.overlap);
  const double latency = size && work.latency_size > 0 ? work.latency_size / *size : work.latency_share;
  const double clock = card.of(Resource::clock);
  const double clock_ratio = clock > 0 ? reference.of(Resource::clock) / clock : 1;
  return busy + latency * clock_ratio;
}

double class_scaling(const WorkClass& work, double accelerators_per_node, int nodes) {
  const double cards = accelerators_per_node;
  const double node = cards < 1 ? std::pow(cards, work.slice_exponent) : cards / (1 + work.card_loss * (cards - 1));
  return node * nodes / (1 + work.node_loss * (nodes - 1));
}

SpeedEstimate speed_by_class(const WorkQuery& query, std::span<const std::string_view> details,
                             const Workload& /*workload*/, const Machine& machine, const AppsCalibration& calibration) {
  SpeedEstimate out;
  const WorkClass* work = find_class(query, calibration);
  const ReferenceCard* reference_card = work == nullptr ? nullptr : find_reference(work->reference, calibration);
  if (reference_card == nullptr) {
    out.why = "speed/no-class";
    return out;
  }
  const CardRates card = card_rates(*machine.accelerator, calibration);
  const CardRates reference = card_rates(*reference_card, calibration);
  const Precision precision = query.precision.value_or(work->precision);
  const auto size = size_before(query.case_name, work->size_word);
  const double time = class_time(*work, card, reference, precision, size);
  const double time_on_reference = class_time(*work, reference, reference, precision, size);
  if (time <= 0 || time_on_reference <= 0) {
    out.why = "speed/card-rate-unknown";
    return out;
  }
  const AppCardFactor* factor = find_factor(query, details, *machine.accelerator, calibration);
  out.known = true;
  out.relative = time_on_reference / time * class_scaling(*work, machine.accelerators_per_node, machine.nodes) *
                 (factor != nullptr ? factor->factor : 1);
  // Where no measurement reaches the chip class, the band of those that are measured says too little.
  const double widening = card.measured_class ? 1 : calibration.unmeasured_widening;
  constexpr double kLowest = -95;  // a speed stays above zero
  out.band_low_percent = std::max(kLowest, work->band_low_percent * widening);
  out.band_high_percent = work->band_high_percent * widening;
  out.nearness = factor != nullptr ? EstimateConfidence::interpolated : EstimateConfidence::extrapolated;

  if (const CaseMeasurement* row = find_case(query, details, machine, calibration)) {
    out.unit = row->unit;
    if (same_machine(*row, machine)) {
      out.value = row->value;
      out.nearness = EstimateConfidence::measured;
    } else {
      out.value = row->lower_is_better ? row->reference_value / *out.relative : row->reference_value * *out.relative;
    }
  }
  return out;
}

}  // namespace gpuadvise
