// The one list of what data/ can hold: a top-level key, the struct its rows are, and what makes a row itself. The
// loader, the overlay and the data compiler all walk this list; a new kind of fact is one line here and one fields().
#pragma once

#include <string>
#include <string_view>

#include "gpuadvise/knowledge.h"

#include "advisor/objective_fields.h"
#include "catalog/catalog_fields.h"
#include "check/plan_format_fields.h"
#include "emit/emit_fields.h"
#include "estimate/apps_fields.h"
#include "estimate/hardware_fields.h"
#include "estimate/memory_fields.h"
#include "estimate/serving_fields.h"
#include "estimate/training_fields.h"
#include "rules/rule_fields.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace data {

inline std::string key_of(const Source& s) { return std::string(s.id); }
inline std::string key_of(const Vendor& s) { return std::string(s.id); }
inline std::string key_of(const Accelerator& s) { return std::string(s.id); }
inline std::string key_of(const ExportRule& s) { return std::string(s.id); }
inline std::string key_of(const Family& s) { return std::string(s.vendor) + "/" + std::string(s.name); }
inline std::string key_of(const MoreTypes& s) { return std::string(s.vendor) + "/" + std::string(s.family); }
inline std::string key_of(const Currency& s) { return std::string(s.code); }
inline std::string key_of(const NameNote& s) { return std::string(s.vendor) + "/" + std::string(s.name); }
inline std::string key_of(const Model& s) { return std::string(s.id); }
inline std::string key_of(const TypicalShape& s) { return std::string(s.like); }
inline std::string key_of(const ModelType& s) { return std::string(s.id); }
inline std::string key_of(const ConfigKey& s) { return std::string(s.field); }
inline std::string key_of(const TaskPreset& s) { return std::string(s.id); }
inline std::string key_of(const ObjectiveWeights& s) { return std::string(s.id); }
inline std::string key_of(const Message& s) { return std::string(s.id); }
inline std::string key_of(const PlanResource& s) {
  return std::string(s.type) + "/" + std::string(s.each) + "/" + std::string(s.part);
}
inline std::string key_of(const PlanWord& s) { return std::string(s.about) + "/" + std::string(s.word); }
inline std::string key_of(const PlanFork& s) { return std::string(s.prefix); }
inline std::string key_of(const EmitTemplate& s) {
  return std::string(s.format) + "/" + std::string(s.vendor) + "/" + std::string(s.product) + "/" +
         std::string(s.stack);
}
inline std::string key_of(const EmitLaunch& s) { return std::string(s.id); }
inline std::string key_of(const EmitCheck& s) { return std::string(s.id); }
inline std::string key_of(const EmitDisk& s) { return std::string(s.vendor) + "/" + std::string(s.listed); }
inline std::string key_of(const Rule& s) { return std::string(s.spec.id); }
// Prices have no name of their own: one type may be listed by several sources and at several times.
inline std::string key_of(const Price& s) {
  return std::string(s.vendor) + "/" + std::string(s.type) + "/" + std::string(s.region) + "/" +
         std::to_string(static_cast<int>(s.charge)) + "/" + std::string(s.currency) + "/" + std::string(s.source) +
         "/" + std::string(s.as_of);
}

// Calls v.list(key, member of knowledge) for lists of rows and v.one(key, member) for single maps.
template <class V, class K>
void tables(V& v, K& k) {
  v.list("sources", k.catalog.sources);
  v.list("vendors", k.catalog.vendors);
  v.list("accelerators", k.catalog.accelerators);
  v.list("export_rules", k.catalog.export_rules);
  v.list("families", k.catalog.families);
  v.list("more_types", k.catalog.more_types);
  v.list("prices", k.catalog.prices);
  v.list("currencies", k.catalog.currencies);
  v.one("spot_interruptions", k.catalog.spot_interruptions);
  v.list("names", k.catalog.names);
  v.list("models", k.catalog.models);
  v.list("typical_shapes", k.catalog.typical_shapes);
  v.list("model_types", k.catalog.model_types);
  v.list("config_keys", k.catalog.config_keys);
  v.list("tasks", k.catalog.tasks);
  v.list("messages", k.messages);
  v.list("plan_resources", k.plans.resources);
  v.list("plan_words", k.plans.words);
  v.list("plan_forks", k.plans.forks);
  v.list("emit_templates", k.emit.templates);
  v.list("emit_launches", k.emit.launches);
  v.list("emit_disks", k.emit.disks);
  v.list("emit_checks", k.emit.checks);
  v.list("rules", k.rules);
  v.list("objectives", k.objectives);
  v.one("hardware", k.hardware);
  v.one("memory_calibration", k.calibration.memory);
  v.one("training_calibration", k.calibration.training);
  v.one("serving_calibration", k.calibration.serving);
  v.one("apps_calibration", k.calibration.apps);
}

}  // namespace data
}  // namespace gpuadvise
