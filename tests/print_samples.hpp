// Statement lists written by hand, for the tests of the printers.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace samples {

using rewriter::Dims;
using rewriter::Index;
using rewriter::Op;
using rewriter::Statement;
using rewriter::StatementList;
using rewriter::Var;

/// Writes a list statement by statement; at(line) says where the next ones come from.
class Builder {
 public:
  Builder() = default;
  Builder(std::string name, std::string text) {
    list_.source.emplace(std::move(name), std::move(text));
  }

  Builder& at(int line, int column = 1) {
    where_ = {line, column};
    return *this;
  }
  Var input(std::string name, Dims dims) { return input_as(name, name, std::move(dims)); }
  Var input_as(std::string name, std::string variable, Dims dims) {
    const Var var = make(std::move(variable), rewriter::matrix_shape(dims));
    list_.inputs.push_back({std::move(name), var, std::move(dims)});
    return var;
  }
  Var empty(std::string name, cudamat::Shape shape) {
    const Var var = make(std::move(name), shape);
    add(Statement::Kind::Empty).target = var;
    return var;
  }
  Var constant(std::string name, cudamat::Shape shape, std::vector<double> values,
               std::string text = "") {
    const Var var = make(std::move(name), shape);
    Statement& statement = add(Statement::Kind::Constant);
    statement.target = var;
    statement.data = std::make_shared<const rewriter::HostData>(
        npmat::Array<double>{{shape.rows, shape.cols}, std::move(values)});
    statement.text = std::move(text);
    return var;
  }
  Var slice(std::string name, Var of, Index first, Index last) {
    const Var var = make(std::move(name), {shape(of).rows, last - first}, of);
    Statement& statement = add(Statement::Kind::Slice);
    statement.target = var;
    statement.operands = {{of, false}};
    statement.integers = {first, last};
    return var;
  }
  Var reshape(std::string name, Var of, cudamat::Shape new_shape) {
    const Var var = make(std::move(name), new_shape, of);
    Statement& statement = add(Statement::Kind::Reshape);
    statement.target = var;
    statement.operands = {{of, false}};
    return var;
  }
  Builder& call(Op op, Var target, std::vector<Statement::Operand> operands,
                std::vector<rewriter::Number> numbers = {}, std::vector<Index> integers = {}) {
    Statement& statement = add(Statement::Kind::Call);
    statement.op = op;
    statement.target = target;
    statement.operands = std::move(operands);
    statement.numbers = std::move(numbers);
    statement.integers = std::move(integers);
    return *this;
  }
  Builder& seed(Index seed) {
    add(Statement::Kind::Seed).integers = {seed};
    return *this;
  }
  Builder& free(Var var) {
    add(Statement::Kind::Free).target = var;
    return *this;
  }
  Builder& output(std::string name, Var var, Dims dims) {
    list_.outputs.push_back({std::move(name), var, std::move(dims)});
    return *this;
  }
  StatementList done() { return std::move(list_); }

 private:
  cudamat::Shape shape(Var var) const {
    return list_.variables[static_cast<std::size_t>(var)].shape;
  }
  Var make(std::string name, cudamat::Shape shape, Var view_of = rewriter::kNoVar) {
    const Var of = view_of == rewriter::kNoVar ? view_of : rewriter::owner(list_, view_of);
    list_.variables.push_back({std::move(name), shape, of});
    return static_cast<Var>(list_.variables.size()) - 1;
  }
  Statement& add(Statement::Kind kind) {
    Statement& statement = list_.statements.emplace_back();
    statement.kind = kind;
    statement.where = where_;
    return statement;
  }

  StatementList list_;
  rewriter::SourceLocation where_{0, 0};
};

/// The gradient of the question that began all this, as lower() is expected to write it.
inline StatementList gradient(Index batch = 128, Index visible = 784, Index hidden = 4096) {
  Builder b("gradient.py",
            "X: (128, 784)\n"
            "W: (784, 4096)\n"
            "h: (128, 4096)\n"
            "x: (128, 784)\n"
            "z: (128, 784)\n"
            "\n"
            "delta_o = -(x - z)\n"
            "delta_h = np.dot(delta_o, W) * h * (1.0 - h)\n"
            "grad_W = np.dot(X.T, delta_h)\n");
  const Var X = b.input("X", {batch, visible});
  const Var W = b.input("W", {visible, hidden});
  const Var h = b.input("h", {batch, hidden});
  const Var x = b.input("x", {batch, visible});
  const Var z = b.input("z", {batch, visible});

  b.at(7);
  const Var t1 = b.empty("t1", {batch, visible});
  b.call(Op::subtract, t1, {{x}, {z}});
  const Var delta_o = b.empty("delta_o", {batch, visible});
  b.call(Op::mult, delta_o, {{t1}}, {-1}).free(t1);

  b.at(8);
  const Var t2 = b.empty("t2", {batch, hidden});
  b.call(Op::dot, t2, {{delta_o}, {W}});
  const Var t3 = b.empty("t3", {batch, hidden});
  b.call(Op::mult, t3, {{t2}, {h}}).free(t2);
  const Var t4 = b.empty("t4", {batch, hidden});
  b.call(Op::mult, t4, {{h}}, {-1});
  const Var t5 = b.empty("t5", {batch, hidden});
  b.call(Op::add, t5, {{t4}}, {1}).free(t4);
  const Var delta_h = b.empty("delta_h", {batch, hidden});
  b.call(Op::mult, delta_h, {{t3}, {t5}}).free(t3).free(t5);

  b.at(9);
  const Var grad_W = b.empty("grad_W", {visible, hidden});
  b.call(Op::dot, grad_W, {{X, true}, {delta_h}});
  return b.output("delta_o", delta_o, {batch, visible})
      .output("delta_h", delta_h, {batch, hidden})
      .output("grad_W", grad_W, {visible, hidden})
      .done();
}

}  // namespace samples
