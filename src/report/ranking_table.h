// The runner-ups of a ranking: what they trade, what each is best at, and what cannot be told from the pick.
#pragma once

#include "report/screen.h"

namespace gpuadvise::report {

class RankingTable : public Screen {
 public:
  using Screen::Screen;

  std::string speed_cell(const Recommendation& r) const;
  std::string speed_header() const;
  static std::optional<double> cost_value(const Recommendation& r);
  static std::string cost_cell(const Recommendation& r);
  static std::optional<double> rate(const Recommendation& r);
  std::string trade(const Recommendation& r, const Recommendation& best) const;
  void others(const Advice& a);
  // What is best at one thing each.
  void roles(const Advice& a);
  // What the error of the estimates cannot tell from the pick.
  void ties(const Advice& a);
};

}  // namespace gpuadvise::report
