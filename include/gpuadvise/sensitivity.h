// Which inputs of a request would change the pick, and from which value on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

// One input moved, with everything else as asked.
struct Turn {
  std::string input;               // the profile's key ("training.sequence_length"), "price", "rdma"
  std::string from;                // its value as asked; empty: not a number
  std::string to;                  // where the pick changes first; empty: it does not, as far as was looked
  std::string looked;              // how far was looked: "512..8192", "fp8"
  const Family* family = nullptr;  // the pick from there on; nullptr: nothing fits any more, or no change
  const InstanceType* type = nullptr;
  int nodes = 0;
};

// `advice` is the answer to `profile`. Numbers are halved and doubled twice each way, and where the pick changes the
// value is narrowed to 5 %; words are tried one by one. Every value is verified by recommending again.
std::vector<Turn> sensitivity(const Profile& profile, const Advice& advice, const Knowledge& knowledge,
                              const RuleSet& rules, const RecommendOptions& options);

}  // namespace gpuadvise
