// Recursive descent over the grammar of https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax; macros
// are expanded as they are met.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.h"
#include "rules/cel/ast.h"

namespace gpuadvise::cel {

namespace {

constexpr std::array<std::string_view, 18> kReserved = {"as",        "break",  "const",  "continue", "else",  "for",
                                                        "function",  "if",     "import", "let",      "loop",  "package",
                                                        "namespace", "return", "var",    "void",     "while", "in"};

class Parser {
 public:
  explicit Parser(std::string_view source) : tokens_(tokenize(source)) {}

  AstPtr run() {
    if (token().kind == TokenKind::end) raise(0, "the expression is empty");
    AstPtr out = expression();
    if (token().kind != TokenKind::end) unexpected("an operator or the end");
    return out;
  }

 private:
  // Guards the C++ stack against nested brackets and unary operators.
  struct Nested {
    explicit Nested(Parser& p) : parser(p) {
      if (++parser.nesting_ > 2 * kMaxDepth) {  // expression() and unary() each count one
        raise(parser.token().offset, fmt::format("the expression nests more than {} levels deep", kMaxDepth));
      }
    }
    ~Nested() { --parser.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    Parser& parser;
  };

  const Token& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool is_symbol(std::string_view s, std::size_t ahead = 0) const {
    return token(ahead).kind == TokenKind::symbol && token(ahead).text == s;
  }
  bool accept(std::string_view s) {
    if (!is_symbol(s)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view s, std::string_view what) {
    if (!accept(s)) unexpected(fmt::format("\"{}\" {}", s, what));
  }
  [[noreturn]] void unexpected(std::string_view wanted) const {
    const Token& t = token();
    if (t.kind == TokenKind::end) raise(t.offset, fmt::format("expected {}, found the end of the expression", wanted));
    const std::string found = t.kind == TokenKind::string ? "a string"
                              : t.kind == TokenKind::integer || t.kind == TokenKind::real
                                  ? "a number"
                                  : fmt::format("\"{}\"", base::printable(t.text));
    raise(t.offset, fmt::format("expected {}, found {}", wanted, found));
  }

  AstPtr make(AstKind kind, std::size_t offset) const {
    auto out = std::make_unique<Ast>();
    out->kind = kind;
    out->offset = offset;
    return out;
  }

  static void adopt(Ast& parent, AstPtr child) {
    parent.depth = std::max(parent.depth, child->depth + 1);
    if (parent.depth > kMaxDepth) {
      raise(parent.offset, fmt::format("the expression nests more than {} levels deep", kMaxDepth));
    }
    parent.operands.push_back(std::move(child));
  }

  AstPtr operation(Op op, std::size_t offset, AstPtr a, AstPtr b = nullptr, AstPtr c = nullptr) const {
    AstPtr out = make(AstKind::op, offset);
    out->op = op;
    adopt(*out, std::move(a));
    if (b) adopt(*out, std::move(b));
    if (c) adopt(*out, std::move(c));
    return out;
  }

  AstPtr expression() {
    Nested nested(*this);
    AstPtr condition = logical(Op::logical_or);
    const std::size_t offset = token().offset;
    if (!accept("?")) return condition;
    AstPtr yes = logical(Op::logical_or);
    expect(":", "of the conditional");
    AstPtr no = expression();
    return operation(Op::conditional, offset, std::move(condition), std::move(yes), std::move(no));
  }

  // && and || take any number of operands: their result does not depend on how they are grouped.
  AstPtr logical(Op op) {
    const auto symbol = op == Op::logical_or ? "||" : "&&";
    const auto operand = [&] { return op == Op::logical_or ? logical(Op::logical_and) : relation(); };
    AstPtr first = operand();
    if (!is_symbol(symbol)) return first;
    AstPtr out = make(AstKind::op, token().offset);
    out->op = op;
    adopt(*out, std::move(first));
    while (accept(symbol)) adopt(*out, operand());
    return out;
  }

  static std::optional<Op> relation_op(const Token& t) {
    if (t.kind == TokenKind::name) return t.text == "in" ? std::optional(Op::in) : std::nullopt;
    if (t.kind != TokenKind::symbol) return std::nullopt;
    if (t.text == "==") return Op::equal;
    if (t.text == "!=") return Op::not_equal;
    if (t.text == "<") return Op::less;
    if (t.text == "<=") return Op::less_equal;
    if (t.text == ">") return Op::greater;
    if (t.text == ">=") return Op::greater_equal;
    return std::nullopt;
  }

  AstPtr relation() {
    AstPtr left = sum();
    while (const auto op = relation_op(token())) {
      const std::size_t offset = token().offset;
      ++at_;
      left = operation(*op, offset, std::move(left), sum());
    }
    return left;
  }

  AstPtr sum() {
    AstPtr left = product();
    for (;;) {
      const std::size_t offset = token().offset;
      if (accept("+")) {
        left = operation(Op::add, offset, std::move(left), product());
      } else if (accept("-")) {
        left = operation(Op::subtract, offset, std::move(left), product());
      } else {
        return left;
      }
    }
  }

  AstPtr product() {
    AstPtr left = unary();
    for (;;) {
      const std::size_t offset = token().offset;
      if (accept("*")) {
        left = operation(Op::multiply, offset, std::move(left), unary());
      } else if (accept("/")) {
        left = operation(Op::divide, offset, std::move(left), unary());
      } else if (accept("%")) {
        left = operation(Op::modulo, offset, std::move(left), unary());
      } else {
        return left;
      }
    }
  }

  // Runs of ! or of -, not a mix of both. A minus before a number belongs to the number: that is how the smallest int
  // is written.
  AstPtr unary() {
    Nested nested(*this);
    const std::size_t offset = token().offset;
    if (accept("!")) {
      if (is_symbol("-") && !number_follows()) unexpected("an operand");
      return operation(Op::logical_not, offset, unary());
    }
    if (is_symbol("-") && !number_follows()) {
      ++at_;
      if (is_symbol("!")) unexpected("an operand");
      return operation(Op::negate, offset, unary());
    }
    return member();
  }
  bool number_follows() const {
    return is_symbol("-") && (token(1).kind == TokenKind::integer || token(1).kind == TokenKind::real);
  }

  AstPtr member() {
    AstPtr out = primary();
    for (;;) {
      const std::size_t offset = token().offset;
      if (accept(".")) {
        out = selection(std::move(out));
      } else if (accept("[")) {
        AstPtr key = expression();
        expect("]", "after the index");
        out = operation(Op::index, offset, std::move(out), std::move(key));
      } else if (is_symbol("{")) {
        raise(offset, "message literals (Name{...}) are not supported");
      } else {
        return out;
      }
    }
  }

  AstPtr selection(AstPtr operand) {
    const Token t = token();
    if (t.kind == TokenKind::quoted_name) {
      ++at_;
      AstPtr out = make(AstKind::select, t.offset);
      out->text = t.text;
      out->absolute = true;  // quoted: never part of a dotted variable's name
      adopt(*out, std::move(operand));
      return out;
    }
    if (is_symbol("?")) raise(t.offset, "optional field selection (.?) is not supported");
    if (t.kind != TokenKind::name) unexpected("a field name after \".\"");
    if (t.text == "in" || t.text == "true" || t.text == "false" || t.text == "null") {
      raise(t.offset, fmt::format("\"{}\" is a word of the language and no field name", t.text));
    }
    ++at_;
    if (!accept("(")) {
      AstPtr out = make(AstKind::select, t.offset);
      out->text = t.text;
      adopt(*out, std::move(operand));
      return out;
    }
    auto arguments = list_until(")", "after the arguments");
    if (AstPtr loop = macro(t, operand, arguments)) return loop;
    AstPtr out = make(AstKind::call, t.offset);
    out->text = t.text;
    out->member = true;
    adopt(*out, std::move(operand));
    for (auto& a : arguments) adopt(*out, std::move(a));
    return out;
  }

  std::vector<AstPtr> list_until(std::string_view close, std::string_view what, bool trailing_comma = false) {
    std::vector<AstPtr> out;
    if (accept(close)) return out;
    for (;;) {
      if (trailing_comma && is_symbol("?")) raise(token().offset, "optional entries (?x) are not supported");
      out.push_back(expression());
      if (accept(close)) return out;
      if (!is_symbol(",")) unexpected(fmt::format("\",\" or \"{}\" {}", close, what));
      ++at_;
      if (trailing_comma && accept(close)) return out;
    }
  }

  // range.all(x, p) and its kin; nullptr when the call is none of them.
  AstPtr macro(const Token& name, AstPtr& range, std::vector<AstPtr>& arguments) {
    Op op{};
    const std::size_t n = arguments.size();
    if (name.text == "all" && n == 2) {
      op = Op::all;
    } else if (name.text == "exists" && n == 2) {
      op = Op::exists;
    } else if ((name.text == "exists_one" || name.text == "existsOne") && n == 2) {
      op = Op::exists_one;
    } else if (name.text == "map" && n == 2) {
      op = Op::map;
    } else if (name.text == "map" && n == 3) {
      op = Op::map_filter;
    } else if (name.text == "filter" && n == 2) {
      op = Op::filter;
    } else {
      return nullptr;
    }
    const Ast& variable = *arguments[0];
    if (variable.kind != AstKind::name || variable.absolute) {
      raise(variable.offset, fmt::format("the first argument of {}() is the name of its variable", name.text));
    }
    AstPtr out = make(AstKind::loop, name.offset);
    out->op = op;
    out->text = variable.text;
    adopt(*out, std::move(range));
    for (std::size_t i = 1; i < n; ++i) adopt(*out, std::move(arguments[i]));
    return out;
  }

  AstPtr literal(const Token& t, Value value) {
    AstPtr out = make(AstKind::literal, t.offset);
    out->value = value;
    return out;
  }

  AstPtr primary() {
    const Token t = token();
    const bool negative = number_follows();
    if (negative) ++at_;
    const Token number = token();
    switch (number.kind) {
      case TokenKind::integer: {
        ++at_;
        constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
        if (!negative && number.integer == kLimit) raise(t.offset, "9223372036854775808 is out of range for an int");
        const auto bits = negative ? std::uint64_t{0} - number.integer : number.integer;
        return literal(t, Value::of(static_cast<std::int64_t>(bits)));
      }
      case TokenKind::real:
        ++at_;
        return literal(t, Value::of(negative ? -number.real : number.real));
      case TokenKind::string: {
        ++at_;
        AstPtr out = literal(t, Value::of(std::string_view{}));
        out->text = t.text;
        return out;
      }
      case TokenKind::name:
        return name_or_call(t, false);
      case TokenKind::quoted_name:
        raise(t.offset, "a quoted name stands after a dot only");
      case TokenKind::symbol:
        if (accept("(")) {
          AstPtr out = expression();
          expect(")", "to close the parenthesis");
          return out;
        }
        if (accept("[")) {
          AstPtr out = make(AstKind::list, t.offset);
          for (auto& item : list_until("]", "in the list", true)) adopt(*out, std::move(item));
          return out;
        }
        if (accept("{")) return map_literal(t);
        if (accept(".")) {
          const Token name = token();
          if (name.kind != TokenKind::name) unexpected("a name after \".\"");
          return name_or_call(name, true);
        }
        break;
      case TokenKind::end:
        break;
    }
    unexpected("a value");
  }

  AstPtr map_literal(const Token& open) {
    AstPtr out = make(AstKind::map, open.offset);
    if (accept("}")) return out;
    for (;;) {
      if (is_symbol("?")) raise(token().offset, "optional entries (?x) are not supported");
      adopt(*out, expression());
      expect(":", "after the key");
      adopt(*out, expression());
      if (accept("}")) return out;
      if (!is_symbol(",")) unexpected("\",\" or \"}\" in the map");
      ++at_;
      if (accept("}")) return out;
    }
  }

  AstPtr name_or_call(const Token& t, bool absolute) {
    ++at_;
    if (!absolute) {
      if (t.text == "true" || t.text == "false") return literal(t, Value::of(t.text == "true"));
      if (t.text == "null") return literal(t, Value{});
    }
    if (std::find(kReserved.begin(), kReserved.end(), t.text) != kReserved.end() || t.text == "true" ||
        t.text == "false" || t.text == "null") {
      raise(t.offset, fmt::format("\"{}\" is a reserved word", t.text));
    }
    if (!accept("(")) {
      AstPtr out = make(AstKind::name, t.offset);
      out->text = t.text;
      out->absolute = absolute;
      return out;
    }
    auto arguments = list_until(")", "after the arguments");
    if (t.text == "has" && !absolute) return presence(t, arguments);
    AstPtr out = make(AstKind::call, t.offset);
    out->text = t.text;
    for (auto& a : arguments) adopt(*out, std::move(a));
    return out;
  }

  AstPtr presence(const Token& t, std::vector<AstPtr>& arguments) {
    if (arguments.size() != 1) raise(t.offset, fmt::format("has() takes one argument, not {}", arguments.size()));
    AstPtr out = std::move(arguments[0]);
    if (out->kind != AstKind::select) raise(out->offset, "the argument of has() is a field selection, as in has(a.b)");
    out->kind = AstKind::has;
    return out;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

AstPtr parse(std::string_view source) { return Parser(source).run(); }

}  // namespace gpuadvise::cel
