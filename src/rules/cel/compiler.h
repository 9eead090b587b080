// From syntax tree to program: resolves names, checks types, folds constant lists and maps, flattens.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "rules/cel/ast.h"

namespace gpuadvise::cel {

struct OwnedProgram::Storage {
  std::string source;
  std::vector<Instruction> code;
  std::vector<std::uint32_t> operands;
  std::vector<Value> constants;
  std::deque<std::string> texts;
  std::deque<std::vector<Value>> lists;
};

class Compiler {
 public:
  explicit Compiler(const CompileOptions& options) : options_(options) {}
  OwnedProgram run(std::string_view source);

 private:
  // A node's instruction and what is known of its type.
  struct Compiled {
    std::uint32_t at;
    Type type;
  };
  struct Local {
    std::string name;
    Type type;
  };

  bool checked() const { return options_.mode == Mode::checked; }

  Compiled node(const Ast& ast);
  Compiled literal(const Ast& ast);
  Compiled name(const Ast& ast);
  Compiled select(const Ast& ast);
  Compiled presence(const Ast& ast);
  Compiled call(const Ast& ast);
  Compiled operation(const Ast& ast);
  Compiled make_list(const Ast& ast);
  Compiled make_map(const Ast& ast);
  Compiled loop(const Ast& ast);

  std::optional<Compiled> variable(const Ast& ast);
  std::optional<std::uint32_t> find_variable(std::string_view name) const;
  const Local* find_local(std::string_view name, std::size_t& index) const;
  [[noreturn]] void unknown_name(const Ast& ast, const std::string& name) const;

  Type check_operation(const Ast& ast, std::span<const Type> types) const;
  Type check_call(const Ast& ast, Op op, std::span<const Type> types) const;
  void check_words(const Ast& variable, const Ast& literal) const;
  void check_pattern(const Ast& ast) const;

  std::uint32_t emit(Op op, const Ast& ast, std::span<const std::uint32_t> operands = {}, std::uint32_t index = 0);
  std::uint32_t constant(const Value& value);
  std::uint32_t constant_text(std::string_view text);
  const Value* folded(std::uint32_t at) const;

  const CompileOptions& options_;
  OwnedProgram out_;
  std::vector<Local> locals_;
  std::set<std::uint32_t> slots_;
};

}  // namespace gpuadvise::cel
