// CEL, the Common Expression Language (github.com/google/cel-spec), in the subset that rule conditions are written in:
// bool, int, double, string, null, list and map. docs/reference/cel.md states what is in and what is out.
//
// An expression is compiled once into a Program: flat arrays of plain structs that can also stand in the binary as
// static tables. Evaluating a program reads the values of its variables from a table of slots and allocates nothing
// unless the expression builds a list, a map or a string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::cel {

enum class Kind : std::uint8_t {
  null,
  boolean,
  integer,
  real,  // CEL's double
  string,
  list,
  map,
  error,   // what evaluation met instead of a value; && and || may absorb it
  unknown  // a variable that nothing is known about; && and || may absorb it
};

// A value, or a view of one: text and items live in the program, in the caller's bindings or in the Evaluator.
struct Value {
  Kind kind = Kind::null;
  std::int64_t integer = 0;  // boolean: 0 or 1. error: offset into the source
  double real = 0;
  std::string_view text;         // string. error: the message. unknown: the variable's name
  std::span<const Value> items;  // list: its elements. map: key, value, key, value, ...

  static constexpr Value of(bool v) { return {Kind::boolean, v ? 1 : 0, 0, {}, {}}; }
  static constexpr Value of(std::int64_t v) { return {Kind::integer, v, 0, {}, {}}; }
  static constexpr Value of(double v) { return {Kind::real, 0, v, {}, {}}; }
  static constexpr Value of(std::string_view v) { return {Kind::string, 0, 0, v, {}}; }
  static constexpr Value list(std::span<const Value> v) { return {Kind::list, 0, 0, {}, v}; }
  static constexpr Value map(std::span<const Value> v) { return {Kind::map, 0, 0, {}, v}; }
  static constexpr Value unknown(std::string_view name) { return {Kind::unknown, 0, 0, name, {}}; }

  constexpr bool is(Kind k) const { return kind == k; }
  constexpr bool is_true() const { return kind == Kind::boolean && integer != 0; }
  constexpr bool is_false() const { return kind == Kind::boolean && integer == 0; }
  constexpr bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  constexpr bool is_failure() const { return kind == Kind::error || kind == Kind::unknown; }
};

// CEL's equality: across types never an error, numbers by their mathematical value, NaN unequal to itself.
bool equal(const Value& a, const Value& b);

// What a checker knows of a value's type. A list names the type of its elements.
enum class TypeKind : std::uint8_t { dynamic, null, boolean, integer, real, string, list, map };
struct Type {
  TypeKind kind = TypeKind::dynamic;
  TypeKind element = TypeKind::dynamic;
  friend constexpr bool operator==(const Type&, const Type&) = default;
};
std::string type_name(const Type& type);  // "int", "list(string)", ...

// A name that an expression may use. Its index in the list is the slot that it is read from.
struct Variable {
  std::string_view name;  // dotted names are one variable: "accelerator.memory_gib"
  Type type;
  std::span<const std::string_view> words;  // the strings that it can hold; empty: any
};

enum class Op : std::uint8_t {
  constant,      // index: into constants
  slot,          // index: into the slots
  has_slot,      // index: into the slots; whether the variable is known
  local,         // index: of the comprehension variable, counted from the outermost
  unbound,       // index: constant with the name; evaluates to an error
  unknown_call,  // index: constant with the name; evaluates to an error
  make_list,
  make_map,
  index,
  select,      // index: constant with the field's name
  has_select,  // index: constant with the field's name
  logical_not,
  negate,
  logical_and,
  logical_or,
  conditional,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  size,
  contains,
  starts_with,
  ends_with,
  matches,
  to_int,
  to_double,
  to_string,
  to_bool,
  identity,    // dyn()
  all,         // operands: range, body. index: the local
  exists,      // operands: range, body. index: the local
  exists_one,  // operands: range, body. index: the local
  map,         // operands: range, body. index: the local
  map_filter,  // operands: range, filter, body. index: the local
  filter       // operands: range, body. index: the local
};

struct Instruction {
  Op op;
  std::uint32_t position;  // byte offset in the source, for messages
  std::uint32_t first;     // operands: program.operands[first, first + count)
  std::uint32_t count;
  std::uint32_t index;
};

// A compiled expression. The last instruction is the root.
struct Program {
  std::string_view source;
  std::span<const Instruction> code;
  std::span<const std::uint32_t> operands;  // indices into code
  std::span<const Value> constants;
};

// A program that owns what its views point at.
class OwnedProgram {
 public:
  OwnedProgram();
  OwnedProgram(OwnedProgram&&) noexcept;
  OwnedProgram& operator=(OwnedProgram&&) noexcept;
  ~OwnedProgram();
  const Program& view() const { return program_; }
  Type type() const { return type_; }
  std::span<const std::uint32_t> slots_used() const { return slots_used_; }  // ascending, once each

 private:
  friend class Compiler;
  struct Storage;
  std::unique_ptr<Storage> storage_;
  Program program_;
  Type type_;
  std::vector<std::uint32_t> slots_used_;
};

// A fault in an expression, at a byte offset of its source.
struct Fault {
  std::size_t offset = 0;
  std::string message;
};

enum class Mode : std::uint8_t {
  checked,  // every name, type and arity is checked; dotted variables stand for themselves
  dynamic   // as the specification's unchecked evaluation: an unknown name is an error of evaluation
};

struct CompileOptions {
  Mode mode = Mode::checked;
  std::span<const Variable> variables;
  std::optional<Type> result;  // required type, in checked mode
};

// Returns the program, or fills `fault`.
std::optional<OwnedProgram> compile(std::string_view source, const CompileOptions& options, Fault& fault);

// Line and column, from 1, of a byte offset.
struct Position {
  int line;
  int column;
};
Position position(std::string_view source, std::size_t offset);
// The line of the source with a caret under the offset.
std::string excerpt(std::string_view source, std::size_t offset);

// Bounds of one evaluation. Reaching one is an error of evaluation that nothing absorbs.
struct Limits {
  std::uint64_t steps = 1'000'000;
  std::size_t memory = std::size_t{16} << 20;  // bytes of lists, maps and strings built
};
inline constexpr std::size_t kMaxSource = std::size_t{64} << 10;  // bytes
inline constexpr int kMaxDepth = 256;                             // of the syntax tree
inline constexpr int kMaxLoops = 16;                              // macros inside one another

// Evaluates programs, and owns what they build: a result stays valid until the next evaluation. Not shared between
// threads.
class Evaluator {
 public:
  explicit Evaluator(Limits limits = {});
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // The value; Kind::error with a message and an offset; or Kind::unknown with the name of a variable. With `open`, an
  // unknown variable may yet become known, so that has() of it is unknown too.
  Value evaluate(const Program& program, std::span<const Value> slots, bool open = false);

 private:
  class Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace gpuadvise::cel
