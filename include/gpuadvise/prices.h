// A user's own prices and exchange rates, laid over what is known. Immutable once made; views of its knowledge() stay
// valid as long as it and the knowledge beneath it live.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/knowledge.h"

namespace gpuadvise {

class PricedKnowledge {
 public:
  // `paths` are price files in YAML or CSV (docs/reference/prices.md). A price of theirs takes the place of every
  // listed one of that instance type and charge type in that region, or in all regions where it names none. `rates` are
  // texts such as "USD=7.1": one US dollar is worth 7.1 of the first of Catalog::currencies. Throws InputError with
  // file:line:column, or with the place "--fx" for a rate.
  static PricedKnowledge load(const std::vector<std::string>& paths, const std::vector<std::string>& rates,
                              const Knowledge& base);

  const Knowledge& knowledge() const;
  // What is allowed but looks like a slip, one line each: a region that the catalog does not know.
  const std::vector<std::string>& remarks() const;

  PricedKnowledge(PricedKnowledge&&) noexcept;
  PricedKnowledge& operator=(PricedKnowledge&&) noexcept;
  ~PricedKnowledge();

 private:
  struct Storage;
  explicit PricedKnowledge(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage_;
};

}  // namespace gpuadvise
