// Reads one map of a config.json by field name, through the spellings of data/model_types.yaml, with range checks and
// places in errors.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/catalog.h"

#include "base/node.h"
#include "workload/quantization_config.h"

namespace gpuadvise {

class ConfigReader {
 public:
  ConfigReader(const base::Node& map, std::string name, const Catalog& catalog, std::vector<ConfigWarning>& warnings)
      : map_(map), name_(std::move(name)), catalog_(catalog), warnings_(warnings) {}

  // The value of a key, null values as missing. Dots step into nested maps.
  const base::Node* at(std::string_view key) const;
  // The value of a field by its spellings.
  const base::Node* field(std::string_view field) const;

  // A whole number from 0 to `most`. A list of equal numbers is that number; of unequal ones their mean, with a
  // warning.
  std::optional<int> integer(std::string_view field, int most) const;
  std::optional<int> integer_key(std::string_view key, int most) const;
  std::optional<bool> boolean(std::string_view field) const;
  std::optional<bool> boolean_key(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  // Words of a list; empty when the key is missing or no list.
  std::vector<std::string> words(std::string_view key) const;

  void warn(const base::Node& at, std::string text) const;
  [[noreturn]] void fail(const base::Node& at, std::string_view text) const;
  std::string spellings(std::string_view field) const;
  const base::Node& map() const { return map_; }
  const std::string& name() const { return name_; }
  const Catalog& catalog() const { return catalog_; }

 private:
  int whole(const base::Node& node, std::string_view key, int most) const;

  const base::Node& map_;
  std::string name_;
  const Catalog& catalog_;
  std::vector<ConfigWarning>& warnings_;
};

}  // namespace gpuadvise
