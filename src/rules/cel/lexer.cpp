// Lexical rules: https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "rules/cel/token.h"

namespace gpuadvise::cel {

void raise(std::size_t offset, std::string message) { throw FaultError{{offset, std::move(message)}}; }

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    std::vector<Token> out;
    do {
      out.push_back(next());
    } while (out.back().kind != TokenKind::end);
    return out;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool done() const { return at_ >= source_.size(); }

  void skip_space() {
    while (!done()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (!done() && peek() != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  Token next() {
    skip_space();
    Token token;
    token.offset = at_;
    if (done()) return token;
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number(token);
    if (c == '"' || c == '\'') return string(token, false);
    if (c == '`') return quoted_name(token);
    if (is_letter(c)) {
      if (const auto prefix = string_prefix(); prefix > 0) {
        bool raw = false;
        for (std::size_t i = 0; i < prefix; ++i) {
          if (peek(i) == 'b' || peek(i) == 'B') raise(at_, "bytes literals (b'...') are not supported");
          raw = true;
        }
        at_ += prefix;
        return string(token, raw);
      }
      while (is_letter(peek()) || is_digit(peek())) token.text += source_[at_++];
      token.kind = TokenKind::name;
      return token;
    }
    return symbol(token);
  }

  // How many of r, R, b, B stand right before a quote.
  std::size_t string_prefix() const {
    std::size_t n = 0;
    bool raw = false;
    bool bytes = false;
    for (;; ++n) {
      const char c = peek(n);
      if ((c == 'r' || c == 'R') && !raw) {
        raw = true;
      } else if ((c == 'b' || c == 'B') && !bytes) {
        bytes = true;
      } else {
        return c == '"' || c == '\'' ? n : 0;
      }
    }
  }

  Token number(Token token) {
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && hex_value(peek(2)) >= 0) {
      at_ += 2;
      const std::size_t first = at_;
      while (hex_value(peek()) >= 0) ++at_;
      return integer(token, first, 16);
    }
    const std::size_t first = at_;
    while (is_digit(peek())) ++at_;
    bool real = false;
    if (peek() == '.' && is_digit(peek(1))) {
      real = true;
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if (is_digit(peek(sign))) {
        real = true;
        at_ += sign;
        while (is_digit(peek())) ++at_;
      }
    }
    if (!real) return integer(token, first, 10);
    token.kind = TokenKind::real;
    const auto digits = source_.substr(first, at_ - first);
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), token.real);
    if (status == std::errc::result_out_of_range) {
      // from_chars does not say which way: strtod gives 0 or a subnormal for a number too small, infinity for one too
      // large.
      token.real = std::strtod(std::string(digits).c_str(), nullptr);
      if (std::isinf(token.real)) raise(token.offset, fmt::format("{} is out of range for a double", digits));
    }
    end_of_number(token);
    return token;
  }

  Token integer(Token token, std::size_t first, int base) {
    token.kind = TokenKind::integer;
    const auto digits = source_.substr(first, at_ - first);
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), token.integer, base);
    if (peek() == 'u' || peek() == 'U') {
      raise(token.offset, "unsigned integers (1u) are not supported");
    }
    // The magnitude of the smallest int is one above that of the largest; the parser knows the sign.
    if (status != std::errc{} || token.integer > std::uint64_t{1} << 63) {
      raise(token.offset,
            fmt::format("{} is out of range for an int", source_.substr(token.offset, at_ - token.offset)));
    }
    end_of_number(token);
    return token;
  }

  void end_of_number(const Token& token) const {
    if (is_letter(peek())) {
      raise(token.offset, fmt::format("a number runs into the name that follows it at \"{}\"", peek()));
    }
  }

  Token string(Token token, bool raw) {
    token.kind = TokenKind::string;
    const char quote = peek();
    const bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    for (;;) {
      if (done()) raise(token.offset, "this string is not closed");
      const char c = peek();
      if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
        at_ += triple ? 3 : 1;
        return token;
      }
      if (!triple && (c == '\n' || c == '\r')) raise(token.offset, "this string is not closed before the line ends");
      if (c != '\\' || raw) {  // in a raw string a backslash is a character, even before a quote
        token.text += c;
        ++at_;
      } else {
        escape(token.text);
      }
    }
  }

  void escape(std::string& out) {
    const std::size_t start = at_;
    ++at_;
    const char c = peek();
    ++at_;
    switch (c) {
      case 'a':
        out += '\a';
        return;
      case 'b':
        out += '\b';
        return;
      case 'f':
        out += '\f';
        return;
      case 'n':
        out += '\n';
        return;
      case 'r':
        out += '\r';
        return;
      case 't':
        out += '\t';
        return;
      case 'v':
        out += '\v';
        return;
      case '\\':
      case '?':
      case '"':
      case '\'':
      case '`':
        out += c;
        return;
      case 'x':
      case 'X':
        return code_point(out, start, 2);
      case 'u':
        return code_point(out, start, 4);
      case 'U':
        return code_point(out, start, 8);
      case '0':
      case '1':
      case '2':
      case '3': {
        if (peek() < '0' || peek() > '7' || peek(1) < '0' || peek(1) > '7') {
          raise(start, "an octal escape has three digits, \\000 to \\377");
        }
        append_utf8(out, static_cast<std::uint32_t>((c - '0') * 64 + (peek() - '0') * 8 + (peek(1) - '0')));
        at_ += 2;
        return;
      }
      default:
        raise(start, "this is not an escape sequence");
    }
  }

  void code_point(std::string& out, std::size_t start, int digits) {
    std::uint32_t code = 0;
    for (int i = 0; i < digits; ++i) {
      const int digit = hex_value(peek());
      if (digit < 0) raise(start, fmt::format("this escape needs {} hexadecimal digits", digits));
      code = code * 16 + static_cast<std::uint32_t>(digit);
      ++at_;
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) raise(start, "this escape is not a Unicode code point");
    append_utf8(out, code);
  }

  Token quoted_name(Token token) {
    token.kind = TokenKind::quoted_name;
    ++at_;
    while (!done() && peek() != '`') {
      const char c = peek();
      if (!is_letter(c) && !is_digit(c) && c != '.' && c != '-' && c != '/' && c != ' ') {
        raise(at_, "a quoted field name holds letters, digits, _, ., -, / and spaces only");
      }
      token.text += c;
      ++at_;
    }
    if (done()) raise(token.offset, "this quoted field name is not closed");
    ++at_;
    if (token.text.empty()) raise(token.offset, "a quoted field name is not empty");
    return token;
  }

  Token symbol(Token token) {
    token.kind = TokenKind::symbol;
    static constexpr std::string_view kPairs[] = {"&&", "||", "==", "!=", "<=", ">="};
    for (const auto pair : kPairs) {
      if (source_.substr(at_, 2) == pair) {
        token.text = pair;
        at_ += 2;
        return token;
      }
    }
    static constexpr std::string_view kSingles = "?:!<>+-*/%()[]{},.";
    const char c = peek();
    if (kSingles.find(c) != std::string_view::npos) {
      token.text = c;
      ++at_;
      return token;
    }
    if (c == '=') raise(at_, "\"=\" is not an operator; equality is \"==\"");
    if (c == '&' || c == '|') raise(at_, fmt::format("\"{0}\" is not an operator; did you mean \"{0}{0}\"?", c));
    // Show the whole character, not its first byte.
    std::size_t bytes = 1;
    while ((static_cast<unsigned char>(peek(bytes)) & 0xC0) == 0x80) ++bytes;
    raise(at_, fmt::format("unexpected character \"{}\"", base::printable(source_.substr(at_, bytes))));
  }

  std::string_view source_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  if (source.size() > kMaxSource) raise(0, fmt::format("the expression is longer than {} bytes", kMaxSource));
  if (const auto bad = base::invalid_utf8_at(source)) raise(*bad, "the expression is not valid UTF-8");
  return Lexer(source).run();
}

}  // namespace gpuadvise::cel
