// How rules and the fields of their conditions look: for people, as JSON, and as the table of the reference.
#pragma once

#include <ostream>
#include <vector>

#include "gpuadvise/catalog.h"
#include "gpuadvise/rules.h"

#include "base/message.h"

namespace gpuadvise::report {

void print_rules(std::ostream& out, const std::vector<const ActiveRule*>& rules, const base::Texts& texts);
void print_rules_json(std::ostream& out, const std::vector<const ActiveRule*>& rules);
// One rule in full: condition, parameters, sources, and the message of a case that fires.
void print_rule(std::ostream& out, const ActiveRule& rule, const Catalog& catalog, const base::Texts& texts);

void print_rule_fields(std::ostream& out, const base::Texts& texts);
void print_rule_fields_json(std::ostream& out);
void print_rule_fields_markdown(std::ostream& out);

}  // namespace gpuadvise::report
