#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/cel/operations.h"

namespace gpuadvise::cel {

namespace {

std::int64_t code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

}  // namespace

Operations::Operations(Limits limits) : limits_(limits), scratch_(limits.memory) {}
Operations::~Operations() = default;

Value Operations::exhaust(const Instruction& in, std::string_view message) {
  if (exhausted_.empty()) exhausted_ = message;
  steps_ = 0;
  return failure(in.position, message);
}

std::string_view Operations::keep(const std::string& text) {
  auto* at = static_cast<char*>(scratch_.allocate(text.size()));
  if (at == nullptr) return "out of memory";
  std::memcpy(at, text.data(), text.size());
  return {at, text.size()};
}

Value Operations::unary(const Instruction& in, const Value& a) {
  switch (in.op) {
    case Op::logical_not:
      return a.is(Kind::boolean) ? Value::of(a.integer == 0) : no_overload(in);
    case Op::negate:
      if (a.is(Kind::real)) return Value::of(-a.real);
      if (!a.is(Kind::integer)) return no_overload(in);
      if (a.integer == INT64_MIN) return failure(in.position, "integer overflow");
      return Value::of(-a.integer);
    case Op::select:
    case Op::has_select: {
      if (!a.is(Kind::map)) return no_overload(in);
      const Value& name = program_->constants[in.index];
      const Value* found = lookup(a, name);
      if (in.op == Op::has_select) return Value::of(found != nullptr);
      return found != nullptr ? *found : no_such_key(in, name);
    }
    case Op::size:
      if (a.is(Kind::string)) {
        spend(a.text.size() / 16);
        return Value::of(code_points(a.text));
      }
      if (a.is(Kind::list)) return Value::of(static_cast<std::int64_t>(a.items.size()));
      if (a.is(Kind::map)) return Value::of(static_cast<std::int64_t>(a.items.size() / 2));
      return no_overload(in);
    case Op::to_int:
      return to_int(in, a);
    case Op::to_double:
      return to_double(in, a);
    case Op::to_string:
      return to_string(in, a);
    case Op::to_bool:
      return to_bool(in, a);
    case Op::identity:
      return a;
    default:
      return no_overload(in);
  }
}

Value Operations::binary(const Instruction& in, const Value& a, const Value& b) {
  switch (in.op) {
    case Op::equal:
      return Value::of(equal_within(a, b, steps_));
    case Op::not_equal:
      return Value::of(!equal_within(a, b, steps_));
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return order(in, a, b);
    case Op::in:
      return contained(in, a, b);
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::modulo:
      return arithmetic(in, a, b);
    case Op::index:
      return index(in, a, b);
    case Op::contains:
    case Op::starts_with:
    case Op::ends_with:
    case Op::matches:
      if (!a.is(Kind::string) || !b.is(Kind::string)) return no_overload(in);
      spend((a.text.size() + b.text.size()) / 16);
      if (in.op == Op::starts_with) return Value::of(a.text.starts_with(b.text));
      if (in.op == Op::ends_with) return Value::of(a.text.ends_with(b.text));
      if (in.op == Op::matches) return matches(in, a.text, b.text);
      // memmem is linear; string_view::find is not.
      return Value::of(b.text.empty() || (!a.text.empty() && memmem(a.text.data(), a.text.size(), b.text.data(),
                                                                    b.text.size()) != nullptr));
    default:
      return no_overload(in);
  }
}

Value Operations::order(const Instruction& in, const Value& a, const Value& b) {
  std::partial_ordering o = std::partial_ordering::unordered;
  if (a.is_number() && b.is_number()) {
    o = compare_numbers(a, b);
  } else if (a.is(Kind::string) && b.is(Kind::string)) {
    o = a.text <=> b.text;  // the order of UTF-8 bytes is that of code points
  } else if (a.is(Kind::boolean) && b.is(Kind::boolean)) {
    o = a.integer <=> b.integer;
  } else {
    return no_overload(in);
  }
  switch (in.op) {
    case Op::less:
      return Value::of(o < 0);
    case Op::less_equal:
      return Value::of(o <= 0);
    case Op::greater:
      return Value::of(o > 0);
    default:
      return Value::of(o >= 0);
  }
}

Value Operations::contained(const Instruction& in, const Value& a, const Value& b) {
  if (b.is(Kind::map)) return Value::of(lookup(b, a) != nullptr);
  if (!b.is(Kind::list)) return no_overload(in);
  for (const Value& item : b.items) {
    if (equal_within(a, item, steps_)) return Value::of(true);
  }
  return Value::of(false);
}

const Value* Operations::lookup(const Value& map, const Value& key) { return find_key(map, key, steps_); }

Value Operations::no_such_key(const Instruction& in, const Value& key) {
  if (key.is(Kind::string)) {
    return failure(in.position, keep(fmt::format("no such key: \"{}\"", base::printable(key.text.substr(0, 80)))));
  }
  return failure(in.position, "no such key");
}

Value Operations::index(const Instruction& in, const Value& a, const Value& b) {
  if (a.is(Kind::map)) {
    if (!b.is_number() && !b.is(Kind::boolean) && !b.is(Kind::string)) return no_overload(in);
    const Value* found = lookup(a, b);
    return found != nullptr ? *found : no_such_key(in, b);
  }
  if (!a.is(Kind::list) || !b.is_number()) return no_overload(in);
  const auto size = static_cast<std::int64_t>(a.items.size());
  if (b.is(Kind::real) && !(b.real >= 0 && b.real < static_cast<double>(size) && b.real == std::floor(b.real))) {
    return failure(in.position, "index out of bounds");
  }
  const std::int64_t i = b.is(Kind::real) ? static_cast<std::int64_t>(b.real) : b.integer;
  if (i < 0 || i >= size) return failure(in.position, "index out of bounds");
  return a.items[static_cast<std::size_t>(i)];
}

Value Operations::arithmetic(const Instruction& in, const Value& a, const Value& b) {
  if (a.is(Kind::integer) && b.is(Kind::integer)) return whole(in, a.integer, b.integer);
  if (a.is(Kind::real) && b.is(Kind::real)) {
    switch (in.op) {
      case Op::add:
        return Value::of(a.real + b.real);
      case Op::subtract:
        return Value::of(a.real - b.real);
      case Op::multiply:
        return Value::of(a.real * b.real);
      case Op::divide:
        return Value::of(divide(a.real, b.real));
      default:
        return no_overload(in);
    }
  }
  if (in.op != Op::add) return no_overload(in);
  if (a.is(Kind::string) && b.is(Kind::string)) {
    auto* at = static_cast<char*>(scratch_.allocate(a.text.size() + b.text.size()));
    if (at == nullptr) return exhaust(in, "the evaluation takes too much memory");
    std::copy(a.text.begin(), a.text.end(), at);
    std::copy(b.text.begin(), b.text.end(), at + a.text.size());
    return Value::of(std::string_view(at, a.text.size() + b.text.size()));
  }
  if (a.is(Kind::list) && b.is(Kind::list)) {
    if (a.items.empty()) return b;
    if (b.items.empty()) return a;
    Value* at = values(a.items.size() + b.items.size());
    if (at == nullptr) return exhaust(in, "the evaluation takes too much memory");
    std::uninitialized_copy(a.items.begin(), a.items.end(), at);
    std::uninitialized_copy(b.items.begin(), b.items.end(), at + a.items.size());
    return Value::list({at, a.items.size() + b.items.size()});
  }
  return no_overload(in);
}

// IEEE 754 division, spelled out because division by zero is undefined to C++.
double Operations::divide(double a, double b) {
  if (b != 0) return a / b;
  if (a == 0 || std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return std::signbit(a) == std::signbit(b) ? HUGE_VAL : -HUGE_VAL;
}

Value Operations::whole(const Instruction& in, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  bool overflow = false;
  switch (in.op) {
    case Op::add:
      overflow = __builtin_add_overflow(a, b, &out);
      break;
    case Op::subtract:
      overflow = __builtin_sub_overflow(a, b, &out);
      break;
    case Op::multiply:
      overflow = __builtin_mul_overflow(a, b, &out);
      break;
    default:
      if (b == 0) return failure(in.position, in.op == Op::divide ? "division by zero" : "modulus by zero");
      overflow = a == INT64_MIN && b == -1;
      if (!overflow) out = in.op == Op::divide ? a / b : a % b;
  }
  return overflow ? failure(in.position, "integer overflow") : Value::of(out);
}

Value Operations::matches(const Instruction& in, std::string_view text, std::string_view pattern) {
  for (const auto& [source, compiled] : patterns_) {
    if (source == pattern) return Value::of(re2::RE2::PartialMatch({text.data(), text.size()}, *compiled));
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  if (pattern.size() > 4096) return failure(in.position, "the regular expression is longer than 4096 bytes");
  spend(1000 + pattern.size());
  auto compiled = std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!compiled->ok()) return failure(in.position, "not a regular expression");
  if (patterns_.size() >= 32) patterns_.erase(patterns_.begin());
  patterns_.emplace_back(pattern, std::move(compiled));
  return Value::of(re2::RE2::PartialMatch({text.data(), text.size()}, *patterns_.back().second));
}

Value Operations::to_int(const Instruction& in, const Value& a) {
  if (a.is(Kind::integer)) return a;
  if (a.is(Kind::real)) {
    // Both ends are open: the doubles next to them stand for values outside.
    if (!(a.real > -0x1p63 && a.real < 0x1p63)) return failure(in.position, "out of range for an int");
    return Value::of(static_cast<std::int64_t>(a.real));
  }
  if (!a.is(Kind::string)) return no_overload(in);
  std::string_view text = a.text;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t out = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (status != std::errc{} || end != text.data() + text.size()) return failure(in.position, "not an int");
  return Value::of(out);
}

Value Operations::to_double(const Instruction& in, const Value& a) {
  if (a.is(Kind::real)) return a;
  if (a.is(Kind::integer)) return Value::of(static_cast<double>(a.integer));
  if (!a.is(Kind::string)) return no_overload(in);
  std::string_view text = a.text;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double out = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (status == std::errc::invalid_argument || end != text.data() + text.size()) {
    return failure(in.position, "not a double");
  }
  if (status == std::errc::result_out_of_range) {
    out = std::strtod(std::string(text.substr(0, 1024)).c_str(), nullptr);
    if (std::isinf(out)) return failure(in.position, "out of range for a double");
  }
  return Value::of(out);
}

Value Operations::to_string(const Instruction& in, const Value& a) {
  switch (a.kind) {
    case Kind::string:
      return a;
    case Kind::boolean:
      return Value::of(std::string_view(a.integer != 0 ? "true" : "false"));
    case Kind::integer:
      return Value::of(keep(fmt::format("{}", a.integer)));
    case Kind::real:
      return Value::of(keep(format_double(a.real)));
    default:
      return no_overload(in);
  }
}

Value Operations::to_bool(const Instruction& in, const Value& a) {
  if (a.is(Kind::boolean)) return a;
  if (!a.is(Kind::string)) return no_overload(in);
  for (const auto word : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (a.text == word) return Value::of(true);
  }
  for (const auto word : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (a.text == word) return Value::of(false);
  }
  return failure(in.position, "not a bool");
}

Value Operations::make_map(const Instruction& in, std::span<const Value> items) {
  std::vector<const Value*> keys;
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const Value& key = items[i];
    if (!key.is(Kind::boolean) && !key.is(Kind::integer) && !key.is(Kind::string)) {
      return failure(in.position, "a map key is a bool, an int or a string");
    }
    keys.push_back(&key);
  }
  std::sort(keys.begin(), keys.end(), [](const Value* a, const Value* b) {
    if (a->kind != b->kind) return a->kind < b->kind;
    return a->is(Kind::string) ? a->text < b->text : a->integer < b->integer;
  });
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (equal(*keys[i - 1], *keys[i])) return failure(in.position, "a map key stands twice");
  }
  return Value::map(items);
}

}  // namespace gpuadvise::cel
