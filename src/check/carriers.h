// Machines that carry a card which a file asks for by name: what stands in for the type that it does not give.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "check/claims.h"

namespace gpuadvise::check {

struct Carrier {
  const Family* family = nullptr;
  const InstanceType* type = nullptr;
  const Accelerator* card = nullptr;
};

// Remembers its answers. The catalog and the names must outlive it.
class Carriers {
 public:
  Carriers(const Catalog& catalog, const CardNames& names) : catalog_(catalog), names_(names) {}
  // The smallest machine with at least `cards` of the card that the text names ("T4", "A100 80GB", "1/4*T4",
  // "A10*PNV4"), of the vendor where one carries it. Without a family and a type: none; without a card: not one that we
  // know.
  const Carrier& find(std::string_view text, double cards, std::string_view vendor);

 private:
  Carrier look_up(std::string_view text, double cards, std::string_view vendor) const;

  const Catalog& catalog_;
  const CardNames& names_;
  std::unordered_map<std::string, Carrier> known_;
};

}  // namespace gpuadvise::check
