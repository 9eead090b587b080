// Models by the names people use: any case, with or without the maker's prefix ("Qwen/..."), separators or none,
// instruct, chat and quantised variants of a base.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/catalog.h"

namespace gpuadvise {

struct ModelMatch {
  const Model* model = nullptr;  // null: not in the library
  std::string variant;           // what was taken off the name to find it: "instruct", "awq"; empty: found as written
};

ModelMatch find_model(const Catalog& catalog, std::string_view name);

// A name as lookups compare it: lower case, no maker's prefix, no separators but the point of a number.
std::string model_key(std::string_view name);

// Ids of the models whose names are nearest, nearest first.
std::vector<std::string_view> nearest_models(const Catalog& catalog, std::string_view name, std::size_t most = 3);

}  // namespace gpuadvise
