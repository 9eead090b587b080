// What is known about the speed of everything that is not a language model: vision, diffusion, speech, recommenders,
// rendering, streaming, transcoding and HPC. Formulas: docs/method/apps-speed.md.
//
// The question is answered in two steps. How much faster is this machine than one reference card on the same work
// (`relative`)? That follows from facts of the card and from the kind of work, so it needs no measurement of the
// application. How fast is it in the application's own unit? That needs a measured case (CaseMeasurement) or a
// calibrated model (MediaModel), and is the reference's figure times `relative`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpuadvise/model.h"
#include "gpuadvise/profile.h"
#include "gpuadvise/task.h"

namespace gpuadvise {

// A rate of a card that work waits for.
enum class Resource : std::uint8_t {
  fp64,         // vector FP64, FLOP/s
  fp64_matrix,  // the faster of vector and matrix-engine FP64, FLOP/s
  fp32,         // vector FP32, FLOP/s
  tensor,       // matrix engine at the precision asked for, FLOP/s
  issue,        // instructions: multiprocessors x clock
  bandwidth,    // device memory, achieved
  clock,        // one dependent instruction after another
  rays,         // ray-triangle and box tests, in hardware or in software
  graphics,     // rasterisation and shading
  encode,       // all video encoders x their generation
  encode_one,   // one of them: a single stream
  decode,       // video decoders
  fixed         // host and input/output: the same on every card
};

// Plain numbers of a reference card, as the catalog has them. Units as in Accelerator.
struct ReferenceCard {
  std::string_view accelerator;
  std::string_view chip_class;
  double fp64 = 0;
  double fp64_matrix = 0;
  double fp32 = 0;
  double fp16 = 0;
  double bf16 = 0;
  double tf32 = 0;
  double fp8 = 0;
  double int8 = 0;
  double memory_gib = 0;
  double memory_bandwidth_gb_per_s = 0;
  double boost_clock_mhz = 0;
  double l2_mib = 0;
  double tdp_w = 0;
  int sm_count = 0;
  int rt_core_count = 0;
  int nvenc_count = 0;
  int nvdec_count = 0;
};

// How a chip class (or one card, when `accelerator` names it) turns its nominal rates into work. Factors are relative
// to the first reference card unless said otherwise. Absent: unknown, and the general entry (empty chip_class) counts.
struct ChipTuning {
  std::string_view chip_class;
  std::string_view accelerator;
  std::optional<double> bandwidth;        // achieved over nominal bandwidth
  std::optional<double> issue;            // work per multiprocessor and clock
  std::optional<double> latency;          // pace of dependent instructions, per clock
  std::optional<double> watts;            // board power per multiprocessor-GHz at which the clock holds under full load
  std::optional<double> flops_per_clock;  // of the full matrix engine, FLOP per multiprocessor and clock at 16 bit
  std::optional<double> fp32;             // vector FP32 reached over nominal
  std::optional<double> fp16_eff;         // matrix-engine rates reached over nominal, by precision
  std::optional<double> bf16_eff;
  std::optional<double> tf32_eff;
  std::optional<double> fp32_eff;
  std::optional<double> fp8_eff;
  std::optional<double> int8_eff;
  std::optional<double> rays;      // ray tests per RT core and clock; without RT cores per multiprocessor and clock
  std::optional<double> graphics;  // pixels shaded per multiprocessor and clock; 0: draws nothing
  std::optional<double> encode;    // frames per encoder, any codec
  std::optional<double> fp64_per_fp32;    // where the catalog has no FP64 rate
  std::optional<double> boost_clock_mhz;  // where the catalog has no clock
  std::span<const std::string_view> sources;
  std::string_view note;
};

// A share of the reference card's time on a class of work.
struct ResourceShare {
  Resource resource;
  double share;
};

// A class of work: where its time goes on the reference card, and how it spreads over cards.
struct WorkClass {
  std::string_view id;
  std::string_view reference;             // accelerator id of a ReferenceCard
  Precision precision = Precision::fp32;  // of Resource::tensor where the profile names none
  std::span<const ResourceShare> shares;  // they add up to 1
  double overlap = 1;                     // exponent that joins the shares: 1 one after another, large: all at once
  double latency_size = 0;      // problem size (atoms, cells) at which latency takes as long as the rest; 0: none
  std::string_view size_word;   // the word that follows the size in the name of a case: atoms
  double latency_share = 0;     // latency over the rest where the size is not known
  double card_loss = 0;         // n cards of a node do n / (1 + card_loss (n - 1)) times the work of one
  double node_loss = 0;         // the same between nodes
  double slice_exponent = 1;    // a slice f of a card does f^exponent of its work
  double band_low_percent = 0;  // measured error, from the accuracy tables
  double band_high_percent = 0;
  std::span<const std::string_view> sources;
  std::string_view note;
};

// Which class a workload belongs to: the first row that matches counts. Empty fields match anything; words are looked
// for in the profile's own text, case and punctuation ignored.
struct WorkSelector {
  TaskKind kind;
  std::string_view app;
  std::string_view words;  // in the case, scene, kind or benchmark
  std::optional<Precision> precision;
  std::optional<Bound> bound;
  std::string_view work_class;
  std::span<const std::string_view> sources;
  std::string_view note;
};

// How well one application uses one card beyond what its class predicts.
struct AppCardFactor {
  std::string_view app;
  std::string_view words;   // as in WorkSelector
  std::string_view detail;  // one of the case\'s details: resolution, samples, preset, ...; empty: any
  std::optional<Precision> precision;
  std::string_view accelerator;
  std::string_view chip_class;  // in place of accelerator
  double factor;
  std::string_view note;
};

// A measured case of an application.
struct CaseMeasurement {
  std::string_view app;
  std::string_view case_name;  // the case or scene as its source names it
  std::string_view detail;     // resolution, samples, codec/preset/direction/rate control, version; joined by "|"
  std::string_view accelerator;
  double accelerators = 1;
  int nodes = 1;
  double value = 0;            // on that machine
  double reference_value = 0;  // on one reference card: measured there, or value carried over by `relative`
  std::string_view unit;
  bool lower_is_better = false;
  std::string_view source;
};

// A way to run models. Latency and efficiency are relative to the first entry of the list.
struct MediaEngine {
  std::string_view name;
  bool training = false;
  double latency = 1;
  double efficiency = 1;
};

// A variant that differs from its family only in work per sample.
struct MediaVariant {
  std::string_view name;
  double gflops;  // as in MediaModel
  std::optional<double> params;
};

// How a family of models uses a card.
struct MediaModel {
  std::string_view id;
  std::span<const std::string_view> names;  // beginnings of names, case and punctuation ignored; none: by kind
  std::optional<ModelKind> kind;
  bool training = false;
  double efficiency = 0;         // of the tuned dense peak, large batch
  double bytes_per_flop = 0;     // memory traffic at 16 bit
  double latency_us = 0;         // per forward pass and step, whatever the batch
  std::optional<double> gflops;  // forward, per sample (and step), at the resolution below
  double gflops_once = 0;        // per sample whatever the steps: text encoders, image decoder
  std::optional<double> params;  // weights read per pass
  // Encoders of text: forward FLOPs are 2 x params x tokens + this x tokens squared (4 x layers x width).
  std::optional<double> flops_per_token_pair;
  std::optional<double> megapixels;     // that gflops is for; scales with pixels
  std::optional<int> frames;            // that gflops is for
  double square_share = 0;              // of gflops, grows with the square of pixels x frames: attention
  double online_factor = 1;             // on top of MediaTuning::online_factor
  std::optional<double> audio_seconds;  // that gflops and latency are for
  int default_steps = 1;
  std::span<const MediaVariant> variants;
  double band_low_percent = 0;
  double band_high_percent = 0;
  bool calibrated = true;  // false: a general entry, whose value is a guess and is not given
  std::span<const std::string_view> sources;
  std::string_view note;
};

struct MediaTuning {
  double overlap = 1;  // joins compute and traffic
  // Cards whose matrix rate is cut below what their multiprocessors could do (consumer and export models) come nearer
  // to it: x (full / nominal)^capped_exponent, up to peak_limit of the nominal rate.
  double capped_exponent = 0;
  double peak_limit = 1;
  double cache_exponent = 0;        // traffic helped by L2: (L2 / reference L2)^exponent
  double clock_exponent = 1;        // of latency
  double online_factor = 1;         // throughput under a latency bound over offline throughput
  double training_latency = 1;      // passes per step
  double training_flops = 3;        // forward and backward over forward
  double train_loss_fast_link = 0;  // n cards: n / (1 + loss (1 - 1/n)); NVLink or HCCS
  double train_loss_pcie = 0;
  double train_loss_node = 0;   // per added node boundary, once
  double context_exponent = 1;  // n cards on one diffusion sample do n^exponent
  double saturated_batch = 0;   // batch where none is named: offline, or training
  double slice_exponent = 1;
};

// One kind of streamed session: what it takes of a card.
struct StreamPreset {
  std::string_view id;
  std::string_view task;                    // cloud-gaming, vdi
  std::string_view reference;               // accelerator id of a ReferenceCard
  std::span<const std::string_view> words;  // any of them in kind, scene or resolution: "4k60"
  double megapixels_per_second = 0;         // encoded
  double memory_gib = 0;                    // frame buffer per session
  double graphics_share = 0;                // of the reference card's graphics throughput
  bool default_preset = false;
  double band_low_percent = 0;
  double band_high_percent = 0;
  std::span<const std::string_view> sources;
  std::string_view note;
};

struct AppsCalibration {
  std::string_view date;  // when it was fitted; empty: not loaded
  std::string_view note;
  // Clocks held under full load: (board power per multiprocessor-GHz / ChipTuning::watts)^exponent, at most 1.
  double power_exponent = 0;
  double unmeasured_widening = 1;  // of bands, for chip classes that no entry of `chips` describes
  std::span<const ReferenceCard> references;
  std::span<const ChipTuning> chips;
  std::span<const WorkClass> classes;
  std::span<const WorkSelector> selectors;
  std::span<const AppCardFactor> app_cards;
  std::span<const CaseMeasurement> cases;
  MediaTuning media;
  std::span<const MediaEngine> engines;
  std::span<const MediaModel> models;
  double encoder_megapixels_per_second = 0;  // of one encoder of the reference card at a streaming preset; 0: unknown
  std::span<const StreamPreset> streams;
};

}  // namespace gpuadvise
