// Memory estimates a second on one core: of a batch that shares one workload's plan, and one by one from the workload.
// Both run in turns so that noise hits them alike. Fails below a million a second.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "gpuadvise/estimator.h"
#include "gpuadvise/knowledge.h"

#include "base/arena.h"
#include "base/node.h"
#include "workload/profile.h"

namespace {

using namespace gpuadvise;

constexpr int kRounds = 15;
constexpr double kWanted = 1e6;  // a second

std::vector<Machine> machines(const Catalog& catalog) {
  std::vector<Machine> out;
  for (const auto& card : catalog.accelerators) {
    if (!card.memory_gib) continue;
    Machine m;
    m.accelerator = &card;
    m.accelerators_per_node = 8;
    m.memory_gib = card.usable_memory_gib.value_or(*card.memory_gib);
    out.push_back(m);
  }
  return out;
}

std::vector<Placement> placements(const std::vector<Machine>& on) {
  std::vector<Placement> out;
  for (const Machine& m : on) {
    for (const int tensor : {1, 2, 4, 8}) {
      for (const int pipeline : {1, 2, 4}) {
        for (const int stage : {0, 1, 3}) {
          for (const auto degree : {Checkpointing::none, Checkpointing::selective, Checkpointing::full}) {
            Layout layout;
            layout.tensor = tensor;
            layout.pipeline = pipeline;
            layout.data = 8;
            layout.zero_stage = stage;
            layout.checkpointing = degree;
            out.push_back({&m, layout});
          }
        }
      }
    }
  }
  return out;
}

template <class F>
double seconds(F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The batch's rate, in estimates a second.
double measure(std::string_view what, std::string_view yaml, const std::vector<Placement>& asked) {
  const Knowledge& knowledge = builtin_knowledge();
  base::Arena arena;
  const Workload workload = resolve(read_profile(base::parse_yaml(yaml, "bench"), arena, "bench"), knowledge.catalog);
  const Estimator estimator(workload, knowledge.calibration);
  std::vector<MemoryEstimate> batch(asked.size());
  std::vector<MemoryEstimate> single(asked.size());
  std::vector<double> shared;
  std::vector<double> alone;
  for (int round = 0; round < kRounds; ++round) {
    shared.push_back(seconds([&] { estimator.memory(asked, batch); }));
    alone.push_back(seconds([&] {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        single[i] = estimate_memory(workload, *asked[i].machine, asked[i].layout, knowledge.calibration);
      }
    }));
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (batch[i].total != single[i].total) return 0;
  }
  const double count = static_cast<double>(asked.size());
  const double rate = count / median(shared);
  fmt::print("{:<22} {:>6.2f} million a second in a batch, {:>5.2f} one by one: ratio {:.1f}\n", what, rate / 1e6,
             count / median(alone) / 1e6, median(alone) / median(shared));
  return rate;
}

}  // namespace

int main() {
  const std::vector<Machine> on = machines(builtin_knowledge().catalog);
  const std::vector<Placement> asked = placements(on);
  fmt::print("{} machines and layouts\n", asked.size());
  double least = 1e12;
  const auto run = [&](std::string_view what, std::string_view yaml) {
    least = std::min(least, measure(what, yaml, asked));
  };
  run("training, 13B LoRA", "task: llm-finetune\nmodel: {params: 13B}\n");
  run("training, DeepSeek-V3", "task: llm-pretrain\nmodel: {name: deepseek-v3}\ntraining: {framework: megatron}\n");
  run("serving, 8B", "task: llm-inference\nmodel: {name: llama-3.1-8b}\n");
  run("serving, DeepSeek-R1", "task: llm-inference\nmodel: {name: deepseek-r1}\ninference: {engine: sglang}\n");
  run("diffusion, SDXL", "task: diffusion-inference\nmodel: {name: sdxl}\n");
  fmt::print("least: {:.2f} million a second; {:.0f} million wanted\n", least / 1e6, kWanted / 1e6);
  return least >= kWanted ? 0 : 1;
}
