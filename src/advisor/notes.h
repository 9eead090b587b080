// Builds Notes from the product's messages.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuadvise/advise.h"

#include "base/message.h"

namespace gpuadvise {

using NoteValues = std::vector<std::pair<std::string_view, std::string>>;

Note make_note(const base::Texts& texts, std::string_view rule, std::string_view message,
               const NoteValues& values = {});

// Three to five sentences on why the first recommendation is first.
std::vector<Note> pick_reasons(const Advice& advice, const base::Texts& texts);

}  // namespace gpuadvise
