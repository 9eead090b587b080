#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/cel/value.h"

namespace gpuadvise::cel {

namespace {

constexpr std::string_view kNoOverload = "no such overload";

// Memory of one evaluation. The first block is kept from one evaluation to the next.
class Scratch {
 public:
  explicit Scratch(std::size_t limit) : limit_(limit) {}

  void reset() {
    if (blocks_.size() > 1) blocks_.resize(1);
    used_ = 0;
    total_ = 0;
  }
  // nullptr when the limit is reached.
  void* allocate(std::size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > limit_ - total_) return nullptr;
    total_ += bytes;
    if (blocks_.empty() || used_ + bytes > blocks_.back().size) {
      const std::size_t size = std::max<std::size_t>(bytes, 16384);
      blocks_.push_back({std::make_unique<std::byte[]>(size), size});
      used_ = 0;
    }
    void* at = blocks_.back().bytes.get() + used_;
    used_ += bytes;
    return at;
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::size_t used_ = 0;
  std::size_t total_ = 0;
  std::size_t limit_;
};

std::int64_t code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

}  // namespace

class Evaluator::Machine {
 public:
  explicit Machine(Limits limits) : limits_(limits), scratch_(limits.memory) {}

  Value run(const Program& program, std::span<const Value> slots, bool open) {
    program_ = &program;
    slots_ = slots;
    open_ = open;
    steps_ = limits_.steps;
    exhausted_ = {};
    scratch_.reset();
    if (program.code.empty()) return failure(0, "the program is empty");
    const Value out = eval(static_cast<std::uint32_t>(program.code.size() - 1));
    if (steps_ == 0) spend(1);
    if (!exhausted_.empty()) return failure(0, exhausted_);
    return out;
  }

 private:
  using Operands = std::span<const std::uint32_t>;

  static Value failure(std::uint32_t position, std::string_view message) {
    return {Kind::error, position, 0, message, {}};
  }
  Value no_overload(const Instruction& in) const { return failure(in.position, kNoOverload); }
  Value exhaust(const Instruction& in, std::string_view message) {
    if (exhausted_.empty()) exhausted_ = message;
    steps_ = 0;
    return failure(in.position, message);
  }
  bool spend(std::uint64_t steps) {
    if (steps_ < steps) {
      if (exhausted_.empty()) exhausted_ = "the evaluation takes too many steps";
      steps_ = 0;
      return false;
    }
    steps_ -= steps;
    return true;
  }
  // Text that outlives the call, for messages.
  std::string_view keep(const std::string& text) {
    auto* at = static_cast<char*>(scratch_.allocate(text.size()));
    if (at == nullptr) return "out of memory";
    std::memcpy(at, text.data(), text.size());
    return {at, text.size()};
  }
  Value* values(std::size_t count) { return static_cast<Value*>(scratch_.allocate(count * sizeof(Value))); }

  Operands operands(const Instruction& in) const { return program_->operands.subspan(in.first, in.count); }

  // What eval() answers, without a copy where the value stands somewhere already: most operands are names or literals.
  const Value& operand(std::uint32_t at, Value& storage) {
    const Instruction& in = program_->code[at];
    if (in.op == Op::slot && spend(1)) return slots_[in.index];
    if (in.op == Op::constant && spend(1)) return program_->constants[in.index];
    return storage = eval(at);
  }

  Value eval(std::uint32_t at) {
    const Instruction& in = program_->code[at];
    if (!spend(1)) return failure(in.position, exhausted_);
    switch (in.op) {
      case Op::constant:
        return program_->constants[in.index];
      case Op::slot:
        return slots_[in.index];
      case Op::has_slot: {
        const Value& v = slots_[in.index];
        return v.is(Kind::unknown) && open_ ? v : Value::of(!v.is(Kind::unknown));
      }
      case Op::local:
        return locals_[in.index];
      case Op::unbound:
        return failure(in.position,
                       keep(fmt::format("unknown name \"{}\"", base::printable(program_->constants[in.index].text))));
      case Op::unknown_call:
        return failure(in.position, keep(fmt::format("unknown function {}(), or wrong arguments",
                                                     base::printable(program_->constants[in.index].text))));
      case Op::logical_and:
        return logical(in, false);
      case Op::logical_or:
        return logical(in, true);
      case Op::conditional: {
        const auto o = operands(in);
        const Value c = eval(o[0]);
        if (c.is_true()) return eval(o[1]);
        if (c.is_false()) return eval(o[2]);
        return c.is_failure() ? c : no_overload(in);
      }
      case Op::make_list:
      case Op::make_map:
        return make(in);
      case Op::all:
      case Op::exists:
        return quantify(in, in.op == Op::exists);
      case Op::exists_one:
        return exists_one(in);
      case Op::map:
      case Op::map_filter:
      case Op::filter:
        return collect(in);
      default:
        break;
    }
    const auto o = operands(in);
    Value first;
    const Value& a = operand(o[0], first);
    if (o.size() == 1) return a.is_failure() ? a : unary(in, a);
    Value second;
    const Value& b = operand(o[1], second);
    if (a.is(Kind::unknown) || (a.is(Kind::error) && !b.is(Kind::unknown))) return a;
    if (b.is_failure()) return b;
    return binary(in, a, b);
  }

  // && for decides == false, || for true: the deciding value wins over whatever else the operands are; then an
  // unknown, then an error.
  Value logical(const Instruction& in, bool decides) {
    Value kept = Value::of(!decides);
    Value storage;
    for (const auto o : operands(in)) {
      const Value& v = operand(o, storage);
      if (v.is(Kind::boolean)) {
        if ((v.integer != 0) == decides) return v;
        continue;
      }
      keep_failure(kept, v.is_failure() ? v : no_overload(in));
    }
    return kept;
  }
  static void keep_failure(Value& kept, const Value& failed) {
    if (kept.is(Kind::boolean) || (kept.is(Kind::error) && failed.is(Kind::unknown))) kept = failed;
  }

  Value unary(const Instruction& in, const Value& a) {
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

  Value binary(const Instruction& in, const Value& a, const Value& b) {
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

  Value order(const Instruction& in, const Value& a, const Value& b) {
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

  Value contained(const Instruction& in, const Value& a, const Value& b) {
    if (b.is(Kind::map)) return Value::of(lookup(b, a) != nullptr);
    if (!b.is(Kind::list)) return no_overload(in);
    for (const Value& item : b.items) {
      if (equal_within(a, item, steps_)) return Value::of(true);
    }
    return Value::of(false);
  }

  const Value* lookup(const Value& map, const Value& key) { return find_key(map, key, steps_); }

  Value no_such_key(const Instruction& in, const Value& key) {
    if (key.is(Kind::string)) {
      return failure(in.position, keep(fmt::format("no such key: \"{}\"", base::printable(key.text.substr(0, 80)))));
    }
    return failure(in.position, "no such key");
  }

  Value index(const Instruction& in, const Value& a, const Value& b) {
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

  Value arithmetic(const Instruction& in, const Value& a, const Value& b) {
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
  static double divide(double a, double b) {
    if (b != 0) return a / b;
    if (a == 0 || std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    return std::signbit(a) == std::signbit(b) ? HUGE_VAL : -HUGE_VAL;
  }

  static Value whole(const Instruction& in, std::int64_t a, std::int64_t b) {
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

  Value matches(const Instruction& in, std::string_view text, std::string_view pattern) {
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

  Value to_int(const Instruction& in, const Value& a) {
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

  Value to_double(const Instruction& in, const Value& a) {
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

  Value to_string(const Instruction& in, const Value& a) {
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

  static Value to_bool(const Instruction& in, const Value& a) {
    if (a.is(Kind::boolean)) return a;
    if (!a.is(Kind::string)) return failure(in.position, kNoOverload);
    for (const auto word : {"1", "t", "T", "true", "TRUE", "True"}) {
      if (a.text == word) return Value::of(true);
    }
    for (const auto word : {"0", "f", "F", "false", "FALSE", "False"}) {
      if (a.text == word) return Value::of(false);
    }
    return failure(in.position, "not a bool");
  }

  Value make(const Instruction& in) {
    const auto o = operands(in);
    Value* items = values(o.size());
    if (items == nullptr) return exhaust(in, "the evaluation takes too much memory");
    for (std::size_t i = 0; i < o.size(); ++i) {
      const Value v = eval(o[i]);
      if (v.is_failure()) return v;
      new (items + i) Value(v);
    }
    const std::span<const Value> made(items, o.size());
    if (in.op == Op::make_list) return Value::list(made);
    return check_keys(in, made);
  }

  Value check_keys(const Instruction& in, std::span<const Value> items) {
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

  // Runs `step` on each element of a list or key of a map until it says stop.
  template <class Step>
  Value over(const Instruction& in, Step step) {
    const Value range = eval(operands(in)[0]);
    if (range.is_failure()) return range;
    if (!range.is(Kind::list) && !range.is(Kind::map)) return no_overload(in);
    const std::size_t stride = range.is(Kind::map) ? 2 : 1;
    for (std::size_t i = 0; i < range.items.size() && exhausted_.empty(); i += stride) {
      locals_[in.index] = range.items[i];
      if (!step(range.items[i])) break;
    }
    return range;
  }

  Value quantify(const Instruction& in, bool decides) {
    const auto body = operands(in)[1];
    Value kept = Value::of(!decides);
    bool decided = false;
    const Value range = over(in, [&](const Value&) {
      const Value v = eval(body);
      if (v.is(Kind::boolean)) {
        decided = (v.integer != 0) == decides;
        return !decided;
      }
      keep_failure(kept, v.is_failure() ? v : no_overload(in));
      return true;
    });
    if (range.is_failure()) return range;
    return decided ? Value::of(decides) : kept;
  }

  Value exists_one(const Instruction& in) {
    const auto body = operands(in)[1];
    std::int64_t count = 0;
    Value failed;
    const Value range = over(in, [&](const Value&) {
      const Value v = eval(body);
      if (!v.is(Kind::boolean)) {
        failed = v.is_failure() ? v : no_overload(in);
        return false;
      }
      count += v.integer;
      return true;
    });
    if (range.is_failure()) return range;
    return failed.is_failure() ? failed : Value::of(count == 1);
  }

  Value collect(const Instruction& in) {
    const auto o = operands(in);
    const bool tests = in.op != Op::map;
    Value* items = nullptr;
    std::size_t room = 0;
    std::size_t count = 0;
    Value failed;
    const Value range = over(in, [&](const Value& element) {
      Value v = eval(o[1]);
      if (tests && !v.is_failure()) {
        if (v.is_false()) return true;
        v = !v.is_true() ? no_overload(in) : in.op == Op::filter ? element : eval(o[2]);
      }
      if (v.is_failure()) {
        failed = v;
        return false;
      }
      if (count == room) {  // grows by copying, so that a filter costs what it keeps
        const std::size_t more = room == 0 ? 4 : room * 2;
        Value* grown = values(more);
        if (grown == nullptr) {
          failed = exhaust(in, "the evaluation takes too much memory");
          return false;
        }
        std::uninitialized_copy(items, items + count, grown);
        items = grown;
        room = more;
      }
      new (items + count++) Value(v);
      return true;
    });
    if (range.is_failure()) return range;
    if (failed.is_failure()) return failed;
    return Value::list({items, count});
  }

  Limits limits_;
  Scratch scratch_;
  const Program* program_ = nullptr;
  std::span<const Value> slots_;
  bool open_ = false;
  std::uint64_t steps_ = 0;
  std::string_view exhausted_;
  std::array<Value, kMaxLoops> locals_{};
  std::vector<std::pair<std::string, std::unique_ptr<re2::RE2>>> patterns_;
};

Evaluator::Evaluator(Limits limits) : machine_(std::make_unique<Machine>(limits)) {}
Evaluator::~Evaluator() = default;
Value Evaluator::evaluate(const Program& program, std::span<const Value> slots, bool open) {
  return machine_->run(program, slots, open);
}

}  // namespace gpuadvise::cel
