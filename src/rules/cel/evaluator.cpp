#include <array>
#include <fmt/format.h>

#include "base/text.h"
#include "rules/cel/operations.h"

namespace gpuadvise::cel {

// Walks a program from its root: names, literals, logic and macros. What operators make of values stands in Operations.
class Evaluator::Machine {
 public:
  explicit Machine(Limits limits) : operations_(limits) {}

  Value run(const Program& program, std::span<const Value> slots, bool open) {
    program_ = &program;
    slots_ = slots;
    open_ = open;
    operations_.begin(program);
    if (program.code.empty()) return Operations::failure(0, "the program is empty");
    const Value out = eval(static_cast<std::uint32_t>(program.code.size() - 1));
    if (operations_.out_of_steps()) operations_.spend(1);
    if (!operations_.exhausted().empty()) return Operations::failure(0, operations_.exhausted());
    return out;
  }

 private:
  using Operands = std::span<const std::uint32_t>;

  Operands operands(const Instruction& in) const { return program_->operands.subspan(in.first, in.count); }

  // What eval() answers, without a copy where the value stands somewhere already: most operands are names or literals.
  const Value& operand(std::uint32_t at, Value& storage) {
    const Instruction& in = program_->code[at];
    if (in.op == Op::slot && operations_.spend(1)) return slots_[in.index];
    if (in.op == Op::constant && operations_.spend(1)) return program_->constants[in.index];
    return storage = eval(at);
  }

  Value eval(std::uint32_t at) {
    const Instruction& in = program_->code[at];
    if (!operations_.spend(1)) return Operations::failure(in.position, operations_.exhausted());
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
        return Operations::failure(
            in.position,
            operations_.keep(fmt::format("unknown name \"{}\"", base::printable(program_->constants[in.index].text))));
      case Op::unknown_call:
        return Operations::failure(in.position,
                                   operations_.keep(fmt::format("unknown function {}(), or wrong arguments",
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
        return c.is_failure() ? c : Operations::no_overload(in);
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
    if (o.size() == 1) return a.is_failure() ? a : operations_.unary(in, a);
    Value second;
    const Value& b = operand(o[1], second);
    if (a.is(Kind::unknown) || (a.is(Kind::error) && !b.is(Kind::unknown))) return a;
    if (b.is_failure()) return b;
    return operations_.binary(in, a, b);
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
      keep_failure(kept, v.is_failure() ? v : Operations::no_overload(in));
    }
    return kept;
  }
  static void keep_failure(Value& kept, const Value& failed) {
    if (kept.is(Kind::boolean) || (kept.is(Kind::error) && failed.is(Kind::unknown))) kept = failed;
  }

  Value make(const Instruction& in) {
    const auto o = operands(in);
    Value* items = operations_.values(o.size());
    if (items == nullptr) return operations_.exhaust(in, "the evaluation takes too much memory");
    for (std::size_t i = 0; i < o.size(); ++i) {
      const Value v = eval(o[i]);
      if (v.is_failure()) return v;
      new (items + i) Value(v);
    }
    const std::span<const Value> made(items, o.size());
    if (in.op == Op::make_list) return Value::list(made);
    return Operations::make_map(in, made);
  }

  // Runs `step` on each element of a list or key of a map until it says stop.
  template <class Step>
  Value over(const Instruction& in, Step step) {
    const Value range = eval(operands(in)[0]);
    if (range.is_failure()) return range;
    if (!range.is(Kind::list) && !range.is(Kind::map)) return Operations::no_overload(in);
    const std::size_t stride = range.is(Kind::map) ? 2 : 1;
    for (std::size_t i = 0; i < range.items.size() && operations_.exhausted().empty(); i += stride) {
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
      keep_failure(kept, v.is_failure() ? v : Operations::no_overload(in));
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
        failed = v.is_failure() ? v : Operations::no_overload(in);
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
        v = !v.is_true() ? Operations::no_overload(in) : in.op == Op::filter ? element : eval(o[2]);
      }
      if (v.is_failure()) {
        failed = v;
        return false;
      }
      if (count == room) {  // grows by copying, so that a filter costs what it keeps
        const std::size_t more = room == 0 ? 4 : room * 2;
        Value* grown = operations_.values(more);
        if (grown == nullptr) {
          failed = operations_.exhaust(in, "the evaluation takes too much memory");
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

  Operations operations_;
  const Program* program_ = nullptr;
  std::span<const Value> slots_;
  bool open_ = false;
  std::array<Value, kMaxLoops> locals_{};
};

Evaluator::Evaluator(Limits limits) : machine_(std::make_unique<Machine>(limits)) {}
Evaluator::~Evaluator() = default;
Value Evaluator::evaluate(const Program& program, std::span<const Value> slots, bool open) {
  return machine_->run(program, slots, open);
}

}  // namespace gpuadvise::cel
