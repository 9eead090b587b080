// Rules: the advice of the product as data. A rule has a condition in CEL over the published fields (rule_context.h,
// docs/reference/rules.md), an effect, a message and a remedy in both languages, a source, and tests of its own.
//
// What is not known about a candidate stays unknown in conditions: an operator or function of an unknown value is
// unknown, && and || and ?: decide where they can without it (false && unknown is false, true || unknown is true), and
// has(field) tells whether a field is known. A rule whose condition comes out unknown does not fire; it is undecided,
// and says which field was missing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/catalog.h"
#include "gpuadvise/cel.h"
#include "gpuadvise/rule_context.h"
#include "gpuadvise/text.h"

namespace gpuadvise {

enum class Severity : std::uint8_t { error, warning, note };
enum class RuleScope : std::uint8_t {
  candidate,       // instance type x nodes x layout
  recommendation,  // the answer as a whole
  plan             // planned infrastructure, in `check`
};
enum class Effect : std::uint8_t {
  reject,    // the candidate cannot do the work
  penalise,  // its `criterion` is multiplied by `factor` (above 1: worse)
  reward,    // its `criterion` is divided by `factor`
  require,   // something that the user must have or do
  warn,
  note
};
// What a factor applies to; each is counted so that less is better.
enum class Criterion : std::uint8_t {
  none,
  cost,
  time,
  latency,
  memory,
  network,
  lifecycle,
  availability,
  software,
  count
};

// A threshold of a rule: params.NAME in its condition. A user can set it without rewriting the rule.
struct Parameter {
  std::string_view name;
  cel::Value value;
  std::string_view unit;
  Text meaning;
};

// A value worked out before the condition: vars.NAME in it and in the messages.
struct RuleVariable {
  std::string_view name;
  std::string_view value;  // CEL
};

// Field values of a test case.
struct Fact {
  std::string_view field;
  cel::Value value;
};
struct Facts {
  std::span<const Fact> values;
};
struct RuleTest {
  bool fires = false;
  Facts given;
};

// A rule as its file states it.
struct RuleSpec {
  std::string_view id;       // area/name
  std::string_view extends;  // takes over what it does not state from the rule of this id
  std::optional<Severity> severity;
  std::optional<RuleScope> scope;
  std::span<const RuleVariable> vars;
  std::string_view when;
  std::string_view unless;
  std::optional<Effect> effect;
  Criterion criterion = Criterion::none;
  std::string_view factor;  // CEL, a number
  Text message;             // {field} or {field:format}
  Text remedy;
  std::span<const Parameter> parameters;
  std::span<const std::string_view> tags;
  std::span<const std::string_view> sources;
  std::string_view since;
  std::span<const RuleTest> tests;
};

// A rule that is compiled.
struct Rule {
  RuleSpec spec;
  std::span<const cel::Program> vars;
  cel::Program when;
  cel::Program unless;                    // no code: none
  cel::Program factor;                    // no code: none
  std::span<const std::uint16_t> fields;  // Field indices that it looks at, for explanations
  int line = 0;                           // in its file
};

// A rule as it applies: the built-in, or what the user's files made of it.
struct ActiveRule {
  const Rule* rule = nullptr;
  Severity severity = Severity::note;
  std::vector<cel::Value> parameters;
  Text message;
  Text remedy;
  std::string_view disabled;  // the reason; empty: in force
  std::string_view origin;    // empty: built in; otherwise the file that stated or changed it
  std::string_view id() const { return rule->spec.id; }
};

struct Firing {
  const ActiveRule* rule = nullptr;
  bool undecided = false;    // could not be decided: `missing` is not known
  std::string_view missing;  // a field name, or an error of evaluation
  double factor = 1;         // penalise, reward
};

using RuleList = std::vector<const ActiveRule*>;

// All rules in force. Immutable once made; serves any number of threads.
class RuleSet {
 public:
  // Costs no parsing.
  explicit RuleSet(std::span<const Rule> rules);
  // With the rules and overrides of the user's files and folders over them, in order. Throws InputError.
  static RuleSet load(const std::vector<std::string>& paths, std::span<const Rule> base);
  // The same from the text of one file; `name` is what messages call it.
  void lay_over(std::string_view bytes, const std::string& name);
  RuleSet(RuleSet&&) noexcept;
  RuleSet& operator=(RuleSet&&) noexcept;
  ~RuleSet();

  std::span<const ActiveRule> rules() const { return rules_; }  // disabled ones included, sorted by id
  const ActiveRule* find(std::string_view id) const;
  RuleList of(RuleScope scope) const;  // in force, sorted by id
  // As a configuration asks: another severity, or none, which takes the rule out of force. What rejects stays an error.
  void set_severity(std::string_view id, std::optional<Severity> severity, std::string_view origin);

 private:
  struct Storage;
  std::vector<ActiveRule> rules_;
  std::unique_ptr<Storage> storage_;
};

// Applies rules to contexts. Not shared between threads. Nothing is allocated per rule once its buffers have grown.
class RuleEvaluation {
 public:
  RuleEvaluation();
  ~RuleEvaluation();

  // Those of `rules` that may yet fire whatever the fields that `context` does not know turn out to be. Narrowing
  // once with the workload's fields and once per instance type leaves few rules to try on each layout.
  void narrow(const RuleList& rules, RuleContext& context, RuleList& out);

  // Those that fire, in order; those undecided too when `with_undecided`. The result stays valid until the next call.
  // `context` is used as working space for parameters and comes back as it was.
  std::span<const Firing> apply(const RuleList& rules, RuleContext& context, bool with_undecided = false);
  Firing apply(const ActiveRule& rule, RuleContext& context);  // rule == nullptr in the answer: does not fire

  // The rule's message or remedy with its placeholders filled in from `context`. Words of strangers come out printable;
  // what is not known comes out as "unknown".
  std::string message(const ActiveRule& rule, RuleContext& context, Lang lang);
  std::string remedy(const ActiveRule& rule, RuleContext& context, Lang lang);
  // How many placeholders of the last message or remedy had no value.
  int unfilled() const { return unfilled_; }

 private:
  void enter(const ActiveRule& rule, RuleContext& context, bool open);
  std::string text(const ActiveRule& rule, std::string_view text, RuleContext& context, Lang lang);
  cel::Evaluator evaluator_;
  std::vector<Firing> firings_;
  std::array<std::string, kMaxVars> var_texts_;
  int unfilled_ = 0;
};

// The fields that the rule looked at, with their values: {"accelerator.compute_capability", "7.5"}.
struct SeenValue {
  std::string_view field;
  std::string value;
  std::string_view unit;
};
std::vector<SeenValue> rule_values(const ActiveRule& rule, const RuleContext& context);

// Runs the tests that a rule carries. Each line says what went wrong; none: all passed.
std::vector<std::string> test_rule(const ActiveRule& rule);
// A context made of a test's facts. Throws InputError on an unknown field or a value of the wrong type.
RuleContext test_context(const RuleTest& test);

}  // namespace gpuadvise
