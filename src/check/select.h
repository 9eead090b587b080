// Picks values out of a document by path: see plan_format.h for how a path is written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/node.h"

namespace gpuadvise::check {

// Every value at the path, in the order of the file. A list at the end of a path is walked.
std::vector<const base::Node*> select(const base::Node& root, std::string_view path);

// The first value at the path; nullptr when there is none.
const base::Node* first(const base::Node& root, std::string_view path);

// A scalar's text, trimmed; empty for null, lists, maps, and for the empty string.
std::string text_of(const base::Node* node);

// A number, also when it is written as text ("4"); empty when it is neither or not finite.
std::optional<double> number_of(const base::Node* node);

// Whether a value says yes: true, a number above zero, text other than "", "false", "0", "no"; a list or map with
// anything in it.
bool truthy(const base::Node* node);

// "24Gi", "16384Mi", "24GB", "24": in GiB; a bare number counts in `bare` GiB.
std::optional<double> gib_of(std::string_view text, double bare);

}  // namespace gpuadvise::check
