#include <cmath>

#include "gpuadvise/emit.h"

#include "catalog/catalog_fields.h"
#include "catalog/lookup.h"
#include "report/advice.h"
#include "report/estimate_json.h"

namespace gpuadvise::report {

namespace {

Json accelerator_json(const Machine& m, const InstanceType& type) {
  const Accelerator& a = *m.accelerator;
  return {{"id", std::string(a.id)},
          {"name", std::string(a.name)},
          {"memory_gib", to_json(type.accelerator_memory_gib ? type.accelerator_memory_gib : a.memory_gib)},
          {"form_factor", to_json(a.form_factor)},
          {"slice", type.slice}};
}

// Slices are stated to six digits: three machines with a third of a card each make one card.
double cards_in_all(const Machine& m) {
  constexpr double kDigits = 1e-6;
  const double cards = m.accelerators_per_node * m.nodes;
  const double whole = std::round(cards);
  return std::abs(cards - whole) <= kDigits * m.nodes ? whole : std::round(cards / kDigits) * kDigits;
}

Json picks_json(const Advice& advice) {
  Json out = Json::object();
  for (std::size_t i = 0; i < advice.recommendations.size(); ++i) {
    const Recommendation& r = advice.recommendations[i];
    for (const Role role : r.roles) {
      out[std::string(name_of(role))] = {
          {"rank", i + 1}, {"instance_type", std::string(r.type->name)}, {"nodes", r.machine.nodes}};
    }
  }
  return out;
}

Json recommendation_json(const Recommendation& r, std::size_t rank, const Workload& w, const base::Texts& texts) {
  Json out;
  out["rank"] = rank;
  out["vendor"] = std::string(r.family->vendor);
  out["family"] = std::string(r.family->name);
  out["instance_type"] = std::string(r.type->name);
  out["status"] = std::string(names(Status{})[static_cast<std::size_t>(status_of(*r.family, *r.type))]);
  out["nodes"] = r.machine.nodes;
  out["accelerator"] = accelerator_json(r.machine, *r.type);
  out["accelerators_total"] = to_json(cards_in_all(r.machine));
  out["layout"] = layout_json(r.layout, w.kind);
  out["memory"] = memory_json(r.estimate.memory, texts);
  out["speed"] = speed_json(r.estimate.speed, texts);
  if (r.fleet) {
    const auto count = [](const std::optional<int>& n) { return n ? Json(*n) : Json(nullptr); };
    out["replicas"] = {{"peak", count(r.fleet->peak)},
                       {"off_peak", count(r.fleet->off_peak)},
                       {"requests_per_second_each", to_json(r.fleet->replica.requests_per_second)}};
  }
  out["runs_at_once"] = r.runs_at_once;
  out["machines_together"] = r.machines_together;
  out["single_machine_ratio"] = to_json(r.single_machine_ratio);
  out["hours_to_finish"] = to_json(r.hours_to_finish);
  out["cost"] = cost_json(r.estimate.cost, texts);
  out["confidence"] = confidence_word(r.estimate.confidence);
  out["score"] = to_json(r.score);
  out["pareto"] = r.pareto;
  out["tied"] = r.tied;
  out["tie"] = r.tie;
  Json& roles = out["roles"] = Json::array();
  for (const Role role : r.roles) roles.push_back(std::string(name_of(role)));
  Json& criteria = out["criteria"] = Json::array();
  for (const auto& c : r.criteria) {
    criteria.push_back({{"criterion", std::string(c.criterion)},
                        {"value", to_json(c.value)},
                        {"unit", to_json(c.unit)},
                        {"normalised", to_json(c.normalised)},
                        {"weight", to_json(c.weight)},
                        {"factor", to_json(c.factor)},
                        {"contribution", to_json(c.contribution)}});
  }
  out["reasons"] = notes_json(r.reasons);
  out["warnings"] = notes_json(r.warnings);
  return out;
}

Json turns_json(std::span<const Turn> turns) {
  Json out = Json::array();
  for (const auto& turn : turns) {
    const bool changes = !turn.to.empty();
    out.push_back({{"input", turn.input},
                   {"from", turn.from},
                   {"looked", turn.looked},
                   {"changes_at", changes ? Json(turn.to) : Json(nullptr)},
                   {"instance_type", turn.type != nullptr ? Json(std::string(turn.type->name)) : Json(nullptr)},
                   {"nodes", turn.type != nullptr ? Json(turn.nodes) : Json(nullptr)}});
  }
  return out;
}

Json header_json(const Knowledge& knowledge) {
  return {{"version", std::string(knowledge.catalog.date)},
          {"date", std::string(knowledge.catalog.date)},
          {"sha256", std::string(knowledge.catalog.sha256)}};
}

}  // namespace

void print_why_not_json(std::ostream& out, std::span<const WhyNot> answers, const Advice& advice,
                        const Knowledge& knowledge, const base::Texts& texts) {
  Json root;
  root["schema_version"] = 1;
  root["catalog"] = header_json(knowledge);
  Json& list = root["why_not"] = Json::array();
  for (const auto& answer : answers) {
    Json item;
    item["vendor"] = std::string(answer.family->vendor);
    item["instance_type"] = std::string(answer.type->name);
    item["rank"] = answer.rank ? Json(*answer.rank) : Json(nullptr);
    item["failures"] = notes_json(answer.failures);
    item["changes"] = answer.changes;
    const auto& runs = answer.as_asked ? answer.as_asked : answer.with_changes;
    item["runs"] = runs ? recommendation_json(*runs, 0, advice.workload, texts) : Json(nullptr);
    if (runs) item["runs"].erase("rank");
    item["wins_with"] = answer.wins_with;
    item["wins_below"] = answer.wins_below ? Json{{"amount", to_json(answer.wins_below)},
                                                  {"currency", std::string(answer.wins_below_currency)}}
                                           : Json(nullptr);
    list.push_back(std::move(item));
  }
  out << root.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_comparison_json(std::ostream& out, const Comparison& comparison, const Knowledge& knowledge,
                           const base::Texts& texts) {
  Json root;
  root["schema_version"] = 1;
  root["request"] = to_json(comparison.workload.profile);
  root["request"]["assumptions"] = assumptions_json(comparison.workload, texts);
  add_unused(root["request"], comparison.workload);
  root["catalog"] = header_json(knowledge);
  Json& list = root["compared"] = Json::array();
  for (const auto& column : comparison.columns) {
    Json item;
    item["name"] = column.name;
    item["instance_type"] = column.type != nullptr ? Json(std::string(column.type->name)) : Json(nullptr);
    item["rank"] = column.rank ? Json(*column.rank) : Json(nullptr);
    item["runs"] = column.runs ? recommendation_json(*column.runs, 0, comparison.workload, texts) : Json(nullptr);
    if (column.runs) item["runs"].erase("rank");
    item["failures"] = notes_json(column.failures);
    list.push_back(std::move(item));
  }
  out << root.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_advice_json(std::ostream& out, const Advice& advice, const Knowledge& knowledge, const base::Texts& texts,
                       std::size_t top, Objective objective, const std::vector<Turn>* turns) {
  Json root;
  root["schema_version"] = 1;
  Json request = to_json(advice.workload.profile);
  request["optimize"] = std::string(names(Objective{})[static_cast<std::size_t>(objective)]);
  Json& weights = request["weights"] = Json::object();
  for (const auto& w : advice.weights) weights[std::string(w.criterion)] = to_json(w.weight);
  Json& resolved = request["resolved_names"] = Json::array();
  for (const auto& name : advice.resolved_names) {
    Json item;
    item["name"] = name.name;
    item["documented"] = name.documented;
    Json& searched = item["searched"] = Json::array();
    Json& caveats = item["caveats"] = Json::array();
    for (const Family* family : name.searched) {
      searched.push_back(std::string(family->vendor) + "/" + std::string(family->name));
      if (!family->caveat.empty()) caveats.push_back(std::string(family->caveat.in(texts.lang())));
    }
    item["said"] = name.note == nullptr ? Json(nullptr) : Json(std::string(name.note->said.in(texts.lang())));
    item["truth"] = name.note == nullptr ? Json(nullptr) : Json(std::string(name.note->truth.in(texts.lang())));
    resolved.push_back(std::move(item));
  }
  request["assumptions"] = assumptions_json(advice.workload, texts);
  add_unused(request, advice.workload);
  root["request"] = std::move(request);
  root["catalog"] = header_json(knowledge);
  Json& list = root["recommendations"] = Json::array();
  for (std::size_t i = 0; i < advice.recommendations.size() && i < top; ++i) {
    list.push_back(recommendation_json(advice.recommendations[i], i + 1, advice.workload, texts));
  }
  Json& rejected = root["rejected"] = Json::array();
  for (const auto& r : advice.rejected) {
    rejected.push_back({{"vendor", std::string(r.family->vendor)},
                        {"instance_type", std::string(r.type->name)},
                        {"rule", std::string(r.reason.rule)},
                        {"reason", r.reason.text}});
  }
  Json& verify = root["verify"] = Json::array();
  for (const auto& step : verify_steps(advice, knowledge, texts.lang())) {
    verify.push_back({{"about", std::string(step.about)}, {"says", step.says}, {"command", step.command}});
  }
  if (advice.nearest_miss) {
    const NearestMiss& m = *advice.nearest_miss;
    root["nearest_miss"] = {{"instance_type", std::string(m.type->name)},
                            {"needed_gib", to_json(m.needed_gib)},
                            {"capacity_gib", to_json(m.capacity_gib)},
                            {"change", m.change.empty() ? Json(nullptr) : Json(m.change)},
                            {"changed_gib", m.change.empty() ? Json(nullptr) : to_json(m.changed_gib)}};
  } else {
    root["nearest_miss"] = nullptr;
  }
  root["picks"] = picks_json(advice);
  if (turns != nullptr) root["sensitivity"] = turns_json(*turns);
  Json left_out = Json::array();
  for (const auto& cut : advice.cuts) {
    left_out.push_back({{"constraint", std::string(cut.constraint)}, {"types", cut.types}});
  }
  root["counts"] = {{"searched", advice.searched},
                    {"fit", advice.recommendations.size()},
                    {"rejected", advice.rejected.size()},
                    {"left_out", std::move(left_out)}};
  out << root.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace gpuadvise::report
