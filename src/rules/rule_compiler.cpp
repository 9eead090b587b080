#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "rules/rule_compiler.h"
#include "rules/rule_fields.h"
#include "rules/rule_text.h"

namespace gpuadvise {

namespace {

using base::Loader;
using base::Node;
using base::printable;

constexpr std::size_t kVarBase = kFieldCount + kMaxParameters;

// Where in its file the character at `offset` of an expression stands: the text of a YAML scalar differs from the file
// in indentation, line ends and quotes only, so that the two can be walked side by side.
Place locate(const Node& node, std::string_view source, std::size_t offset, const std::string& file) {
  Place place{file, node.line, node.column};
  std::string bytes;
  try {
    bytes = base::read_bytes(file);
  } catch (const InputError&) {
    return place;  // not a file that can be read again
  }
  std::size_t at = 0;
  int line = 1;
  while (line < node.line && at < bytes.size()) line += bytes[at++] == '\n' ? 1 : 0;
  at += static_cast<std::size_t>(std::max(node.column - 1, 0));
  std::size_t line_start = bytes.rfind('\n', at == 0 ? 0 : at - 1);
  line_start = line_start == std::string::npos ? 0 : line_start + 1;
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  for (std::size_t i = 0; i <= offset && i < source.size(); ++i) {
    if (blank(source[i]) && i < offset) continue;
    while (at < bytes.size() && bytes[at] != source[i]) {
      if (bytes[at] == '\n') {
        ++line;
        line_start = at + 1;
      }
      ++at;
    }
    if (at >= bytes.size()) return place;
    if (i == offset) break;
    ++at;
  }
  place.line = line;
  place.column = static_cast<int>(at - line_start) + 1;
  return place;
}

cel::Type type_of(const cel::Value& value) {
  using cel::Kind;
  using cel::TypeKind;
  switch (value.kind) {
    case Kind::boolean:
      return {TypeKind::boolean};
    case Kind::integer:
      return {TypeKind::integer};
    case Kind::real:
      return {TypeKind::real};
    case Kind::string:
      return {TypeKind::string};
    case Kind::list:
      return {TypeKind::list, value.items.empty() ? TypeKind::dynamic : type_of(value.items[0]).kind};
    default:
      return {};
  }
}

cel::Value deep_copy(const cel::Value& value, base::Arena& arena) {
  cel::Value out = value;
  out.text = arena.copy(value.text);
  std::vector<cel::Value> items;
  for (const auto& item : value.items) items.push_back(deep_copy(item, arena));
  out.items = arena.copy(items);
  return out;
}

cel::Program deep_copy(const cel::Program& program, base::Arena& arena) {
  std::vector<cel::Value> constants;
  for (const auto& c : program.constants) constants.push_back(deep_copy(c, arena));
  return {
      arena.copy(program.source), arena.copy(std::vector<cel::Instruction>(program.code.begin(), program.code.end())),
      arena.copy(std::vector<std::uint32_t>(program.operands.begin(), program.operands.end())), arena.copy(constants)};
}

class RuleCompiler {
 public:
  RuleCompiler(Loader& loader, const Node& node, std::string path)
      : loader_(loader), node_(node), path_(std::move(path)) {}

  Rule run(const RuleSpec& start) {
    rule_.spec = start;
    rule_.spec.id = {};
    loader_.read(node_, rule_.spec, path_);
    rule_.line = node_.line;
    check_form();
    declare();
    compile_vars();
    rule_.when = compile("when", rule_.spec.when, cel::Type{cel::TypeKind::boolean});
    if (!rule_.spec.unless.empty())
      rule_.unless = compile("unless", rule_.spec.unless, cel::Type{cel::TypeKind::boolean});
    if (!rule_.spec.factor.empty()) rule_.factor = compile("factor", rule_.spec.factor, cel::Type{cel::TypeKind::real});
    check_text("message", rule_.spec.message);
    check_text("remedy", rule_.spec.remedy);
    rule_.fields = loader_.arena().copy(std::vector<std::uint16_t>(fields_.begin(), fields_.end()));
    check_tests();
    return rule_;
  }

 private:
  const Node& at(std::string_view key) const {
    const Node* found = node_.find(key);
    return found != nullptr ? *found : node_;
  }
  [[noreturn]] void fail(std::string_view key, std::string_view message) const {
    loader_.fail(at(key), fmt::format("rule {}: {}", printable(rule_.spec.id), message));
  }
  void require(bool present, std::string_view key) const {
    if (!present) fail(key, fmt::format("{} is missing", key));
  }

  void check_form() const {
    const RuleSpec& s = rule_.spec;
    const auto word = [](std::string_view text) {
      return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
      });
    };
    const auto slash = s.id.find('/');
    if (slash == std::string_view::npos || !word(s.id.substr(0, slash)) || !word(s.id.substr(slash + 1))) {
      fail("id", "an id is area/name, in lower case letters, digits and dashes");
    }
    require(s.severity.has_value(), "severity");
    require(s.scope.has_value(), "scope");
    require(!s.when.empty(), "when");
    require(s.effect.has_value(), "effect");
    require(!s.message.en.empty() && !s.message.zh.empty(), "message");
    require(!s.remedy.en.empty() && !s.remedy.zh.empty(), "remedy");
    const bool scales = s.effect == Effect::penalise || s.effect == Effect::reward;
    if (scales && (s.criterion == Criterion::none || s.factor.empty())) {
      fail("effect", "penalise and reward need a criterion and a factor");
    }
    if (!scales && (s.criterion != Criterion::none || !s.factor.empty())) {
      fail("effect", "criterion and factor go with penalise and reward only");
    }
    if (s.effect == Effect::reject && s.severity != Severity::error) fail("severity", "what rejects is an error");
    if (s.effect == Effect::note && s.severity != Severity::note)
      fail("severity", "an effect of note has severity note");
    if (s.parameters.size() > kMaxParameters)
      fail("parameters", fmt::format("more than {} parameters", kMaxParameters));
    if (s.vars.size() > kMaxVars) fail("vars", fmt::format("more than {} values", kMaxVars));
  }

  void declare() {
    auto& arena = loader_.arena();
    for (const FieldInfo& f : rule_fields()) variables_.push_back({f.name, cel_type(f), f.values});
    variables_.resize(kVarBase + kMaxVars);
    const auto name = [&](std::string_view group, std::string_view key, std::string_view part) {
      const bool ok = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      });
      if (!ok) fail(key, fmt::format("\"{}\" is no name: lower case letters, digits and _", printable(part)));
      const auto full = arena.copy(fmt::format("{}.{}", group, part));
      for (const auto& v : variables_) {
        if (v.name == full) fail(key, fmt::format("{} stands twice", full));
      }
      return full;
    };
    for (std::size_t i = 0; i < rule_.spec.parameters.size(); ++i) {
      const Parameter& p = rule_.spec.parameters[i];
      variables_[kFieldCount + i] = {name("params", "parameters", p.name), type_of(p.value), {}};
    }
    for (std::size_t i = 0; i < rule_.spec.vars.size(); ++i)
      var_names_.push_back(name("vars", "vars", rule_.spec.vars[i].name));
  }

  void compile_vars() {
    std::vector<cel::Program> programs;
    for (std::size_t i = 0; i < rule_.spec.vars.size(); ++i) {
      const Node& vars = at("vars");
      const Node* value = vars.is(Node::Kind::list) && i < vars.items.size() ? vars.items[i].find("value") : nullptr;
      cel::Type type;
      programs.push_back(compile_at(value != nullptr ? *value : node_, rule_.spec.vars[i].value, std::nullopt, type));
      if (type.kind == cel::TypeKind::list || type.kind == cel::TypeKind::map || type.kind == cel::TypeKind::dynamic ||
          type.kind == cel::TypeKind::null) {
        fail("vars", fmt::format("{} is a bool, a number or a string, not {}", var_names_[i], cel::type_name(type)));
      }
      variables_[kVarBase + i] = {var_names_[i], type, {}};
    }
    rule_.vars = loader_.arena().copy(programs);
  }

  cel::Program compile(std::string_view key, std::string_view source, std::optional<cel::Type> result) {
    cel::Type type;
    return compile_at(at(key), source, result, type);
  }

  cel::Program compile_at(const Node& node, std::string_view source, std::optional<cel::Type> result, cel::Type& type) {
    cel::Fault fault;
    // Unused slots have no name, and an empty name is never written.
    const auto program = cel::compile(source, {cel::Mode::checked, variables_, result}, fault);
    if (!program) {
      throw InputError(
          locate(node, source, fault.offset, loader_.file()),
          fmt::format("rule {}: {}\n{}", printable(rule_.spec.id), fault.message, cel::excerpt(source, fault.offset)));
    }
    for (const auto slot : program->slots_used()) {
      if (slot < kFieldCount) fields_.insert(static_cast<std::uint16_t>(slot));
    }
    type = program->type();
    return deep_copy(program->view(), loader_.arena());
  }

  void check_text(std::string_view key, const Text& text) {
    for (const auto language : {text.en, text.zh}) {
      const std::string wrong = walk_text(
          language, [](std::string_view) {}, [&](const Placeholder& p) { check_placeholder(key, p); });
      if (!wrong.empty()) fail(key, fmt::format("{}: {}", key, wrong));
    }
  }

  void check_placeholder(std::string_view key, const Placeholder& p) {
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const auto& v = variables_[i];
      if (v.name.empty()) continue;
      known.push_back(v.name);
      if (v.name != p.name) continue;
      if (i < kFieldCount) fields_.insert(static_cast<std::uint16_t>(i));
      const auto kind = v.type.kind == cel::TypeKind::list ? v.type.element : v.type.kind;
      if (const auto wrong = check_format(p.format, kind); !wrong.empty()) {
        fail(key, fmt::format("{}: {{{}}}: {}", key, printable(p.name), wrong));
      }
      return;
    }
    fail(key,
         fmt::format("{}: unknown placeholder {{{}}}{}", key, printable(p.name), base::did_you_mean(p.name, known)));
  }

  void check_tests() const {
    bool fires = false;
    bool quiet = false;
    for (const RuleTest& test : rule_.spec.tests) {
      (test.fires ? fires : quiet) = true;
      try {
        test_context(test);
      } catch (const InputError& e) {
        fail("tests", e.message());
      }
    }
    if (!fires || !quiet) fail("tests", "a rule has at least one test that fires and one that does not");
  }

  Loader& loader_;
  const Node& node_;
  std::string path_;
  Rule rule_;
  std::vector<cel::Variable> variables_;
  std::vector<std::string_view> var_names_;
  std::set<std::uint16_t> fields_;
};

}  // namespace

cel::Type cel_type(const FieldInfo& field) {
  switch (field.type) {
    case FieldType::real:
      return {cel::TypeKind::real};
    case FieldType::whole:
      return {cel::TypeKind::integer};
    case FieldType::flag:
      return {cel::TypeKind::boolean};
    case FieldType::word:
      return {cel::TypeKind::string};
    case FieldType::words:
      return {cel::TypeKind::list, cel::TypeKind::string};
  }
  return {};
}

std::string fit_value(const FieldInfo& field, cel::Value& value) {
  using cel::Kind;
  if (field.type == FieldType::real && value.is(Kind::integer))
    value = cel::Value::of(static_cast<double>(value.integer));
  const cel::Type want = cel_type(field);
  const cel::Type have = type_of(value);
  const bool fits = want == have || (want.kind == cel::TypeKind::list && have.kind == want.kind && value.items.empty());
  if (!fits) return fmt::format("{} is {}, and this is {}", field.name, cel::type_name(want), cel::type_name(have));
  if (value.is(Kind::string) && !field.values.empty() &&
      std::find(field.values.begin(), field.values.end(), value.text) == field.values.end()) {
    return fmt::format("{} is never \"{}\"{}", field.name, printable(value.text),
                       base::did_you_mean(value.text, field.values));
  }
  return {};
}

Rule make_rule(Loader& loader, const Node& node, const RuleSpec& start, const std::string& path) {
  return RuleCompiler(loader, node, path).run(start);
}

void read_value(Loader& loader, const Node& node, Rule& out, const std::string& path) {
  if (const Node* extends = node.find("extends")) loader.fail(*extends, "extends is for rules of the user's own files");
  out = make_rule(loader, node, {}, path);
}

void read_value(Loader& loader, const Node& node, Facts& out, const std::string& path) {
  if (!node.is(Node::Kind::map)) loader.fail_kind(node, path, "a map of field: value");
  std::vector<Fact> facts;
  for (const auto& member : node.members) {
    Fact fact;
    fact.field = loader.arena().copy(member.key);
    loader.read(member.value, fact.value, fmt::format("{}.{}", path, member.key));
    facts.push_back(fact);
  }
  out.values = loader.arena().copy(facts);
}

namespace cel {

void read_value(Loader& loader, const Node& node, Value& out, const std::string& path) {
  switch (node.kind) {
    case Node::Kind::boolean: {
      bool flag = false;
      loader.read(node, flag, path);
      out = Value::of(flag);
      return;
    }
    case Node::Kind::integer: {
      std::int64_t whole = 0;
      loader.read(node, whole, path);
      out = Value::of(whole);
      return;
    }
    case Node::Kind::number: {
      double real = 0;
      loader.read(node, real, path);
      out = Value::of(real);
      return;
    }
    case Node::Kind::string: {
      std::string_view text;
      loader.read(node, text, path);
      out = Value::of(text);
      return;
    }
    case Node::Kind::list: {
      std::vector<Value> items;
      for (const auto& item : node.items) {
        if (item.is(Node::Kind::list)) loader.fail_kind(item, path, "a plain value");
        Value value;
        loader.read(item, value, path);
        items.push_back(value);
      }
      out = Value::list(loader.arena().copy(items));
      return;
    }
    default:
      loader.fail_kind(node, path, "a value or a list of values");
  }
}

}  // namespace cel
}  // namespace gpuadvise
