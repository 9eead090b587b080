// The attributes of one resource, or of one entry of a list in it. What is marked sensitive is never read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/plan_format.h"

#include "base/node.h"
#include "check/plan.h"

namespace gpuadvise::check {

class Attributes {
 public:
  // `unknown` and `sensitive` have the shape of the values and say true at their leaves; either may be null.
  Attributes(const base::Node& values, const base::Node* unknown, const base::Node* sensitive)
      : values_(values), unknown_(unknown), sensitive_(sensitive) {}

  std::vector<const base::Node*> all(Paths paths) const;
  std::vector<std::string> texts(Paths paths) const;  // distinct, not empty
  std::string text(Paths paths) const;                // the first that is not empty
  std::optional<double> number(Paths paths) const;    // the first
  bool any(Paths paths) const;                        // any that says yes
  Pairs labels(Paths paths) const;                    // maps, and lists of {key, value}
  bool is_unknown(Paths paths) const;                 // known only after apply, at any of the paths
  bool is_sensitive(Paths paths) const;
  bool shown(std::string_view path) const;
  const base::Node& values() const { return values_; }
  // The same marks for one entry of a list, by the list's path and the entry's number.
  Attributes entry(std::string_view list, std::size_t index, const base::Node& values) const;

 private:
  const base::Node& values_;
  const base::Node* unknown_;
  const base::Node* sensitive_;
};

}  // namespace gpuadvise::check
