// Where resources stand in the *.tf files beside a plan. Plans carry no lines; a scan for `resource "type" "name"`
// gives file and line, and the comments of the block. HCL is not evaluated.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpuadvise/error.h"

namespace gpuadvise::check {

struct HclBlock {
  Place place;
  std::vector<std::pair<Place, std::string>> comments;  // in the block, or on the lines straight above it
};

class HclPlaces {
 public:
  // Scans the directory and those below it; what cannot be read is passed over, it only costs a line number.
  void scan_directory(const std::string& directory);
  void scan_text(const std::string& name, std::string_view text);
  // The block of type and name; nullptr when it was not seen. A module's block may stand in a file of that module, so
  // the nearest path wins when several blocks share the name: `module` is the name of the innermost module, or empty.
  const HclBlock* find(std::string_view type, std::string_view name, std::string_view module) const;

 private:
  std::unordered_map<std::string, std::vector<HclBlock>> blocks_;  // by type.name
};

}  // namespace gpuadvise::check
