#include <algorithm>
#include <cmath>

#include "catalog/catalog_fields.h"
#include "report/advice.h"
#include "report/estimate_json.h"
#include "workload/unused_fields.h"

namespace gpuadvise::report {

namespace {

// JSON has no NaN or infinity; what is not a number is not known.
Json number(double value) { return std::isfinite(value) ? to_json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json why(std::string_view id, const base::Texts& texts) {
  if (id.empty()) return nullptr;
  return texts.has(id) ? Json(std::string(texts.raw(id))) : Json(std::string(id));
}

Json band(double low, double high) {
  if (low == 0 && high == 0) return nullptr;
  return Json::array({number(low), number(high)});
}

// Little's law; of language models, where the time in the system is known.
std::optional<double> requests_in_flight(const SpeedEstimate& s) {
  if (!s.requests_per_second || !s.latency_ms) return std::nullopt;
  return *s.requests_per_second * *s.latency_ms / 1e3;
}

}  // namespace

namespace {

Json note_json(const Note& note) {
  Json out;
  out["rule"] = std::string(note.rule);
  out["severity"] = note.severity == Severity::error     ? "error"
                    : note.severity == Severity::warning ? "warning"
                                                         : "note";
  out["text"] = note.text;
  if (!note.remedy.empty()) out["remedy"] = note.remedy;
  if (!note.seen.empty()) out["seen"] = note.seen;
  if (!note.origin.empty()) out["origin"] = std::string(note.origin);
  return out;
}

}  // namespace

Json notes_json(std::span<const Note> notes) {
  Json out = Json::array();
  for (const auto& note : notes) out.push_back(note_json(note));
  return out;
}

Json memory_json(const MemoryEstimate& m, const base::Texts& texts) {
  Json out;
  const auto item = [&](double value) { return m.known ? number(value) : Json(nullptr); };
  Json& per = out["per_accelerator_gib"];
  per["weights"] = item(m.weights);
  per["gradients"] = item(m.gradients);
  per["optimizer"] = item(m.optimizer);
  per["activations"] = item(m.activations);
  per["logits"] = item(m.logits);
  per["kv_cache"] = item(m.kv_cache);
  per["adapters"] = item(m.adapters);
  per["communication"] = item(m.communication);
  per["runtime"] = item(m.runtime);
  per["scene"] = item(m.scene);
  per["fragmentation"] = item(m.fragmentation);
  per["total"] = item(m.total);
  out["by_meter"] = {{"allocated", item(m.allocated)}, {"reserved", item(m.reserved)}, {"device", item(m.device)}};
  out["capacity_gib"] = m.capacity_gib > 0 ? number(m.capacity_gib) : Json(nullptr);
  out["required_gib"] = item(m.required);
  out["limit_gib"] = m.known && m.limit_gib > 0 ? number(std::min(m.limit_gib, m.capacity_gib)) : Json(nullptr);
  out["at_least_gib"] = !m.known && m.at_least > 0 ? number(m.at_least) : Json(nullptr);
  out["fits"] = m.known || m.cannot_fit() ? Json(!m.cannot_fit()) : Json(nullptr);
  out["headroom_gib"] = m.known && m.capacity_gib > 0 ? number(m.headroom_gib) : Json(nullptr);
  out["band_percent"] = m.known ? band(m.band_low_percent, m.band_high_percent) : Json(nullptr);
  if (!m.known) out["why"] = why(m.why, texts);
  return out;
}

Json speed_json(const SpeedEstimate& s, const base::Texts& texts) {
  Json out;
  out["tokens_per_second"] = number(s.tokens_per_second);
  out["tokens_per_second_per_accelerator"] = number(s.tokens_per_second_per_accelerator);
  out["samples_per_second"] = number(s.samples_per_second);
  out["tflops_per_accelerator"] = number(s.tflops_per_accelerator);
  out["mfu_percent"] = number(s.mfu_percent);
  out["step_seconds"] = number(s.step_seconds);
  out["ttft_ms"] = number(s.ttft_ms);
  out["tpot_ms"] = number(s.tpot_ms);
  out["latency_ms"] = number(s.latency_ms);
  out["output_tokens_per_second"] = number(s.output_tokens_per_second);
  out["total_tokens_per_second"] = number(s.total_tokens_per_second);
  out["requests_per_second"] = number(s.requests_per_second);
  out["requests_in_flight"] = number(requests_in_flight(s));
  out["value"] = number(s.value);
  out["unit"] = s.unit.empty() ? Json(nullptr) : Json(std::string(s.unit));
  out["relative"] = number(s.relative);
  out["band_percent"] = band(s.band_low_percent, s.band_high_percent);
  const StepTerms& t = s.terms;
  out["terms_seconds"] = {{"compute", number(t.compute)},
                          {"attention", number(t.attention)},
                          {"memory_traffic", number(t.memory_traffic)},
                          {"tensor_comm", number(t.tensor_comm)},
                          {"pipeline_bubble", number(t.pipeline_bubble)},
                          {"data_comm", number(t.data_comm)},
                          {"expert_comm", number(t.expert_comm)},
                          {"context_comm", number(t.context_comm)},
                          {"optimizer", number(t.optimizer)},
                          {"host", number(t.host)},
                          {"data_loading", number(t.data_loading)}};
  if (!s.known) out["why"] = why(s.why, texts);
  return out;
}

namespace {

Json price_json(const Price& p) {
  return {{"charge", std::string(names(ChargeType{})[static_cast<std::size_t>(p.charge)])},
          {"amount", number(p.amount)},
          {"currency", std::string(p.currency)},
          {"region", to_json(p.region)},
          {"as_of", to_json(p.as_of)},
          {"source", std::string(p.source)},
          {"confidence", std::string(names(SourceKind{})[static_cast<std::size_t>(p.confidence)])},
          {"user_supplied", p.confidence == SourceKind::user}};
}

Json break_even_json(const std::optional<BreakEven>& b) {
  if (!b) return nullptr;
  return {{"hours_per_month", number(b->hours_per_month)},
          {"on_demand", price_json(*b->on_demand)},
          {"subscription", price_json(*b->subscription)}};
}

}  // namespace

Json cost_json(const CostEstimate& c, const base::Texts& texts) {
  Json out;
  out["currency"] = c.known ? Json(std::string(c.currency)) : Json(nullptr);
  out["per_hour"] = number(c.per_hour);
  out["per_hour_range"] = c.per_hour_low ? Json::array({number(c.per_hour_low), number(c.per_hour)}) : Json(nullptr);
  out["per_million_tokens"] = number(c.per_million_tokens);
  out["per_million_input_tokens"] = number(c.per_million_input_tokens);
  out["per_million_output_tokens"] = number(c.per_million_output_tokens);
  out["per_unit"] = nullptr;
  if (c.per_unit) {
    out["per_unit"] = {{"unit", std::string(names(CostUnit{})[static_cast<std::size_t>(c.per_unit->unit)])},
                       {"count", number(c.per_unit->count)},
                       {"amount", number(c.per_unit->amount)}};
  }
  out["to_finish"] = number(c.to_finish);
  out["interruption_loss"] = number(c.interruption_loss);
  out["breakeven"] = {{"month", break_even_json(c.month)}, {"year", break_even_json(c.year)}};
  out["basis"] = nullptr;
  if (c.price != nullptr) {
    Json& basis = out["basis"] = price_json(*c.price);
    basis["exchange_rate"] = number(c.exchange_rate);
    basis["age_months"] = c.price_age_months ? Json(*c.price_age_months) : Json(nullptr);
  }
  if (!c.why.empty()) out["why"] = why(c.why, texts);
  return out;
}

Json layout_json(const Layout& l, TaskKind kind) {
  Json out;
  out["tensor"] = l.tensor;
  out["pipeline"] = l.pipeline;
  out["virtual_pipeline"] = l.virtual_pipeline;
  out["data"] = l.data;
  out["expert"] = l.expert;
  out["context"] = l.context;
  out["sequence_parallel"] = l.sequence_parallel;
  const bool training = kind == TaskKind::llm_training || kind == TaskKind::media_training;
  out["zero_stage"] = training ? Json(l.zero_stage) : Json(nullptr);
  out["micro_batch"] = training ? Json(l.micro_batch) : Json(nullptr);
  out["activation_checkpointing"] =
      training ? Json(std::string(names(Checkpointing{})[static_cast<std::size_t>(l.checkpointing)])) : Json(nullptr);
  return out;
}

std::string assumption_text(const Assumption& a, const base::Texts& texts) {
  const char* id = a.origin == Assumption::Origin::task_preset     ? "assumption/preset"
                   : a.origin == Assumption::Origin::model_library ? "assumption/library"
                                                                   : "assumption/inferred";
  return texts(id, {{"field", a.field}, {"value", a.value}});
}

Json assumptions_json(const Workload& w, const base::Texts& texts) {
  Json out = Json::array();
  for (const auto& assumption : w.assumptions) out.push_back(assumption_text(assumption, texts));
  return out;
}

void add_unused(Json& out, const Workload& w) {
  if (auto fields = unused_fields(w); !fields.empty()) out["unused"] = std::move(fields);
}

std::string_view confidence_word(EstimateConfidence confidence) {
  switch (confidence) {
    case EstimateConfidence::measured:
      return "measured";
    case EstimateConfidence::interpolated:
      return "interpolated";
    case EstimateConfidence::extrapolated:
      return "extrapolated";
    case EstimateConfidence::unknown:
      return "unknown";
  }
  return "unknown";
}

namespace {

Json estimate_json(const ProfileEstimate& e, const base::Texts& texts) {
  Json root;
  root["schema_version"] = 1;
  root["id"] = e.workload.profile.id ? Json(std::string(*e.workload.profile.id)) : Json(nullptr);
  root["memory"] = memory_json(e.estimate.memory, texts);
  root["speed"] = speed_json(e.estimate.speed, texts);
  root["cost"] = cost_json(e.estimate.cost, texts);
  root["layout"] = layout_json(e.layout, e.workload.kind);
  root["assumptions"] = assumptions_json(e.workload, texts);
  add_unused(root, e.workload);
  root["confidence"] = confidence_word(e.estimate.confidence);
  root["failures"] = notes_json(e.failures);
  return root;
}

Json whole(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }

void write(std::ostream& out, const Json& root, bool pretty) {
  out << root.dump(pretty ? 2 : -1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace

void print_estimate_json(std::ostream& out, const ProfileEstimate& e, const base::Texts& texts, bool pretty) {
  write(out, estimate_json(e, texts), pretty);
}

void print_solution_json(std::ostream& out, const ProfileSolution& s, const base::Texts& texts) {
  Json root = estimate_json(s.at, texts);
  const Solution& found = s.solution;
  Json& solve = root["solve"];
  solve["for"] = std::string(solve_names()[static_cast<std::size_t>(s.what)]);
  solve["value"] = whole(found.value);
  solve["bounded"] = found.memory.known ? Json(found.bounded) : Json(nullptr);
  solve["beyond"] = nullptr;
  if (found.beyond) {
    solve["beyond"] = {
        {"value", *found.beyond},
        {"required_gib", number(found.beyond_memory.required)},
        {"limit_gib", number(std::min(found.beyond_memory.limit_gib, found.beyond_memory.capacity_gib))}};
  }
  write(out, root, true);
}

}  // namespace gpuadvise::report
