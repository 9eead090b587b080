// The types of operators and functions. Two numbers of either kind may be compared; arithmetic wants one kind, as in
// the specification.
#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/cel/compiler.h"

namespace gpuadvise::cel {

namespace {

std::string_view kind_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::dynamic:
      return "any";
    case TypeKind::null:
      return "null";
    case TypeKind::boolean:
      return "bool";
    case TypeKind::integer:
      return "int";
    case TypeKind::real:
      return "double";
    case TypeKind::string:
      return "string";
    case TypeKind::list:
      return "list";
    case TypeKind::map:
      return "map";
  }
  return "any";
}

bool dynamic(const Type& t) { return t.kind == TypeKind::dynamic; }
bool numeric(TypeKind k) { return k == TypeKind::integer || k == TypeKind::real; }
bool comparable(TypeKind a, TypeKind b) {
  return a == TypeKind::dynamic || b == TypeKind::dynamic || a == b || (numeric(a) && numeric(b));
}
bool comparable(const Type& a, const Type& b) {
  return comparable(a.kind, b.kind) && (a.kind != TypeKind::list || comparable(a.element, b.element));
}

std::string_view symbol(Op op) {
  switch (op) {
    case Op::equal:
      return "==";
    case Op::not_equal:
      return "!=";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::greater:
      return ">";
    case Op::greater_equal:
      return ">=";
    case Op::in:
      return "in";
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::modulo:
      return "%";
    case Op::logical_and:
      return "&&";
    case Op::logical_or:
      return "||";
    default:
      return "?";
  }
}

[[noreturn]] void no_overload(const Ast& ast, std::span<const Type> types) {
  std::string hint;
  if (types.size() == 2 && numeric(types[0].kind) && numeric(types[1].kind)) {
    hint = ": write 2.0 for 2, or convert with double(x)";
  }
  raise(ast.offset,
        fmt::format("{} {} {} has no meaning{}", type_name(types[0]), symbol(ast.op), type_name(types[1]), hint));
}

}  // namespace

std::string type_name(const Type& type) {
  if (type.kind == TypeKind::list && type.element != TypeKind::dynamic) {
    return fmt::format("list({})", kind_name(type.element));
  }
  return std::string(kind_name(type.kind));
}

// A string literal that a variable can never hold is a slip of the pen.
void Compiler::check_words(const Ast& variable, const Ast& literal) const {
  const auto parts = variable.kind == AstKind::select || variable.kind == AstKind::name ? &variable : nullptr;
  if (parts == nullptr || locals_.size() > 0) return;
  std::string path;
  for (const Ast* at = parts;; at = at->operands[0].get()) {
    path = path.empty() ? at->text : at->text + "." + path;
    if (at->kind == AstKind::name) break;
    if (at->kind != AstKind::select) return;
  }
  const auto slot = find_variable(path);
  if (!slot || options_.variables[*slot].words.empty()) return;
  const auto words = options_.variables[*slot].words;
  const auto check = [&](const Ast& item) {
    if (item.kind != AstKind::literal || !item.value.is(Kind::string)) return;
    if (std::find(words.begin(), words.end(), item.text) != words.end()) return;
    std::string list;
    for (const auto word : words) list += (list.empty() ? "" : ", ") + std::string(word);
    raise(item.offset, fmt::format("{} is never \"{}\"; it is one of {}{}", path, base::printable(item.text), list,
                                   base::did_you_mean(item.text, words)));
  };
  if (literal.kind == AstKind::list) {
    for (const auto& item : literal.operands) check(*item);
  } else {
    check(literal);
  }
}

void Compiler::check_pattern(const Ast& ast) const {
  if (!checked() || ast.kind != AstKind::literal || !ast.value.is(Kind::string)) return;
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 pattern(ast.text, options);
  if (!pattern.ok()) raise(ast.offset, fmt::format("not a regular expression: {}", pattern.error()));
}

Type Compiler::check_operation(const Ast& ast, std::span<const Type> t) const {
  const auto boolean = Type{TypeKind::boolean};
  switch (ast.op) {
    case Op::logical_not:
      if (checked() && t[0].kind != TypeKind::boolean && !dynamic(t[0])) {
        raise(ast.offset, fmt::format("! wants bool, and this is {}", type_name(t[0])));
      }
      return boolean;
    case Op::negate:
      if (checked() && !numeric(t[0].kind) && !dynamic(t[0])) {
        raise(ast.offset, fmt::format("- wants a number, and this is {}", type_name(t[0])));
      }
      return t[0];
    case Op::logical_and:
    case Op::logical_or:
      for (std::size_t i = 0; checked() && i < t.size(); ++i) {
        if (t[i].kind != TypeKind::boolean && !dynamic(t[i])) {
          raise(ast.operands[i]->offset, fmt::format("{} wants bool, and this is {}", symbol(ast.op), type_name(t[i])));
        }
      }
      return boolean;
    case Op::conditional:
      if (checked() && t[0].kind != TypeKind::boolean && !dynamic(t[0])) {
        raise(ast.operands[0]->offset, fmt::format("the condition of ?: is bool, and this is {}", type_name(t[0])));
      }
      if (t[1] == t[2]) return t[1];
      if (checked() && t[1].kind != t[2].kind && !dynamic(t[1]) && !dynamic(t[2])) {
        raise(ast.offset, fmt::format("the two results of ?: are {} and {}", type_name(t[1]), type_name(t[2])));
      }
      return t[1].kind == t[2].kind ? Type{t[1].kind} : Type{};
    case Op::equal:
    case Op::not_equal:
      if (!checked()) return boolean;
      if ((t[0].kind == TypeKind::null) != (t[1].kind == TypeKind::null) && !dynamic(t[0]) && !dynamic(t[1])) {
        raise(ast.offset, "a field is never null; has(x) tells whether it is known");
      }
      if (!comparable(t[0], t[1])) no_overload(ast, t);
      check_words(*ast.operands[0], *ast.operands[1]);
      check_words(*ast.operands[1], *ast.operands[0]);
      return boolean;
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal: {
      if (!checked()) return boolean;
      const auto ordered = [](const Type& x) {
        return dynamic(x) || numeric(x.kind) || x.kind == TypeKind::string || x.kind == TypeKind::boolean;
      };
      if (!comparable(t[0], t[1]) || !ordered(t[0]) || !ordered(t[1])) no_overload(ast, t);
      return boolean;
    }
    case Op::in: {
      if (!checked()) return boolean;
      const bool ok = dynamic(t[1]) || t[1].kind == TypeKind::map ||
                      (t[1].kind == TypeKind::list && comparable(t[0].kind, t[1].element));
      if (!ok) no_overload(ast, t);
      check_words(*ast.operands[0], *ast.operands[1]);
      return boolean;
    }
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::modulo: {
      const auto takes = [&](TypeKind k) {
        if (k == TypeKind::dynamic) return true;
        if (ast.op == Op::modulo) return k == TypeKind::integer;
        return numeric(k) || (ast.op == Op::add && (k == TypeKind::string || k == TypeKind::list));
      };
      const bool ok =
          takes(t[0].kind) && takes(t[1].kind) && (t[0].kind == t[1].kind || dynamic(t[0]) || dynamic(t[1]));
      if (checked() && !ok) no_overload(ast, t);
      if (dynamic(t[0])) return dynamic(t[1]) ? Type{} : t[1];
      return t[0] == t[1] || dynamic(t[1]) ? t[0] : Type{t[0].kind};
    }
    case Op::index:
      if (t[0].kind == TypeKind::list) {
        if (checked() && !numeric(t[1].kind) && !dynamic(t[1])) {
          raise(ast.offset, fmt::format("a list is indexed by int, and this is {}", type_name(t[1])));
        }
        return {t[0].element};
      }
      if (checked() && t[0].kind != TypeKind::map && !dynamic(t[0])) {
        raise(ast.offset, fmt::format("{} has no elements to index", type_name(t[0])));
      }
      return {};
    default:
      return {};
  }
}

Type Compiler::check_call(const Ast& ast, Op op, std::span<const Type> t) const {
  const auto want = [&](std::size_t i, std::initializer_list<TypeKind> kinds) {
    if (!checked() || dynamic(t[i])) return;
    if (std::find(kinds.begin(), kinds.end(), t[i].kind) == kinds.end()) {
      raise(ast.operands[i]->offset, fmt::format("{}() does not take {}", ast.text, type_name(t[i])));
    }
  };
  using enum TypeKind;
  switch (op) {
    case Op::size:
      want(0, {string, list, map});
      return {integer};
    case Op::contains:
    case Op::starts_with:
    case Op::ends_with:
    case Op::matches:
      want(0, {string});
      want(1, {string});
      return {boolean};
    case Op::to_int:
      want(0, {integer, real, string});
      return {integer};
    case Op::to_double:
      want(0, {integer, real, string});
      return {real};
    case Op::to_string:
      want(0, {boolean, integer, real, string});
      return {string};
    case Op::to_bool:
      want(0, {boolean, string});
      return {boolean};
    default:
      return {};
  }
}

}  // namespace gpuadvise::cel
