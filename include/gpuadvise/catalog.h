// The catalog: what the vendors document about accelerators, instance types and prices, each fact with its
// sources and date. Everything here is immutable once loaded and holds views only: the compiled-in catalog lives in
// static tables, a catalog read from YAML lives in the Arena that loaded it.
//
// Units are in the names: _gib binary gigabytes, _gbps gigabit/s for networks, _gb_per_s decimal gigabyte/s for
// memory and accelerator links, TFLOPS and TOPS dense (no structured sparsity). An empty optional is "unknown": no
// source was read for it. It never means zero.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpuadvise/model.h"
#include "gpuadvise/model_config.h"
#include "gpuadvise/task.h"
#include "gpuadvise/text.h"

namespace gpuadvise {

// `user` marks the rows of a user's own price file; no source of the catalog is of that kind.
enum class SourceKind : std::uint8_t { vendor, vendor_code, paper, third_party, third_party_low, user };

struct Source {
  std::string_view id;
  SourceKind kind;
  std::string_view title;
  std::string_view where;  // address, or repository and path, or how the page was reached
  std::string_view date;   // ISO date, as precise as the source is ("2024-12", "2025-06-16"); empty: undated
  std::string_view licence;
  std::string_view note;
};

// A name that a price page uses for several regions: "mainland China".
struct PriceArea {
  std::string_view name;
  std::span<const std::string_view> regions;  // ids of the vendor
};

struct Vendor {
  std::string_view id;  // alibaba, tencent, huawei
  Text name;
  std::span<const std::string_view> aliases;
  std::span<const std::string_view> name_prefixes;  // of instance types: "ecs."
  std::span<const std::string_view> home_regions;   // of mainland China, "cn-*" for all that start so
  std::span<const std::string_view> other_regions;  // exceptions from home_regions
  std::span<const PriceArea> price_areas;
  std::string_view terraform_provider;
  Text spot_range;                          // what the vendor promises of spot prices
  std::optional<double> spot_min_fraction;  // lowest fraction of the list price that the vendor names
  std::span<const std::string_view> sources;
};

// Peak dense rates. fp32 is the vector rate; tensor (matrix) engines where the name says so.
struct PeakRates {
  std::optional<double> fp64;
  std::optional<double> fp64_tensor;
  std::optional<double> fp32;
  std::optional<double> fp32_matrix;
  std::optional<double> tf32;
  std::optional<double> fp16_vector;
  std::optional<double> fp16;  // tensor, fp32 accumulate
  std::optional<double> bf16;  // tensor, fp32 accumulate
  std::optional<double> fp8;
  std::optional<double> fp4;
  std::optional<double> int8;
  std::optional<double> int4;
  std::optional<double> fp16_fp16_accumulate;  // the faster rate of consumer cards
};

enum class Confidence : std::uint8_t { high, medium, low };

struct Accelerator {
  std::string_view id;  // nvidia-a100-sxm4-80gb: maker, model, form factor, memory
  std::string_view name;
  std::string_view maker;
  std::span<const std::string_view> aliases;
  std::string_view architecture;             // Ampere
  std::string_view chip_class;               // Ampere-GA100: what calibrations are keyed by
  std::string_view form_factor;              // SXM4, PCIe, OAM, ...; empty: unknown
  std::string_view software_stack;           // cuda, cann, rocm, ...
  std::optional<double> compute_capability;  // NVIDIA: 8.0
  std::optional<int> release_year;
  std::optional<double> memory_gib;         // nominal, the number on the vendor's sheet
  std::optional<double> usable_memory_gib;  // what the driver reports, where a source says
  std::string_view memory_type;
  std::optional<double> memory_bandwidth_gb_per_s;
  std::optional<bool> ecc;
  std::optional<double> tdp_w;
  std::optional<int> chips_per_board;
  PeakRates peak;
  std::optional<double> l2_mib;
  std::optional<int> sm_count;
  std::optional<double> boost_clock_mhz;
  std::string_view link;  // NVLink, HCCS, ...; "none" when documented to have none; empty: unknown
  std::optional<int> link_generation;
  std::optional<double> link_gb_per_s;  // total, both directions, per accelerator
  std::optional<int> pcie_gen;
  std::optional<int> pcie_lanes;
  std::optional<int> mig_max_instances;
  std::optional<bool> vgpu;
  std::optional<int> rt_core_generation;
  std::optional<int> rt_core_count;  // 0: has none
  std::string_view opengl;           // highest level; "none" when documented to have none; empty: unknown
  std::string_view vulkan;
  std::string_view directx;
  std::string_view graphics_note;
  std::optional<int> nvenc_count;
  std::optional<int> nvenc_generation;
  std::optional<bool> nvenc_av1;
  std::optional<int> nvdec_count;
  std::optional<bool> nvdec_av1;
  std::string_view media_note;
  std::span<const std::string_view> export_rules;
  std::string_view export_note;
  Confidence confidence;
  std::span<const std::string_view> sources;
  std::string_view date;                        // when these facts were compiled
  std::span<const std::string_view> derived;    // fields worked out from other values, and how
  std::span<const std::string_view> conflicts;  // where sources differ
  std::span<const std::string_view> notes;
};

// A rule on shipment. Background on supply, not an availability flag.
struct ExportRule {
  std::string_view id;
  std::string_view date;
  std::string_view authority;
  std::string_view effect;
  std::span<const std::string_view> items;
  std::string_view scope;
  std::string_view status;
  std::span<const std::string_view> sources;
};

enum class Status : std::uint8_t {
  current,          // documented, nothing said against buying it
  restricted,       // some regions, allow-list, or ask sales
  preview,          // invitation only
  unconfirmed,      // a vendor's type whose present sale no source read confirms: searched, and marked
  not_recommended,  // the vendor says so
  retired,          // no longer sold
  undocumented      // a name seen only outside the vendor's family pages
};

// One size of a family.
struct InstanceType {
  std::string_view name;         // as the vendor spells it
  std::optional<Status> status;  // where it differs from its family's
  std::optional<int> vcpus;
  std::optional<double> memory_gib;                    // host
  std::string_view accelerator;                        // id, where it differs from its family's
  std::optional<double> accelerators;                  // cards; a fraction for a slice of one card
  std::optional<double> accelerator_memory_gib;        // per card, or of the slice
  std::optional<double> accelerator_memory_total_gib;  // all cards together
  bool slice = false;                                  // vGPU, fractional or MIG: not a whole card
  std::optional<double> network_gbps;                  // base, per machine
  std::optional<double> network_burst_gbps;
  std::optional<double> rdma_gbps;  // per machine
  std::optional<double> packets_per_second;
  std::optional<double> local_storage_gib;
  std::optional<double> disk_iops;
  std::optional<double> disk_gb_per_s;
  std::string_view suspect;  // why the row should be checked before it is used
  std::span<const std::string_view> sources;
  std::span<const std::string_view> notes;
  int accelerator_index = -1;  // into Catalog::accelerators; worked out at load; -1: unknown card
};

enum class NamedBy : std::uint8_t { vendor, vendor_code, third_party, inferred };

struct Family {
  std::string_view vendor;
  std::string_view name;  // gn7i, GN10Xp, p2v
  Text title;
  std::string_view product;   // ecs, ebm, CVM GPU, ModelArts ...
  std::string_view platform;  // empty: the vendor's own cloud; else the sister cloud that sells it
  Status status;
  bool default_search;  // false: only searched when asked for by name or with --include
  Text caveat;          // what a buyer must know first; empty: nothing
  std::string_view status_note;
  std::string_view accelerator;  // id; empty: unknown card
  NamedBy accelerator_named_by;  // who names the card
  std::string_view accelerator_note;
  std::string_view cpu;
  std::optional<double> cpu_base_ghz;
  std::optional<double> cpu_turbo_ghz;
  std::string_view cpu_arch;                    // x86_64, arm64; empty: unknown
  std::string_view interconnect;                // nvlink, pcie, hccs, none (one card only); empty: unknown
  std::optional<double> interconnect_gb_per_s;  // per accelerator, both directions
  std::string_view interconnect_note;
  std::string_view rdma;  // kind: RoCE, eRDMA, InfiniBand; "none" when documented so; empty: unknown
  std::string_view local_disk;
  std::span<const std::string_view> disks;      // cloud disk categories that the vendor lists
  std::string_view vgpu_licence;                // included, bring-your-own, ...; empty: not applicable or unknown
  std::optional<bool> graphics;                 // sold with a graphics (GRID or similar) driver and licence
  std::span<const std::string_view> scenarios;  // the vendor's own words for what it is for
  std::string_view released;
  std::span<const std::string_view> regions;
  std::string_view regions_date;
  std::span<const std::string_view> successors;  // families to take instead
  Text often_said;                               // a common wrong claim, and what is true
  std::span<const std::string_view> sources;
  std::string_view date;
  std::span<const std::string_view> notes;
  std::span<const InstanceType> types;
};

// Types of a family that stands in another file: facts under another licence, or of a user's own. Joined to their
// family when data is loaded.
struct MoreTypes {
  std::string_view vendor;
  std::string_view family;
  std::span<const InstanceType> types;
};

enum class ChargeType : std::uint8_t { on_demand, month, year, spot };

struct Price {
  std::string_view vendor;
  std::string_view type;
  std::string_view region;
  ChargeType charge;
  std::string_view currency;         // as listed: a code of Catalog::currencies
  double amount;                     // per hour for on_demand and spot, per month or year otherwise
  std::optional<double> amount_min;  // where the page prints a range by zone
  std::optional<double> amount_max;
  std::string_view as_of;  // ISO date; empty: undated
  std::string_view source;
  SourceKind confidence;     // of this row
  std::string_view suspect;  // why the row is not used for ranking; empty: nothing against it
  std::string_view note;
};

// A currency that prices and budgets may be in.
struct Currency {
  std::string_view code;  // ISO 4217
  Text name;
  std::string_view source;
};

// What a unit of a currency is worth in the first of Catalog::currencies. The catalog has none: money is converted at
// the user's rate or not at all.
struct ExchangeRate {
  std::string_view currency;
  double worth;
};

// What the interruptions of spot machines are reckoned to cost a training that writes checkpoints: see
// docs/method/cost.md.
struct SpotInterruptions {
  double hours_between = 0;     // between two interruptions of one machine, on average
  double checkpoint_hours = 0;  // of work between two checkpoints
  double restart_hours = 0;     // from an interruption until the work goes on
  double most_lost = 0;         // share of the time; where more is lost, no cost to finish is given
  std::string_view note;        // what the values rest on
};

// A name that guides or people use, and what it stands for. Names of documented families need no row unless guides
// say something wrong about them.
struct NameNote {
  std::string_view name;
  std::string_view vendor;
  bool documented;
  Text said;                                  // what guides say
  Text truth;                                 // what is documented
  std::span<const std::string_view> nearest;  // families, best first
  std::span<const std::string_view> sources;
};

struct Catalog {
  std::string_view date;    // newest date of its facts
  std::string_view sha256;  // over the bytes of all data files, sorted by path
  std::span<const Source> sources;
  std::span<const Vendor> vendors;
  std::span<const Accelerator> accelerators;
  std::span<const ExportRule> export_rules;
  std::span<const Family> families;
  std::span<const MoreTypes> more_types;  // empty once loaded
  std::span<const Price> prices;
  std::span<const Currency> currencies;  // the first is that of a request which names none
  std::span<const ExchangeRate> exchange_rates;
  SpotInterruptions spot_interruptions;
  std::span<const NameNote> names;
  std::span<const Model> models;
  std::span<const TypicalShape> typical_shapes;  // smallest first
  std::span<const ModelType> model_types;
  std::span<const ConfigKey> config_keys;
  std::span<const TaskPreset> tasks;
};

}  // namespace gpuadvise
