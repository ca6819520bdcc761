// Lowering: element-wise nodes. Operands that are smaller than the result go through Cudamat's row
// and column calls where there is one, and are repeated into a matrix where there is not.
#include <array>

#include "rewriter/lower/lowering.hpp"

namespace rewriter {

namespace {

/// f(number, x) written as g(x, number).
Op turned(Op op) {
  switch (op) {
    case Op::less_than:
      return Op::greater_than;
    case Op::greater_than:
      return Op::less_than;
    default:
      return op;
  }
}

bool number_may_turn(Op op) {
  return cudamat::row(op).has(cudamat::kCommutative) || op == Op::less_than ||
         op == Op::greater_than || op == Op::minimum || op == Op::maximum;
}

}  // namespace

void Lowering::lower_map(const Node& node) {
  if (node.kind == Kind::Where) return where(node);
  if (node.kind == Kind::LogicalNot) {
    const Var a = matrix(node.args[0]);
    const Var t = target(node);
    out_.with_number(Op::equals, a, 0, t);
    return set_value(t);
  }
  if (node.args.size() == 1) return unary(node);
  binary(node);
}

void Lowering::unary(const Node& node) {
  const NodePtr& a = node.args[0];
  const Var t = target(node);
  if (a->kind == Kind::Number) {
    out_.fill(t, number(*a));
    out_.unary(node.op, t, t);
  } else {
    out_.unary(node.op, matrix(a), t);
  }
  set_value(t);
}

Lowering::Fit Lowering::fit(Shape operand, Shape result) {
  if (operand == result) return Fit::Full;
  if (operand.rows == 1 && operand.cols == result.cols) return Fit::Row;
  if (operand.cols == 1 && operand.rows == result.rows) return Fit::Column;
  return Fit::Number;
}

Var Lowering::column(Var number, Index rows) {
  const Var t = out_.empty({rows, 1});
  spread(number, Fit::Row, t);
  return t;
}

void Lowering::spread(Var vec, Fit fit, Var t) {
  if (fit == Fit::Number) {
    vec = column(vec, out_.shape(t).rows);
    fit = Fit::Column;
  }
  out_.fill(t, 1);
  out_.binary(fit == Fit::Row ? Op::mult_by_row : Op::mult_by_col, t, vec, t);
}

Var Lowering::expanded(Var var, Shape shape) {
  Fit how = fit(out_.shape(var), shape);
  if (how == Fit::Full) return var;
  if (how == Fit::Number) {
    var = column(var, shape.rows);
    how = Fit::Column;
  }
  const Var t = out_.empty(shape);
  spread(var, how, t);
  return t;
}

Var Lowering::expanded(const NodePtr& operand, Shape shape) {
  if (operand->kind != Kind::Number) return expanded(matrix(operand), shape);
  const Var t = out_.empty(shape);
  out_.fill(t, number(*operand));
  return t;
}

void Lowering::binary(const Node& node) {
  const NodePtr& left = node.args[0];
  const NodePtr& right = node.args[1];
  const bool left_number = left->kind == Kind::Number;
  if (right->kind == Kind::Number) {
    const Var a = left_number ? kNoVar : matrix(left);
    const Var t = target(node);
    if (left_number) out_.fill(t, number(*left));
    out_.with_number(node.op, left_number ? t : a, number(*right), t);
    return set_value(t);
  }
  if (left_number) return number_on_the_left(node, number(*left), matrix(right));

  const Shape shape = matrix_shape(node.dims);
  Var a = matrix(left);
  Var b = matrix(right);
  Fit fit_a = fit(out_.shape(a), shape);
  Fit fit_b = fit(out_.shape(b), shape);
  if (fit_a == Fit::Number) a = column(a, shape.rows), fit_a = Fit::Column;
  if (fit_b == Fit::Number) b = column(b, shape.rows), fit_b = Fit::Column;

  if (fit_a == Fit::Full && fit_b == Fit::Full) {
    const Var t = target(node);
    out_.binary(node.op, a, b, t);
    set_value(t);
  } else if (fit_a == Fit::Full) {
    with_vector(node, node.op, a, b, fit_b);
  } else if (fit_b == Fit::Full) {
    vector_on_the_left(node, a, fit_a, b);
  } else {
    const Var t = target(node);
    spread(a, fit_a, t);
    with_vector(node, node.op, t, b, fit_b, t);
  }
}

// c - x is (-x) + c, and -1 * x is -x: both exact. The others keep their order of operands.
void Lowering::number_on_the_left(const Node& node, Number left, Var b) {
  const Var t = target(node);
  if (number_may_turn(node.op)) {
    out_.with_number(turned(node.op), b, left, t);
  } else if (node.op == Op::subtract) {
    out_.with_number(Op::mult, b, -1, t);
    out_.with_number(Op::add, t, left, t);
  } else {
    out_.fill(t, left);
    out_.binary(node.op, t, b, t);
  }
  set_value(t);
}

// op(a, vec), vec a row or a column.
void Lowering::with_vector(const Node& node, Op op, Var a, Var vec, Fit fit, Var in_target) {
  const auto finish = [&](Op call, Var operand, std::vector<Number> numbers = {}) {
    const Var t = in_target == kNoVar ? target(node) : in_target;
    out_.call(call, t, {{a}, {operand}}, std::move(numbers));
    set_value(t);
  };
  const bool row = fit == Fit::Row;
  switch (op) {
    case Op::add:
      return finish(row ? Op::add_row_vec : Op::add_col_vec, vec);
    case Op::mult:
      return finish(row ? Op::mult_by_row : Op::mult_by_col, vec);
    case Op::divide:
      return finish(row ? Op::div_by_row : Op::div_by_col, vec);
    case Op::subtract: {
      if (!row) return finish(Op::add_col_mult, vec, {-1});
      const Var negative = out_.empty(out_.shape(vec));
      out_.with_number(Op::mult, vec, -1, negative);
      return finish(Op::add_row_vec, negative);
    }
    default: {
      const Var full = out_.empty(out_.shape(a));
      spread(vec, fit, full);
      return finish(op, full);
    }
  }
}

void Lowering::vector_on_the_left(const Node& node, Var vec, Fit fit, Var b) {
  if (node.op == Op::add || node.op == Op::mult) return with_vector(node, node.op, b, vec, fit);
  const Var t = target(node);
  if (node.op == Op::subtract) {
    out_.with_number(Op::mult, b, -1, t);
    out_.binary(fit == Fit::Row ? Op::add_row_vec : Op::add_col_vec, t, vec, t);
  } else {
    spread(vec, fit, t);
    out_.binary(node.op, t, b, t);
  }
  set_value(t);
}

void Lowering::broadcast(const Node& node) {
  const Var a = matrix(node.args[0]);
  const Var t = fresh(node);
  const Fit how = fit(out_.shape(a), out_.shape(t));
  if (how == Fit::Full)
    out_.assign(t, a);
  else
    spread(a, how, t);
  set_value(t);
}

void Lowering::where(const Node& node) {
  const Shape shape = matrix_shape(node.dims);
  std::array<Var, 3> operands{};
  for (std::size_t i = 0; i < 3; ++i) operands[i] = expanded(node.args[i], shape);
  const Var t = target(node);
  out_.call(Op::where, t, {{operands[0]}, {operands[1]}, {operands[2]}});
  set_value(t);
}

}  // namespace rewriter
