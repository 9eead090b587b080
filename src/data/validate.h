// What must hold across rows once all are read: references, sums, ranges. Facts that contradict each other are refused
// with the place of the row.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpuadvise/error.h"
#include "gpuadvise/knowledge.h"

#include "base/arena.h"

namespace gpuadvise::data {

// Where each row of each section came from.
class Places {
 public:
  void add(std::string section, std::vector<Place> rows) { rows_[std::move(section)] = std::move(rows); }
  Place at(const std::string& section, std::size_t row) const;

 private:
  std::map<std::string, std::vector<Place>> rows_;
};

// Checks everything, and fills in what is worked out: accelerator indices, the catalog's date, sorted messages.
// Throws InputError at the first contradiction.
void finish(Knowledge& knowledge, base::Arena& arena, const Places& places);

}  // namespace gpuadvise::data
