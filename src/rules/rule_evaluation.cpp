#include <algorithm>
#include <fmt/format.h>

#include "gpuadvise/error.h"
#include "gpuadvise/rules.h"

#include "base/text.h"
#include "rules/rule_compiler.h"
#include "rules/rule_text.h"

namespace gpuadvise {

namespace {

constexpr std::size_t kVarBase = kFieldCount + kMaxParameters;

bool is_empty_list(const cel::Value& value) { return value.is(cel::Kind::list) && value.items.empty(); }

// What `when` and `unless` say together.
enum class Verdict : std::uint8_t { fires, quiet, undecided };

struct Judgement {
  Verdict verdict;
  std::string_view missing;
};

Judgement judge(cel::Evaluator& evaluator, const Rule& rule, std::span<const cel::Value> slots, bool open) {
  const cel::Value when = evaluator.evaluate(rule.when, slots, open);
  if (when.is_false()) return {Verdict::quiet, {}};
  // A message of an error lives in the evaluator until its next evaluation; names of fields live for good.
  std::string_view missing = when.is(cel::Kind::unknown) ? when.text : std::string_view{};
  bool decided = when.is_true();
  if (!rule.unless.code.empty()) {
    const cel::Value unless = evaluator.evaluate(rule.unless, slots, open);
    if (unless.is_true()) return {Verdict::quiet, {}};
    if (!unless.is_false()) {
      decided = false;
      if (missing.empty() && unless.is(cel::Kind::unknown)) missing = unless.text;
    }
  }
  return {decided ? Verdict::fires : Verdict::undecided, missing};
}

bool names_variable(const cel::Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const cel::Instruction& in) {
    return (in.op == cel::Op::slot || in.op == cel::Op::has_slot) && in.index >= kVarBase;
  });
}

// Most variables serve the messages alone: conditions that name none are asked before any is worked out.
bool needs_variables(const Rule& rule) {
  return !rule.vars.empty() && (names_variable(rule.when) || names_variable(rule.unless));
}

}  // namespace

RuleEvaluation::RuleEvaluation() = default;
RuleEvaluation::~RuleEvaluation() = default;

void RuleEvaluation::enter(const ActiveRule& rule, RuleContext& context, bool open) {
  std::copy(rule.parameters.begin(), rule.parameters.end(), context.slots_.begin() + kFieldCount);
  for (std::size_t i = 0; i < rule.rule->vars.size(); ++i) {
    cel::Value value = evaluator_.evaluate(rule.rule->vars[i], context.slots_, open);
    if (value.is(cel::Kind::error)) value = cel::Value::unknown(rule.rule->spec.vars[i].name);
    if (value.is(cel::Kind::string)) {  // may live in the evaluator, until its next evaluation only
      var_texts_[i] = value.text;
      value.text = var_texts_[i];
    }
    context.slots_[kVarBase + i] = value;
  }
}

void RuleEvaluation::narrow(const RuleList& rules, RuleContext& context, RuleList& out) {
  out.clear();
  for (const ActiveRule* rule : rules) {
    if (needs_variables(*rule->rule)) {
      enter(*rule, context, true);
    } else {
      std::copy(rule->parameters.begin(), rule->parameters.end(), context.slots_.begin() + kFieldCount);
    }
    if (judge(evaluator_, *rule->rule, context.slots_, true).verdict != Verdict::quiet) out.push_back(rule);
  }
}

Firing RuleEvaluation::apply(const ActiveRule& rule, RuleContext& context) {
  const bool first = needs_variables(*rule.rule);
  if (first) {
    enter(rule, context, false);
  } else {
    std::copy(rule.parameters.begin(), rule.parameters.end(), context.slots_.begin() + kFieldCount);
  }
  const Judgement judgement = judge(evaluator_, *rule.rule, context.slots_, false);
  if (judgement.verdict == Verdict::quiet) return {};
  if (!first) enter(rule, context, false);
  Firing out{&rule, judgement.verdict == Verdict::undecided, judgement.missing, 1};
  if (!out.undecided && !rule.rule->factor.code.empty()) {
    const cel::Value factor = evaluator_.evaluate(rule.rule->factor, context.slots_);
    if (factor.is(cel::Kind::integer)) {
      out.factor = static_cast<double>(factor.integer);
    } else if (factor.is(cel::Kind::real) && factor.real > 0 && factor.real <= 1e9) {
      out.factor = factor.real;
    } else {
      out.undecided = true;
      if (factor.is(cel::Kind::unknown)) out.missing = factor.text;
    }
  }
  return out;
}

std::span<const Firing> RuleEvaluation::apply(const RuleList& rules, RuleContext& context, bool with_undecided) {
  firings_.clear();
  for (const ActiveRule* rule : rules) {
    const Firing firing = apply(*rule, context);
    if (firing.rule != nullptr && (with_undecided || !firing.undecided)) firings_.push_back(firing);
  }
  return firings_;
}

std::string RuleEvaluation::text(const ActiveRule& rule, std::string_view text, RuleContext& context, Lang lang) {
  enter(rule, context, false);
  std::string out;
  unfilled_ = 0;
  const auto slot = [&](std::string_view name) -> const cel::Value* {
    if (const auto field = find_field(name)) return &context.get(*field);
    const RuleSpec& spec = rule.rule->spec;
    for (std::size_t i = 0; name.starts_with("params.") && i < spec.parameters.size(); ++i) {
      if (spec.parameters[i].name == name.substr(7)) return &context.slots_[kFieldCount + i];
    }
    for (std::size_t i = 0; name.starts_with("vars.") && i < spec.vars.size(); ++i) {
      if (spec.vars[i].name == name.substr(5)) return &context.slots_[kVarBase + i];
    }
    return nullptr;
  };
  walk_text(
      text, [&](std::string_view literal) { out += literal; },
      [&](const Placeholder& p) {
        const cel::Value* value = slot(p.name);
        if (value == nullptr || value->is_failure() || is_empty_list(*value)) ++unfilled_;
        out += format_value(value != nullptr ? *value : cel::Value{}, p.format, lang == Lang::zh);
      });
  return out;
}

std::string RuleEvaluation::message(const ActiveRule& rule, RuleContext& context, Lang lang) {
  return text(rule, rule.message.in(lang), context, lang);
}
std::string RuleEvaluation::remedy(const ActiveRule& rule, RuleContext& context, Lang lang) {
  return text(rule, rule.remedy.in(lang), context, lang);
}

std::vector<SeenValue> rule_values(const ActiveRule& rule, const RuleContext& context) {
  std::vector<SeenValue> out;
  for (const auto index : rule.rule->fields) {
    const auto field = static_cast<Field>(index);
    if (context.known(field)) {
      out.push_back({info(field).name, format_value(context.get(field), {}, false), info(field).unit});
    }
  }
  return out;
}

RuleContext test_context(const RuleTest& test) {
  RuleContext context;
  for (const Fact& fact : test.given.values) {
    const auto field = find_field(fact.field);
    if (!field) {
      std::vector<std::string_view> known;
      for (const auto& f : rule_fields()) known.push_back(f.name);
      throw InputError(Place{}, fmt::format("unknown field \"{}\"{}", base::printable(fact.field),
                                            base::did_you_mean(fact.field, known)));
    }
    cel::Value value = fact.value;
    if (const auto wrong = fit_value(info(*field), value); !wrong.empty()) throw InputError(Place{}, wrong);
    context.put(*field, value);
  }
  return context;
}

std::vector<std::string> test_rule(const ActiveRule& active) {
  ActiveRule rule = active;  // tests are about the parameters that the rule states, not what a user made of them
  for (std::size_t i = 0; i < rule.parameters.size(); ++i) rule.parameters[i] = rule.rule->spec.parameters[i].value;
  std::vector<std::string> out;
  RuleEvaluation evaluation;
  for (std::size_t i = 0; i < rule.rule->spec.tests.size(); ++i) {
    const RuleTest& test = rule.rule->spec.tests[i];
    RuleContext context = test_context(test);
    const Firing firing = evaluation.apply(rule, context);
    const bool fires = firing.rule != nullptr && !firing.undecided;
    if (fires != test.fires) {
      out.push_back(
          fmt::format("{}: test {} should {}fire, and does {}", rule.id(), i + 1, test.fires ? "" : "not ",
                      firing.undecided ? fmt::format("not: {} is not known", firing.missing) : (fires ? "" : "not")));
      continue;
    }
    if (!fires) continue;
    // A message that fires says what it saw: a placeholder without a value is a hole in the sentence.
    for (const Lang lang : {Lang::en, Lang::zh}) {
      for (const bool remedy : {false, true}) {
        const auto text = remedy ? evaluation.remedy(rule, context, lang) : evaluation.message(rule, context, lang);
        if (evaluation.unfilled() > 0) {
          out.push_back(fmt::format("{}: test {}: a placeholder has no value: {}", rule.id(), i + 1, text));
        }
      }
    }
  }
  return out;
}

}  // namespace gpuadvise
