// Writes a statement list, one statement after the other. What lowering says in Cudamat's words.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rewriter/list/names.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

class ListBuilder {
 public:
  using Operand = Statement::Operand;
  using Operands = std::vector<Operand>;

  StatementList list;
  Names names;
  SourceLocation where{0, 0};  ///< of the statements that follow
  Table<std::string> wanted;   ///< by variable: the name that it was to have; of a temporary empty

  [[nodiscard]] cudamat::Shape shape(Var var) const { return list.variables[var].shape; }
  [[nodiscard]] Var owner(Var var) const { return rewriter::owner(list, var); }

  /// A variable; without a name it is a temporary. view_of: any variable of the memory it shows.
  Var variable(cudamat::Shape shape, const std::string& name = {}, Var view_of = kNoVar);

  Var empty(cudamat::Shape shape, const std::string& name = {});
  Var constant(cudamat::Shape shape, const Node& node, const std::string& name = {});
  Var slice(Var of, Index first_col, Index last_col, const std::string& name = {});
  Var reshape(Var of, cudamat::Shape shape, const std::string& name = {});
  void seed(std::int64_t seed);
  /// The loop with this wish of a name, which it gets unless a variable or a loop around has it.
  /// `condition`: of one that has a condition.
  int begin_loop(Loop loop, Var condition = kNoVar);
  /// What such a loop is called inside of others.
  std::string loop_name(const std::string& wish, const std::vector<std::string>& around);
  void end_loop();
  void print(Operands operands, std::vector<Statement::Part> parts);
  /// `call` but its kind and place.
  void custom(Statement call);
  /// To the statement made last.
  void add_terms(std::vector<Statement::Term> terms) {
    list.statements.back().terms = std::move(terms);
  }
  void call(Op op, Var target, Operands operands, std::vector<Number> numbers = {},
            std::vector<Index> integers = {});

  // The calls that lowering makes most. Numbers have names of their own: a Var is an int.
  void unary(Op op, Var a, Var t) { call(op, t, {{a}}); }
  void binary(Op op, Var a, Var b, Var t) { call(op, t, {{a}, {b}}); }
  void with_number(Op op, Var a, Number b, Var t) { call(op, t, {{a}}, {b}); }
  void reduce(Op op, Var a, int axis, Var t) { call(op, t, {{a}}, {}, {axis}); }
  void assign(Var t, Var a) { call(Op::assign, t, {{a}}); }
  void fill(Var t, Number number) { call(Op::assign, t, {}, {number}); }

 private:
  Statement& add(Statement::Kind kind, Var target);

  struct Open {
    int loop;
    Var condition;
  };

  std::vector<Open> open_;  // loops
  std::unordered_map<std::string, std::string> loop_names_;
};

}  // namespace rewriter
