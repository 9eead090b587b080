// Cards for tests of application speed: the facts that speed rests on, as their makers print them.
#pragma once

#include "gpuadvise/catalog.h"

namespace gpuadvise::test {

struct CardSheet {
  const char* id;
  const char* chip_class;
  double fp64, fp64_matrix, fp32, fp16, int8;  // 0: unknown
  double bandwidth;
  int sm;
  double mhz, l2, tdp;
  int rt_cores;  // -1: unknown
  int encoders;
  double memory;
};

inline Accelerator card(const CardSheet& sheet) {
  const auto known = [](double value) { return value > 0 ? std::optional<double>(value) : std::nullopt; };
  Accelerator out{};
  out.id = sheet.id;
  out.chip_class = sheet.chip_class;
  out.peak.fp64 = known(sheet.fp64);
  out.peak.fp64_tensor = known(sheet.fp64_matrix);
  out.peak.fp32 = known(sheet.fp32);
  out.peak.fp16 = known(sheet.fp16);
  out.peak.int8 = known(sheet.int8);
  out.memory_bandwidth_gb_per_s = known(sheet.bandwidth);
  if (sheet.sm > 0) out.sm_count = sheet.sm;
  out.boost_clock_mhz = known(sheet.mhz);
  out.l2_mib = known(sheet.l2);
  out.tdp_w = known(sheet.tdp);
  if (sheet.rt_cores >= 0) out.rt_core_count = sheet.rt_cores;
  if (sheet.encoders >= 0) out.nvenc_count = sheet.encoders;
  out.memory_gib = sheet.memory;
  return out;
}

inline Accelerator a100() {
  return card({"nvidia-a100-sxm4-80gb", "Ampere-GA100", 9.7, 19.5, 19.5, 312, 624, 2039, 108, 1410, 40, 400, 0, 0, 80});
}
inline Accelerator v100() {
  return card({"nvidia-v100-sxm2-16gb", "Volta", 7.8, 0, 15.7, 125, 0, 900, 80, 1530, 6, 300, 0, 3, 16});
}
inline Accelerator a10() {
  return card({"nvidia-a10", "Ampere-GA10x", 0, 0, 31.2, 125, 250, 600, 72, 1695, 6, 150, 72, 1, 24});
}
inline Accelerator t4() { return card({"nvidia-t4", "Turing", 0, 0, 8.1, 65, 130, 320, 40, 1590, 4, 70, 40, 1, 16}); }
inline Accelerator l20() {
  return card({"nvidia-l20", "Ada Lovelace", 0, 0, 59.8, 119.5, 239, 864, 92, 2520, 96, 275, 92, -1, 48});
}
inline Accelerator l40s() {
  return card({"nvidia-l40s", "Ada Lovelace", 0, 0, 91.6, 362.05, 733, 864, 142, 2520, 0, 350, 142, 3, 48});
}
inline Accelerator h20() {
  return card({"nvidia-h20-96gb", "Hopper", 1, 0, 44, 148, 296, 4000, 78, 0, 60, 400, 0, 0, 96});
}
inline Accelerator unknown_card() {
  return card({"somebody-s-card", "Something", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 0});
}

}  // namespace gpuadvise::test
