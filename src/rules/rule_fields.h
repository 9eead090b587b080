// How rules are written in data/: see base/fields.h. The compiled parts are derived: written into the tables, never
// read from a file.
#pragma once

#include <array>

#include "gpuadvise/rules.h"

#include "base/fields.h"
#include "catalog/catalog_fields.h"

namespace gpuadvise {

namespace base {
class Loader;
struct Node;
}  // namespace base

constexpr auto names(Severity) { return std::to_array<std::string_view>({"error", "warning", "note"}); }
constexpr auto names(RuleScope) { return std::to_array<std::string_view>({"candidate", "recommendation", "plan"}); }
constexpr auto names(Effect) {
  return std::to_array<std::string_view>({"reject", "penalise", "reward", "require", "warn", "note"});
}
constexpr auto names(Criterion) {
  return std::to_array<std::string_view>(
      {"none", "cost", "time", "latency", "memory", "network", "lifecycle", "availability", "software"});
}

template <class V, Is<Parameter> S>
void fields(V& v, S& s) {
  v("name", s.name, Need::required);
  v("value", s.value, Need::required);
  v("unit", s.unit);
  v("meaning", s.meaning, Need::required);
}

template <class V, Is<RuleVariable> S>
void fields(V& v, S& s) {
  v("name", s.name, Need::required);
  v("value", s.value, Need::required);
}

template <class V, Is<Fact> S>
void fields(V& v, S& s) {
  v("field", s.field, Need::required);
  v("value", s.value, Need::required);
}

template <class V, Is<Facts> S>
void fields(V& v, S& s) {
  v("values", s.values);
}

template <class V, Is<RuleTest> S>
void fields(V& v, S& s) {
  v("fires", s.fires, Need::required);
  v("given", s.given, Need::required);
}

template <class V, Is<RuleSpec> S>
void fields(V& v, S& s) {
  v("id", s.id, Need::required);
  v("extends", s.extends);
  v("severity", s.severity);
  v("scope", s.scope);
  v("vars", s.vars);
  v("when", s.when);
  v("unless", s.unless);
  v("effect", s.effect);
  v("criterion", s.criterion);
  v("factor", s.factor);
  v("message", s.message);
  v("remedy", s.remedy);
  v("parameters", s.parameters);
  v("tags", s.tags);
  v("sources", s.sources);
  v("since", s.since);
  v("tests", s.tests);
}

template <class V, Is<Rule> S>
void fields(V& v, S& s) {
  v("spec", s.spec, Need::derived);
  v("vars", s.vars, Need::derived);
  v("when", s.when, Need::derived);
  v("unless", s.unless, Need::derived);
  v("factor", s.factor, Need::derived);
  v("fields", s.fields, Need::derived);
  v("line", s.line, Need::derived);
}

// A rule is read through its RuleSpec and compiled on the spot, so that a fault in a condition has its place.
void read_value(base::Loader& loader, const base::Node& node, Rule& out, const std::string& path);
// A map of field: value.
void read_value(base::Loader& loader, const base::Node& node, Facts& out, const std::string& path);

namespace cel {

template <class V, Is<Value> S>
void fields(V& v, S& s) {
  v("kind", s.kind);
  v("integer", s.integer);
  v("real", s.real);
  v("text", s.text);
  v("items", s.items);
}

template <class V, Is<Instruction> S>
void fields(V& v, S& s) {
  v("op", s.op);
  v("position", s.position);
  v("first", s.first);
  v("count", s.count);
  v("index", s.index);
}

template <class V, Is<Program> S>
void fields(V& v, S& s) {
  v("source", s.source);
  v("code", s.code);
  v("operands", s.operands);
  v("constants", s.constants);
}

// A scalar or a list of scalars, by its YAML type.
void read_value(base::Loader& loader, const base::Node& node, Value& out, const std::string& path);

}  // namespace cel
}  // namespace gpuadvise
