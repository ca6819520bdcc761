// Lowering: reductions, norms and products.
#include <algorithm>

#include "rewriter/lower/lowering.hpp"

namespace rewriter {

// One reduction does for all cases: over a matrix's own axis, or along a row that all elements
// form, as a 1-D array does.
Lowering::Reducible Lowering::reducible(const Node& node, bool in_c_order) {
  const Var a = matrix(node.args[0]);
  const Shape shape = out_.shape(a);
  const bool two_d = node.args[0]->ndim() == 2;
  if (two_d && node.axis >= 0) return {a, node.axis};
  if (shape.rows == 1) return {a, 1};
  Var all = a;
  if (in_c_order && shape.cols != 1) {
    all = out_.empty(shape.transposed());
    out_.unary(Op::transpose, a, all);
  }
  return {out_.reshape(all, {1, shape.size()}), 1};
}

void Lowering::reduce(const Node& node) {
  const bool finds_index = cudamat::row(node.op).has(cudamat::kIndex);
  const auto [a, axis] = reducible(node, finds_index);
  const Shape from = out_.shape(a);
  const Shape reduced = axis == 0 ? Shape{1, from.cols} : Shape{from.rows, 1};
  const Shape wanted = matrix_shape(node.dims);
  const Var t = reduced == wanted ? fresh(node) : out_.empty(reduced);
  out_.reduce(node.op, a, axis, t);
  set_value(reduced == wanted ? t : out_.reshape(t, wanted, name_of(node)));
}

// mean, differences from it, their squares, the mean of those: each in memory of its own.
void Lowering::variance(const Node& node) {
  const auto [a, axis] = reducible(node, false);
  const Shape from = out_.shape(a);
  const Shape reduced = axis == 0 ? Shape{1, from.cols} : Shape{from.rows, 1};
  const Shape wanted = matrix_shape(node.dims);
  const Index count = axis == 0 ? from.rows : from.cols;

  const Var mean = out_.empty(reduced);
  out_.reduce(Op::mean, a, axis, mean);
  Var difference = kNoVar;
  if (axis == 1) {
    difference = out_.empty(from);
    out_.call(Op::add_col_mult, difference, {{a}, {mean}}, {-1});
  } else {
    const Var negative = out_.empty(reduced);
    out_.with_number(Op::mult, mean, -1, negative);
    difference = out_.empty(from);
    out_.binary(Op::add_row_vec, a, negative, difference);
  }
  const Var square = out_.empty(from);
  out_.binary(Op::mult, difference, difference, square);

  const bool root = node.kind == Kind::Deviation;
  const std::string name = reduced == wanted ? name_of(node) : std::string();
  const std::string variance_name = root ? std::string() : name;
  Var result = kNoVar;
  if (node.number == 0) {
    result = out_.empty(reduced, variance_name);
    out_.reduce(Op::mean, square, axis, result);
  } else {
    const Var sum = out_.empty(reduced);
    out_.reduce(Op::sum, square, axis, sum);
    result = out_.empty(reduced, variance_name);
    out_.with_number(Op::divide, sum, std::max(static_cast<double>(count) - node.number, 0.0),
                     result);
  }
  if (root) {
    const Var deviation = out_.empty(reduced, name);
    out_.unary(Op::sqrt, result, deviation);
    result = deviation;
  }
  set_value(reduced == wanted ? result : out_.reshape(result, wanted, name_of(node)));
}

// A 1-D array is a row: A v is v A' as a row, and the product of two rows needs one on its side.
void Lowering::dot(const Node& node) {
  const Var a = matrix(node.args[0]);
  const Var b = matrix(node.args[1]);
  const bool row_a = node.args[0]->ndim() == 1;
  const bool row_b = node.args[1]->ndim() == 1;
  const Var t = fresh(node);
  if (row_b && !row_a)
    out_.call(Op::dot, t, {{b}, {a, true}});
  else
    out_.call(Op::dot, t, {{a}, {b, row_a && row_b}});
  set_value(t);
}

void Lowering::solver(const Node& node) {
  ListBuilder::Operands operands;
  for (const NodePtr& arg : node.args) operands.push_back({matrix(arg)});
  const Var t = fresh(node);
  std::vector<Number> numbers;
  if (node.op == Op::lstsq) numbers.emplace_back(node.number);
  out_.call(node.op, t, std::move(operands), std::move(numbers));
  set_value(t);
}

}  // namespace rewriter
