#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.h"
#include "rules/cel/compiler.h"

namespace gpuadvise::cel {

OwnedProgram::OwnedProgram() : storage_(std::make_unique<Storage>()) {}
OwnedProgram::OwnedProgram(OwnedProgram&&) noexcept = default;
OwnedProgram& OwnedProgram::operator=(OwnedProgram&&) noexcept = default;
OwnedProgram::~OwnedProgram() = default;

namespace {

// Words of the full language that stand for a type; the subset has no type values.
constexpr std::array<std::string_view, 11> kTypeWords = {"int",  "uint", "double", "bool",      "string", "bytes",
                                                         "list", "map",  "type",   "null_type", "dyn"};
constexpr std::array<std::string_view, 6> kUnsupportedCalls = {"uint",     "bytes", "timestamp",
                                                               "duration", "type",  "optional"};

// The dotted name that a chain of selections spells: {"a", "b", "c"} for a.b.c; empty when its root is no name.
std::vector<const Ast*> dotted(const Ast& ast) {
  std::vector<const Ast*> out;
  const Ast* at = &ast;
  while (at->kind == AstKind::select || at->kind == AstKind::has) {
    if (at->absolute) return {};
    out.push_back(at);
    at = at->operands[0].get();
  }
  if (at->kind != AstKind::name) return {};
  out.push_back(at);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string join(std::span<const Ast* const> parts) {
  std::string out;
  for (const Ast* part : parts) out += (out.empty() ? "" : ".") + part->text;
  return out;
}

}  // namespace

OwnedProgram Compiler::run(std::string_view source) {
  auto& storage = *out_.storage_;
  storage.source = source;
  const AstPtr ast = parse(source);
  const Compiled root = node(*ast);
  if (checked() && options_.result) {
    const Type want = *options_.result;
    const bool fits = root.type == want || root.type.kind == TypeKind::dynamic ||
                      (want.kind == TypeKind::real && root.type.kind == TypeKind::integer) ||
                      (want.kind == root.type.kind && want.element == TypeKind::dynamic);
    if (!fits) {
      raise(ast->offset, fmt::format("this must be {}, and is {}", type_name(want), type_name(root.type)));
    }
  }
  out_.type_ = root.type;
  out_.slots_used_.assign(slots_.begin(), slots_.end());
  out_.program_ = {storage.source, storage.code, storage.operands, storage.constants};
  return std::move(out_);
}

std::uint32_t Compiler::emit(Op op, const Ast& ast, std::span<const std::uint32_t> operands, std::uint32_t index) {
  auto& storage = *out_.storage_;
  const auto first = static_cast<std::uint32_t>(storage.operands.size());
  storage.operands.insert(storage.operands.end(), operands.begin(), operands.end());
  storage.code.push_back(
      {op, static_cast<std::uint32_t>(ast.offset), first, static_cast<std::uint32_t>(operands.size()), index});
  return static_cast<std::uint32_t>(storage.code.size() - 1);
}

std::uint32_t Compiler::constant(const Value& value) {
  out_.storage_->constants.push_back(value);
  return static_cast<std::uint32_t>(out_.storage_->constants.size() - 1);
}

std::uint32_t Compiler::constant_text(std::string_view text) {
  out_.storage_->texts.emplace_back(text);
  return constant(Value::of(std::string_view(out_.storage_->texts.back())));
}

const Value* Compiler::folded(std::uint32_t at) const {
  const auto& instruction = out_.storage_->code[at];
  return instruction.op == Op::constant ? &out_.storage_->constants[instruction.index] : nullptr;
}

Compiler::Compiled Compiler::node(const Ast& ast) {
  switch (ast.kind) {
    case AstKind::literal:
      return literal(ast);
    case AstKind::name:
      return name(ast);
    case AstKind::select:
      return select(ast);
    case AstKind::has:
      return presence(ast);
    case AstKind::call:
      return call(ast);
    case AstKind::op:
      return operation(ast);
    case AstKind::list:
      return make_list(ast);
    case AstKind::map:
      return make_map(ast);
    case AstKind::loop:
      return loop(ast);
  }
  raise(ast.offset, "unexpected construct");
}

Compiler::Compiled Compiler::literal(const Ast& ast) {
  const auto kind = ast.value.kind;
  const auto index = kind == Kind::string ? constant_text(ast.text) : constant(ast.value);
  const TypeKind type = kind == Kind::null      ? TypeKind::null
                        : kind == Kind::boolean ? TypeKind::boolean
                        : kind == Kind::integer ? TypeKind::integer
                        : kind == Kind::real    ? TypeKind::real
                                                : TypeKind::string;
  return {emit(Op::constant, ast, {}, index), {type}};
}

const Compiler::Local* Compiler::find_local(std::string_view name, std::size_t& index) const {
  for (std::size_t i = locals_.size(); i-- > 0;) {
    if (locals_[i].name == name) {
      index = i;
      return &locals_[i];
    }
  }
  return nullptr;
}

std::optional<std::uint32_t> Compiler::find_variable(std::string_view name) const {
  for (std::size_t i = 0; i < options_.variables.size(); ++i) {
    if (options_.variables[i].name == name) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

void Compiler::unknown_name(const Ast& ast, const std::string& name) const {
  std::vector<std::string_view> known;
  known.reserve(options_.variables.size());
  for (const auto& v : options_.variables) known.push_back(v.name);
  // A group such as "accelerator" alone, or a field that its group does not have.
  raise(ast.offset, fmt::format("unknown field \"{}\"{}", base::printable(name), base::did_you_mean(name, known)));
}

// The variable that the longest prefix of a dotted name stands for, with what remains selected from it.
std::optional<Compiler::Compiled> Compiler::variable(const Ast& ast) {
  const auto parts = dotted(ast);
  if (parts.empty()) return std::nullopt;
  std::size_t local = 0;
  if (!parts[0]->absolute && find_local(parts[0]->text, local) != nullptr) return std::nullopt;
  for (std::size_t n = parts.size(); n > 0; --n) {
    const auto slot = find_variable(join(std::span(parts).first(n)));
    if (!slot) continue;
    slots_.insert(*slot);
    Compiled out{emit(Op::slot, *parts[0], {}, *slot), options_.variables[*slot].type};
    for (std::size_t i = n; i < parts.size(); ++i) {
      if (checked() && out.type.kind != TypeKind::map && out.type.kind != TypeKind::dynamic) {
        if (n > 1 || parts.size() > 2) unknown_name(*parts[0], join(parts));
        raise(parts[i]->offset, fmt::format("{} has no fields", type_name(out.type)));
      }
      out = {emit(Op::select, *parts[i], std::array{out.at}, constant_text(parts[i]->text)), {}};
    }
    return out;
  }
  if (checked()) unknown_name(*parts[0], join(parts));
  return std::nullopt;
}

Compiler::Compiled Compiler::name(const Ast& ast) {
  std::size_t local = 0;
  if (!ast.absolute) {
    if (const Local* found = find_local(ast.text, local)) {
      return {emit(Op::local, ast, {}, static_cast<std::uint32_t>(local)), found->type};
    }
  }
  if (!find_variable(ast.text)) {
    if (std::find(kTypeWords.begin(), kTypeWords.end(), ast.text) != kTypeWords.end()) {
      raise(ast.offset, fmt::format("type values ({}) are not supported", ast.text));
    }
    if (ast.text == "google") raise(ast.offset, "protobuf types (google...) are not supported");
  }
  if (const auto found = variable(ast)) return *found;
  return {emit(Op::unbound, ast, {}, constant_text(ast.text)), {}};
}

Compiler::Compiled Compiler::select(const Ast& ast) {
  if (const auto found = variable(ast)) return *found;
  const Compiled operand = node(*ast.operands[0]);
  if (checked() && operand.type.kind != TypeKind::map && operand.type.kind != TypeKind::dynamic) {
    raise(ast.offset, fmt::format("{} has no fields", type_name(operand.type)));
  }
  return {emit(Op::select, ast, std::array{operand.at}, constant_text(ast.text)), {}};
}

Compiler::Compiled Compiler::presence(const Ast& ast) {
  const auto parts = dotted(ast);
  std::size_t local = 0;
  const bool plain = !parts.empty() && (parts[0]->absolute || find_local(parts[0]->text, local) == nullptr);
  const auto slot = plain ? find_variable(join(parts)) : std::nullopt;
  const bool operand_known = plain && find_variable(join(std::span(parts).first(parts.size() - 1))).has_value();
  if (slot && (checked() || !operand_known)) {
    slots_.insert(*slot);
    return {emit(Op::has_slot, ast, {}, *slot), {TypeKind::boolean}};
  }
  if (checked() && plain && !operand_known) unknown_name(*parts[0], join(parts));
  const Compiled operand = node(*ast.operands[0]);
  if (checked() && operand.type.kind != TypeKind::map && operand.type.kind != TypeKind::dynamic) {
    raise(ast.offset, fmt::format("has() of a field of {}, which has no fields", type_name(operand.type)));
  }
  return {emit(Op::has_select, ast, std::array{operand.at}, constant_text(ast.text)), {TypeKind::boolean}};
}

namespace {

struct Function {
  std::string_view name;
  Op op;
  int arguments;   // the receiver included
  bool as_call;    // f(x)
  bool as_member;  // x.f()
};
constexpr std::array<Function, 10> kFunctions = {{{"size", Op::size, 1, true, true},
                                                  {"contains", Op::contains, 2, false, true},
                                                  {"startsWith", Op::starts_with, 2, false, true},
                                                  {"endsWith", Op::ends_with, 2, false, true},
                                                  {"matches", Op::matches, 2, true, true},
                                                  {"int", Op::to_int, 1, true, false},
                                                  {"double", Op::to_double, 1, true, false},
                                                  {"string", Op::to_string, 1, true, false},
                                                  {"bool", Op::to_bool, 1, true, false},
                                                  {"dyn", Op::identity, 1, true, false}}};
constexpr std::array<std::string_view, 16> kCallable = {
    "size", "contains", "startsWith", "endsWith", "matches",    "int", "double", "string",
    "bool", "dyn",      "all",        "exists",   "exists_one", "map", "filter", "has"};

}  // namespace

Compiler::Compiled Compiler::call(const Ast& ast) {
  const auto count = static_cast<int>(ast.operands.size());
  if (!ast.member &&
      std::find(kUnsupportedCalls.begin(), kUnsupportedCalls.end(), ast.text) != kUnsupportedCalls.end()) {
    raise(ast.offset,
          fmt::format("{}() is not supported: the values are bool, int, double, string, null, list and map", ast.text));
  }
  for (const Function& f : kFunctions) {
    if (f.name != ast.text || !(ast.member ? f.as_member : f.as_call)) continue;
    if (count != f.arguments) {
      if (!checked()) break;
      const int shown = f.arguments - (ast.member ? 1 : 0);
      raise(ast.offset, fmt::format("{}() takes {} argument{}, not {}", f.name, shown, shown == 1 ? "" : "s",
                                    count - (ast.member ? 1 : 0)));
    }
    std::vector<std::uint32_t> operands;
    std::vector<Type> types;
    for (const auto& operand : ast.operands) {
      const Compiled c = node(*operand);
      operands.push_back(c.at);
      types.push_back(c.type);
    }
    if (f.op == Op::matches) check_pattern(*ast.operands[1]);
    const Type type = check_call(ast, f.op, types);
    return {emit(f.op, ast, operands), type};
  }
  if (checked()) {
    const bool known = std::find(kCallable.begin(), kCallable.end(), ast.text) != kCallable.end();
    raise(ast.offset, known ? fmt::format("{}() is not called this way", ast.text)
                            : fmt::format("unknown function {}(){}", base::printable(ast.text),
                                          base::did_you_mean(ast.text, kCallable)));
  }
  return {emit(Op::unknown_call, ast, {}, constant_text(ast.text)), {}};
}

Compiler::Compiled Compiler::operation(const Ast& ast) {
  std::vector<std::uint32_t> operands;
  std::vector<Type> types;
  for (const auto& operand : ast.operands) {
    const Compiled c = node(*operand);
    operands.push_back(c.at);
    types.push_back(c.type);
  }
  const Type type = check_operation(ast, types);
  return {emit(ast.op, ast, operands), type};
}

Compiler::Compiled Compiler::make_list(const Ast& ast) {
  std::vector<std::uint32_t> operands;
  TypeKind element = TypeKind::dynamic;
  bool first = true;
  bool fold = true;
  for (const auto& operand : ast.operands) {
    const Compiled c = node(*operand);
    operands.push_back(c.at);
    element = first || element == c.type.kind ? c.type.kind : TypeKind::dynamic;
    first = false;
    fold = fold && folded(c.at) != nullptr;
  }
  const Type type{TypeKind::list, element};
  if (!fold) return {emit(Op::make_list, ast, operands), type};
  auto& items = out_.storage_->lists.emplace_back();
  for (const auto at : operands) items.push_back(*folded(at));
  return {emit(Op::constant, ast, {}, constant(Value::list(items))), type};
}

Compiler::Compiled Compiler::make_map(const Ast& ast) {
  std::vector<std::uint32_t> operands;
  bool fold = ast.operands.size() <= 64;  // keys are compared pairwise below
  for (const auto& operand : ast.operands) {
    operands.push_back(node(*operand).at);
    fold = fold && folded(operands.back()) != nullptr;
  }
  const Type type{TypeKind::map};
  if (fold) {
    std::vector<Value> items;
    for (const auto at : operands) items.push_back(*folded(at));
    for (std::size_t i = 0; fold && i < items.size(); i += 2) {
      fold = items[i].is(Kind::boolean) || items[i].is(Kind::integer) || items[i].is(Kind::string);
      for (std::size_t j = 0; fold && j < i; j += 2) fold = !equal(items[i], items[j]);
      if (!fold && checked())
        raise(ast.operands[i]->offset, "a map key is a bool, an int or a string, and stands once");
    }
    if (fold) {
      auto& kept = out_.storage_->lists.emplace_back(std::move(items));
      return {emit(Op::constant, ast, {}, constant(Value::map(kept))), type};
    }
  }
  return {emit(Op::make_map, ast, operands), type};
}

Compiler::Compiled Compiler::loop(const Ast& ast) {
  const Compiled range = node(*ast.operands[0]);
  TypeKind element = TypeKind::dynamic;
  if (range.type.kind == TypeKind::list) {
    element = range.type.element;
  } else if (checked() && range.type.kind != TypeKind::map && range.type.kind != TypeKind::dynamic) {
    raise(ast.offset, fmt::format("a macro runs over a list or the keys of a map, not over {}", type_name(range.type)));
  }
  if (locals_.size() >= static_cast<std::size_t>(kMaxLoops)) {
    raise(ast.offset, fmt::format("macros nest more than {} levels deep", kMaxLoops));
  }
  const auto index = static_cast<std::uint32_t>(locals_.size());
  locals_.push_back({ast.text, {element}});
  std::vector<std::uint32_t> operands = {range.at};
  std::vector<Type> types;
  for (std::size_t i = 1; i < ast.operands.size(); ++i) {
    const Compiled c = node(*ast.operands[i]);
    operands.push_back(c.at);
    types.push_back(c.type);
  }
  locals_.pop_back();
  const bool predicate = ast.op != Op::map;
  if (checked() && predicate && types[0].kind != TypeKind::boolean && types[0].kind != TypeKind::dynamic) {
    raise(ast.operands[1]->offset,
          fmt::format("the condition of a macro is bool, and this is {}", type_name(types[0])));
  }
  Type type{TypeKind::boolean};
  if (ast.op == Op::map || ast.op == Op::map_filter) type = {TypeKind::list, types.back().kind};
  if (ast.op == Op::filter) type = {TypeKind::list, element};
  return {emit(ast.op, ast, operands, index), type};
}

std::optional<OwnedProgram> compile(std::string_view source, const CompileOptions& options, Fault& fault) {
  try {
    return Compiler(options).run(source);
  } catch (const FaultError& e) {
    fault = e.fault;
    return std::nullopt;
  }
}

Position position(std::string_view source, std::size_t offset) {
  const auto before = source.substr(0, offset);
  const auto line_start = before.rfind('\n');
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(line_start == std::string_view::npos ? before.size() : before.size() - line_start - 1) + 1};
}

std::string excerpt(std::string_view source, std::size_t offset) {
  offset = std::min(offset, source.size());
  const auto before = source.rfind('\n', offset == 0 ? 0 : offset - 1);
  const std::size_t start = before == std::string_view::npos || offset == 0 ? 0 : before + 1;
  const std::size_t end = std::min(source.find('\n', offset), source.size());
  // A long line is cut around the place.
  const std::size_t from = offset - start > 60 ? offset - 60 : start;
  const std::string head = base::printable(source.substr(from, offset - from));
  const std::string tail = base::printable(source.substr(offset, std::min<std::size_t>(end - offset, 60)));
  return fmt::format("  {}{}\n  {}^", head, tail, std::string(base::display_width(head), ' '));
}

}  // namespace gpuadvise::cel
