// Builds Notes from the product's messages.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuadvise/advise.h"

namespace gpuadvise {

Note make_note(const Knowledge& knowledge, std::string_view rule, std::string_view message,
               std::vector<std::pair<std::string_view, std::string>> values = {});

// Three to five sentences on why the first recommendation is first.
std::vector<Note> pick_reasons(const Advice& advice, const Knowledge& knowledge);

}  // namespace gpuadvise
