#include <algorithm>
#include <cmath>

#include "estimate/card_rates.h"

namespace gpuadvise {

namespace {

// The catalog's facts and a reference card's in one form.
struct Facts {
  std::string_view accelerator;
  std::string_view chip_class;
  std::optional<double> fp64, fp64_matrix, fp32, fp16_vector, fp16, bf16, tf32, fp8, int8;
  std::optional<double> bandwidth, clock_mhz, l2_mib, tdp_w;
  std::optional<int> sm, rt_cores, encoders, decoders;
};

std::optional<double> known(double value) { return value > 0 ? std::optional<double>(value) : std::nullopt; }

Facts facts_of(const Accelerator& card) {
  Facts f;
  f.accelerator = card.id;
  f.chip_class = card.chip_class;
  f.fp64 = card.peak.fp64;
  f.fp64_matrix = card.peak.fp64_tensor;
  f.fp32 = card.peak.fp32;
  f.fp16_vector = card.peak.fp16_vector;
  f.fp16 = card.peak.fp16;
  f.bf16 = card.peak.bf16;
  f.tf32 = card.peak.tf32;
  f.fp8 = card.peak.fp8;
  f.int8 = card.peak.int8;
  f.bandwidth = card.memory_bandwidth_gb_per_s;
  f.clock_mhz = card.boost_clock_mhz;
  f.l2_mib = card.l2_mib;
  f.tdp_w = card.tdp_w;
  f.sm = card.sm_count;
  f.rt_cores = card.rt_core_count;
  f.encoders = card.nvenc_count;
  f.decoders = card.nvdec_count;
  return f;
}

Facts facts_of(const ReferenceCard& card) {
  Facts f;
  f.accelerator = card.accelerator;
  f.chip_class = card.chip_class;
  f.fp64 = known(card.fp64);
  f.fp64_matrix = known(card.fp64_matrix);
  f.fp32 = known(card.fp32);
  f.fp16 = known(card.fp16);
  f.bf16 = known(card.bf16);
  f.tf32 = known(card.tf32);
  f.fp8 = known(card.fp8);
  f.int8 = known(card.int8);
  f.bandwidth = known(card.memory_bandwidth_gb_per_s);
  f.clock_mhz = known(card.boost_clock_mhz);
  f.l2_mib = known(card.l2_mib);
  f.tdp_w = known(card.tdp_w);
  if (card.sm_count > 0) f.sm = card.sm_count;
  f.rt_cores = card.rt_core_count;
  f.encoders = card.nvenc_count;
  f.decoders = card.nvdec_count;
  return f;
}

// The most particular entry that has a value: the card's own, its chip class's, the general one.
std::optional<double> tuned(const Facts& facts, const AppsCalibration& calibration,
                            std::optional<double> ChipTuning::*member) {
  std::optional<double> by_class;
  std::optional<double> general;
  for (const ChipTuning& chip : calibration.chips) {
    const std::optional<double>& value = chip.*member;
    if (!value) continue;
    if (!chip.accelerator.empty()) {
      if (chip.accelerator == facts.accelerator) return value;
    } else if (chip.chip_class.empty()) {
      general = value;
    } else if (chip.chip_class == facts.chip_class) {
      by_class = value;
    }
  }
  return by_class ? by_class : general;
}

CardRates rates_of(const Facts& f, const AppsCalibration& calibration) {
  CardRates out;
  const auto tune = [&](std::optional<double> ChipTuning::*member, double otherwise) {
    return tuned(f, calibration, member).value_or(otherwise);
  };
  const auto set = [&](Resource resource, double value) { out.rate[static_cast<std::size_t>(resource)] = value; };
  const auto set_tensor = [&](Precision precision, double nominal, double reached, double uncut) {
    const auto at = static_cast<std::size_t>(precision);
    out.nominal[at] = nominal;
    out.tensor[at] = nominal * reached * out.held_clock;
    out.uncut[at] = uncut;
  };

  const double fp32 = f.fp32.value_or(0);
  const auto clock_mhz = f.clock_mhz ? f.clock_mhz : tuned(f, calibration, &ChipTuning::boost_clock_mhz);
  out.clock_ghz = clock_mhz.value_or(0) / 1000;
  if (f.sm && *f.sm > 0 && out.clock_ghz > 0) {
    out.multiprocessor_ghz = *f.sm * out.clock_ghz;
  } else {
    constexpr double kTeraflopsPerMultiprocessorGhz = 0.256;  // 128 lanes, a multiply-add counted as 2
    out.multiprocessor_ghz = fp32 / kTeraflopsPerMultiprocessorGhz;
  }
  for (const ChipTuning& chip : calibration.chips) {
    out.measured_class = out.measured_class || (!chip.chip_class.empty() && chip.chip_class == f.chip_class) ||
                         (!chip.accelerator.empty() && chip.accelerator == f.accelerator);
  }
  out.filled = !f.clock_mhz || !f.sm || !f.fp32;
  out.bandwidth_gb_per_s = f.bandwidth.value_or(0) * tune(&ChipTuning::bandwidth, 1);
  out.l2_mib = f.l2_mib.value_or(0);
  if (const auto watts = tuned(f, calibration, &ChipTuning::watts); watts && f.tdp_w && out.multiprocessor_ghz > 0) {
    const double supplied = *f.tdp_w / out.multiprocessor_ghz;
    out.held_clock = std::pow(std::min(1.0, supplied / *watts), calibration.power_exponent);
  }

  const double fp64 = f.fp64 ? *f.fp64 : fp32 * tune(&ChipTuning::fp64_per_fp32, 0);
  set(Resource::fp64, fp64);
  set(Resource::fp64_matrix, std::max(fp64, f.fp64_matrix.value_or(0)));
  set(Resource::fp32, fp32 * tune(&ChipTuning::fp32, 1));
  set(Resource::issue, out.multiprocessor_ghz * tune(&ChipTuning::issue, 1));
  set(Resource::bandwidth, out.bandwidth_gb_per_s);
  set(Resource::clock, out.clock_ghz * tune(&ChipTuning::latency, 1));
  const double ray_units = f.rt_cores.value_or(0) > 0 ? *f.rt_cores * out.clock_ghz : out.multiprocessor_ghz;
  set(Resource::rays, ray_units * tune(&ChipTuning::rays, 1) * out.held_clock);
  set(Resource::graphics, out.multiprocessor_ghz * tune(&ChipTuning::graphics, 1) * out.held_clock);
  set(Resource::encode, f.encoders.value_or(0) * tune(&ChipTuning::encode, 1));
  set(Resource::encode_one, f.encoders.value_or(1) > 0 ? tune(&ChipTuning::encode, 1) : 0);
  set(Resource::decode, f.decoders.value_or(0) * tune(&ChipTuning::encode, 1));
  set(Resource::fixed, 1);

  // Formats that a card lacks run as the next wider one that it has; without a matrix engine, on the vector units.
  constexpr double kTera = 1e3;  // GHz x FLOP to TFLOP/s
  const double uncut16 =
      f.sm && out.clock_ghz > 0 ? out.multiprocessor_ghz * tune(&ChipTuning::flops_per_clock, 0) / kTera : 0;
  const double fp32_reached = tune(&ChipTuning::fp32_eff, 1);
  const double vector16 = f.fp16_vector.value_or(fp32);
  const double fp16 = f.fp16.value_or(f.int8 && *f.int8 > 4 * fp32 ? *f.int8 / 2 : vector16);
  const double fp16_reached = tune(&ChipTuning::fp16_eff, 1);
  const double matrix64 = std::max(fp64, f.fp64_matrix.value_or(0));
  set_tensor(Precision::fp64, matrix64, 1, 0);
  for (const Precision precision :
       {Precision::fp32, Precision::mixed, Precision::int16, Precision::int32, Precision::int64}) {
    set_tensor(precision, fp32, fp32_reached, 0);
  }
  if (f.tf32) {
    set_tensor(Precision::tf32, *f.tf32, tune(&ChipTuning::tf32_eff, 1), uncut16 / 2);
  } else {
    set_tensor(Precision::tf32, fp32, fp32_reached, 0);
  }
  // INT4 and NF4 are weight-only formats: computed at 16 bit.
  for (const Precision precision : {Precision::fp16, Precision::int4, Precision::nf4}) {
    set_tensor(precision, fp16, fp16_reached, uncut16);
  }
  if (f.bf16) {
    set_tensor(Precision::bf16, *f.bf16, tune(&ChipTuning::bf16_eff, 1), uncut16);
  } else {
    set_tensor(Precision::bf16, fp32, fp32_reached, 0);
  }
  for (const Precision precision : {Precision::fp8, Precision::fp4}) {
    if (f.fp8) {
      set_tensor(precision, *f.fp8, tune(&ChipTuning::fp8_eff, 1), uncut16 * 2);
    } else {
      set_tensor(precision, fp16, fp16_reached, uncut16);
    }
  }
  // Without INT8 units the FP16 ones do the work; how well is a factor of its own.
  if (f.int8) {
    set_tensor(Precision::int8, *f.int8, tune(&ChipTuning::int8_eff, 1), uncut16 * 2);
  } else {
    set_tensor(Precision::int8, fp16, tune(&ChipTuning::int8_eff, fp16_reached), 0);
  }
  return out;
}

}  // namespace

CardRates card_rates(const Accelerator& card, const AppsCalibration& calibration) {
  return rates_of(facts_of(card), calibration);
}

CardRates card_rates(const ReferenceCard& card, const AppsCalibration& calibration) {
  return rates_of(facts_of(card), calibration);
}

const ReferenceCard* find_reference(std::string_view accelerator, const AppsCalibration& calibration) {
  for (const ReferenceCard& card : calibration.references) {
    if (card.accelerator == accelerator) return &card;
  }
  return nullptr;
}

}  // namespace gpuadvise
