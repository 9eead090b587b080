// From a rule as its file states it to a rule that can be applied.
#pragma once

#include <string>

#include "gpuadvise/rules.h"

#include "base/arena.h"
#include "base/load.h"
#include "base/node.h"

namespace gpuadvise {

// Reads `node` over `start`, checks everything that can be checked without other rules, and compiles. Throws
// InputError at the first fault, with its place.
Rule make_rule(base::Loader& loader, const base::Node& node, const RuleSpec& start, const std::string& path);

// The type of a field to CEL.
cel::Type cel_type(const FieldInfo& field);
// What is wrong with `value` as a value of the field; empty: nothing. Whole numbers become real where the field is.
std::string fit_value(const FieldInfo& field, cel::Value& value);

}  // namespace gpuadvise
