#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/rules.h"
#include "rules/cel/json.h"
#include "rules/rule_compiler.h"
#include "rules/rule_fields.h"

namespace gpuadvise::report {

namespace {

using Json = nlohmann::ordered_json;

template <class E>
std::string_view word(E value) {
  static constexpr auto kWords = names(E{});
  return kWords[static_cast<std::size_t>(value)];
}

std::string type_of(const FieldInfo& field) { return cel::type_name(cel_type(field)); }

Json text_json(const Text& text) { return {{"en", text.en}, {"zh", text.zh}}; }

Json value_json(const cel::Value& value) { return Json::parse(cel::to_json(value)); }

void paragraph(std::ostream& out, std::string_view label, std::string_view text) {
  const std::string head = "  " + base::pad_right(label, 12);
  bool first = true;
  for (const auto& line : base::wrap(text, 84)) {
    out << (first ? head : std::string(14, ' ')) << line << '\n';
    first = false;
  }
}

}  // namespace

void print_rules(std::ostream& out, const std::vector<const ActiveRule*>& rules, const base::Texts& texts) {
  std::size_t width = 0;
  for (const auto* rule : rules) width = std::max(width, rule->id().size());
  for (const auto* rule : rules) {
    out << base::pad_right(rule->id(), width + 2)
        << base::pad_right(texts.raw(fmt::format("severity/{}", word(rule->severity))), 9)
        << base::pad_right(word(*rule->rule->spec.scope), 16) << base::pad_right(word(*rule->rule->spec.effect), 10);
    if (!rule->disabled.empty()) {
      out << texts("rules/disabled", {{"reason", base::printable(rule->disabled)}});
    } else if (!rule->origin.empty()) {
      out << base::printable(rule->origin);
    }
    out << '\n';
  }
  out << '\n' << texts("rules/count", {{"count", std::to_string(rules.size())}}) << '\n';
}

void print_rules_json(std::ostream& out, const std::vector<const ActiveRule*>& rules) {
  Json root;
  root["schema_version"] = 1;
  root["rules"] = Json::array();
  for (const auto* rule : rules) {
    const RuleSpec& s = rule->rule->spec;
    Json j;
    j["id"] = s.id;
    j["severity"] = word(rule->severity);
    j["scope"] = word(*s.scope);
    j["effect"] = word(*s.effect);
    if (s.criterion != Criterion::none) {
      j["criterion"] = word(s.criterion);
      j["factor"] = s.factor;
    }
    for (const RuleVariable& var : s.vars) j["vars"][std::string(var.name)] = var.value;
    j["when"] = s.when;
    j["unless"] = s.unless.empty() ? Json(nullptr) : Json(s.unless);
    j["message"] = text_json(rule->message);
    j["remedy"] = text_json(rule->remedy);
    j["parameters"] = Json::object();
    for (std::size_t i = 0; i < s.parameters.size(); ++i) {
      j["parameters"][std::string(s.parameters[i].name)] = {{"value", value_json(rule->parameters[i])},
                                                            {"default", value_json(s.parameters[i].value)},
                                                            {"meaning", text_json(s.parameters[i].meaning)}};
    }
    j["tags"] = std::vector<std::string>(s.tags.begin(), s.tags.end());
    j["sources"] = std::vector<std::string>(s.sources.begin(), s.sources.end());
    j["since"] = s.since;
    j["origin"] = rule->origin.empty() ? Json("built-in") : Json(rule->origin);
    j["disabled"] = rule->disabled.empty() ? Json(nullptr) : Json(rule->disabled);
    root["rules"].push_back(std::move(j));
  }
  out << root.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_rule(std::ostream& out, const ActiveRule& rule, const Catalog& catalog, const base::Texts& texts) {
  const RuleSpec& s = rule.rule->spec;
  out << s.id << "   " << texts.raw(fmt::format("severity/{}", word(rule.severity))) << ", " << word(*s.scope) << ", "
      << word(*s.effect);
  if (s.criterion != Criterion::none) out << ' ' << word(s.criterion) << " x " << base::printable(s.factor);
  out << "\n";
  if (!rule.disabled.empty()) {
    out << "  " << texts("rules/disabled", {{"reason", base::printable(rule.disabled)}}) << '\n';
  }
  for (const RuleVariable& var : s.vars)
    paragraph(out, "vars", fmt::format("{} = {}", var.name, base::printable(var.value)));
  paragraph(out, texts.raw("rules/when"), base::printable(s.when));
  if (!s.unless.empty()) paragraph(out, texts.raw("rules/unless"), base::printable(s.unless));
  paragraph(out, texts.raw("rules/message"), base::printable(rule.message.in(texts.lang())));
  paragraph(out, texts.raw("rules/remedy"), base::printable(rule.remedy.in(texts.lang())));
  for (std::size_t i = 0; i < s.parameters.size(); ++i) {
    const Parameter& p = s.parameters[i];
    paragraph(out, texts.raw("rules/parameter"),
              fmt::format("params.{} = {}   {}", p.name, cel::to_json(rule.parameters[i]),
                          base::printable(p.meaning.in(texts.lang()))));
  }
  for (const auto id : s.sources) {
    const Source* found = nullptr;
    for (const Source& source : catalog.sources) {
      if (source.id == id) found = &source;
    }
    paragraph(out, texts.raw("rules/source"),
              found == nullptr ? base::printable(id)
                               : fmt::format("{}: {}; {} ({})", id, found->title, found->where, found->date));
  }
  paragraph(out, texts.raw("rules/origin"),
            rule.origin.empty() ? std::string(texts.raw("rules/built-in")) : base::printable(rule.origin));
  for (const RuleTest& test : s.tests) {
    if (!test.fires) continue;
    std::string given;
    for (const Fact& fact : test.given.values) {
      given += fmt::format("{}{}: {}", given.empty() ? "" : ", ", fact.field, cel::to_json(fact.value));
    }
    paragraph(out, texts.raw("rules/example"), base::printable(given));
    RuleContext context = test_context(test);
    RuleEvaluation evaluation;
    const Firing firing = evaluation.apply(rule, context);  // not with every value that a user may set a parameter to
    const bool fires = firing.rule != nullptr && !firing.undecided;
    paragraph(out, "",
              fires ? fmt::format("-> {}", evaluation.message(rule, context, texts.lang()))
                    : std::string(texts.raw("rules/example-quiet")));
    break;
  }
}

void print_rule_fields(std::ostream& out, const base::Texts& texts) {
  std::size_t width = 0;
  for (const FieldInfo& field : rule_fields()) width = std::max(width, field.name.size());
  for (const FieldInfo& field : rule_fields()) {
    out << base::pad_right(field.name, width + 2) << base::pad_right(type_of(field), 14)
        << base::pad_right(field.unit, 12) << (texts.lang() == Lang::zh ? field.zh : field.en) << '\n';
  }
}

void print_rule_fields_json(std::ostream& out) {
  Json root;
  root["schema_version"] = 1;
  root["fields"] = Json::array();
  for (const FieldInfo& field : rule_fields()) {
    Json j;
    j["name"] = field.name;
    j["type"] = type_of(field);
    j["unit"] = field.unit.empty() ? Json(nullptr) : Json(field.unit);
    j["meaning"] = {{"en", field.en}, {"zh", field.zh}};
    if (!field.values.empty()) j["values"] = std::vector<std::string>(field.values.begin(), field.values.end());
    root["fields"].push_back(std::move(j));
  }
  out << root.dump(2) << '\n';
}

void print_rule_fields_markdown(std::ostream& out) {
  out << "| field | type | unit | meaning | 含义 |\n| --- | --- | --- | --- | --- |\n";
  for (const FieldInfo& field : rule_fields()) {
    out << fmt::format("| `{}` | {} | {} | {} | {} |\n", field.name, type_of(field), field.unit, field.en, field.zh);
  }
}

}  // namespace gpuadvise::report
