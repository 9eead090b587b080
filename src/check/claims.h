// Cards that a text speaks of: "2 x A10", "NVIDIA-H100-80GB-HBM3", "1/4*T4".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/catalog.h"

namespace gpuadvise::check {

struct CardMention {
  std::string text;                  // as written
  std::string model;                 // a100, rtx-4090, ascend-910b: accelerators of one model share it
  std::optional<double> count;       // cards, where the text counts them
  std::optional<double> memory_gib;  // where the text names it beside the card
};

class CardNames {
 public:
  explicit CardNames(const Catalog& catalog);
  // Mentions in the order of the text. `loose`: names of two characters (T4, L4) count in any case; otherwise only as
  // their makers write them, for "t4" also turns up in host names.
  std::vector<CardMention> find(std::string_view text, bool loose) const;
  // Whether a card is of the model that a mention names.
  static bool is(const Accelerator& card, const CardMention& mention);
  // The first accelerator of that model with that memory; nullptr: none.
  const Accelerator* accelerator(const CardMention& mention) const;

 private:
  struct Name {
    std::vector<std::string> words;  // lower case: {"rtx", "4090"}
    std::string model;
    bool is_short = false;
  };
  const Catalog& catalog_;
  std::vector<Name> names_;  // longest first
};

// The model part of an accelerator's id: nvidia-a100-sxm4-80gb -> a100.
std::string model_of(const Accelerator& card);

}  // namespace gpuadvise::check
