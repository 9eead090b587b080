// A small simulation of continuous batching under a fixed number of users. Users are bundled into at most kGroups
// groups that act as one; prompts are worked first come first served, in passes that the running requests decode in
// too; where no prompt waits, time goes straight to the next answer that ends. The first rounds settle, the later ones
// are measured.
#include <array>
#include <cmath>

#include "estimate/serving_load.h"

namespace gpuadvise {
namespace {

constexpr int kGroups = 32;
constexpr int kRounds = 5;
constexpr int kMeasuredRounds = 3;
constexpr std::size_t kMeasured = static_cast<std::size_t>(kGroups) * kMeasuredRounds;
constexpr double kGoldenRatio = 0.6180339887498949;  // a low-discrepancy sequence in place of chance

class ClosedLoop {
 public:
  ClosedLoop(const ServingPlan& plan, const ServingRequest& request, double users)
      : plan_(plan), request_(request), users_(users) {
    groups_ = std::clamp(static_cast<int>(users), 1, kGroups);
    weight_ = users / groups_;
    const double fit = std::max(most_running(plan, request), 1.0);
    slots_ = std::clamp(static_cast<int>(fit / weight_), 1, groups_);
    passes_ = std::max(decode_passes(request), 1.0);
    for (int i = 0; i < groups_; ++i) enqueue(i);
  }

  ServingOutcome run() {
    const int total = groups_ * kRounds;
    for (int events = 0; finished_ < total && events < total * 4; ++events) {
      if (waiting_ > 0 && running_ < slots_) {
        prefill();
      } else {
        decode();
      }
    }
    return outcome();
  }

 private:
  struct Group {
    double arrived = 0;
    double first_token = 0;
    double left = 0;  // decode passes
    double passes = 0;
    bool running = false;
  };

  Group& group(int i) { return groups_state_[static_cast<std::size_t>(i)]; }

  void enqueue(int i) {
    group(i).arrived = now_;
    queue_[static_cast<std::size_t>((head_ + waiting_) % kGroups)] = i;
    ++waiting_;
  }

  // As many waiting prompts as one pass takes; a longer prompt takes several passes.
  void prefill() {
    const double budget = std::max(plan_.token_budget, 1.0) * plan_.attention_ranks;
    const double each = new_tokens(request_) * weight_;
    const int room = std::max(1, static_cast<int>(std::min(budget / each, 1.0 * kGroups)));
    const int taken = std::min({waiting_, slots_ - running_, room});
    const double count = std::max(1.0, std::ceil(taken * each / budget - 1e-9));
    PassLoad load = decode_load(plan_, request_, running_ * weight_);
    add_prefill(plan_, request_, taken * weight_ / count, load);
    prefill_ = pass_seconds(plan_, load);
    std::array<int, kGroups> started{};
    for (int i = 0; i < taken; ++i) {
      started[static_cast<std::size_t>(i)] = queue_[static_cast<std::size_t>(head_)];
      head_ = (head_ + 1) % kGroups;
      --waiting_;
    }
    advance(prefill_.seconds * count, count);
    for (int i = 0; i < taken; ++i) {
      Group& g = group(started[static_cast<std::size_t>(i)]);
      g.first_token = now_;
      // Answers differ in length: without that all users march in step, which real ones do not.
      sequence_ += kGoldenRatio;
      const double unit = sequence_ - std::floor(sequence_);
      g.passes = passes_ * (1 + plan_.length_spread * (2 * unit - 1));
      g.left = g.passes;
      g.running = true;
      ++running_;
    }
  }

  void decode() {
    double steps = passes_ * 2;
    for (int i = 0; i < groups_; ++i) {
      if (group(i).running) steps = std::min(steps, group(i).left);
    }
    decode_ = pass_seconds(plan_, decode_load(plan_, request_, running_ * weight_));
    advance(decode_.seconds * steps, steps);
  }

  void advance(double seconds, double steps) {
    constexpr double kDone = 1e-9;
    now_ += seconds;
    for (int i = 0; i < groups_; ++i) {
      Group& g = group(i);
      if (!g.running) continue;
      g.left -= steps;
      if (g.left > kDone) continue;
      g.running = false;
      --running_;
      if (finished_ >= groups_ * (kRounds - kMeasuredRounds) && measured_ < kGroups * kMeasuredRounds) {
        ttft_[static_cast<std::size_t>(measured_)] = g.first_token - g.arrived;
        tpot_[static_cast<std::size_t>(measured_)] = (now_ - g.first_token) / g.passes / request_.tokens_per_pass;
        latency_ += now_ - g.arrived;
        ++measured_;
      }
      ++finished_;
      enqueue(i);
    }
  }

  ServingOutcome outcome() {
    ServingOutcome out;
    if (measured_ == 0) return out;
    out.fits = true;
    out.ttft = plan_.arrival_seconds + median(ttft_);
    out.tpot = median(tpot_);
    out.latency = plan_.arrival_seconds + latency_ / measured_;
    out.running = std::min(users_, slots_ * weight_);
    // Little's law: those in the system over the time that each stays.
    out.requests_per_second = users_ / out.latency;
    out.prefill = prefill_;
    out.decode = pass_seconds(plan_, decode_load(plan_, request_, out.running));
    return out;
  }

  double median(std::array<double, kMeasured>& values) const {
    const auto middle = values.begin() + measured_ / 2;
    std::nth_element(values.begin(), middle, values.begin() + measured_);
    return *middle;
  }

  const ServingPlan& plan_;
  const ServingRequest& request_;
  double users_;
  double weight_ = 1;  // requests of one group
  double passes_ = 1;
  int groups_ = 1;
  int slots_ = 1;  // groups that run at once
  int head_ = 0;
  int waiting_ = 0;
  int running_ = 0;
  int finished_ = 0;
  int measured_ = 0;
  double now_ = 0;
  double sequence_ = 0;
  double latency_ = 0;
  PassTime prefill_;
  PassTime decode_;
  std::array<Group, kGroups> groups_state_{};
  std::array<int, kGroups> queue_{};  // a ring of waiting groups
  std::array<double, kMeasured> ttft_{};
  std::array<double, kMeasured> tpot_{};
};

}  // namespace

ServingOutcome closed_loop(const ServingPlan& plan, const ServingRequest& request, double users) {
  return ClosedLoop(plan, request, users).run();
}

}  // namespace gpuadvise
