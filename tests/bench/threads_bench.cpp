// Recommendations a second on two threads against one, measured side by side: both share one knowledge and one rule
// set, so the ratio is near 2 where the machine has two cores to itself.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <vector>

#include "gpuadvise/advise.h"

using namespace gpuadvise;

namespace {

constexpr int kRequests = 8;  // of each thread and round
constexpr int kRounds = 9;

void work(const RuleSet& rules) {
  Profile profile;
  profile.task = "llm-finetune";
  for (int i = 0; i < kRequests; ++i) {
    profile.model.params = (3 + i) * 1e9;
    if (recommend(profile, builtin_knowledge(), rules).recommendations.empty()) std::abort();
  }
}

// Requests a second.
double rate(int threads, const RuleSet& rules) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> pool;
  pool.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) pool.emplace_back([&] { work(rules); });
  for (auto& thread : pool) thread.join();
  return threads * kRequests / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  const RuleSet rules(builtin_knowledge().rules);
  work(rules);
  std::vector<double> ratios;
  for (int i = 0; i < kRounds; ++i) {
    const double one = rate(1, rules);
    const double two = rate(2, rules);
    ratios.push_back(two / one);
    fmt::print("1 thread {:.1f}/s, 2 threads {:.1f}/s, ratio {:.2f}\n", one, two, two / one);
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print("median ratio {:.2f} ({:.2f} to {:.2f}) on {} cores\n", ratios[ratios.size() / 2], ratios.front(),
             ratios.back(), std::thread::hardware_concurrency());
}
