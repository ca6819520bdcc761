// Symbolic arrays: equations and factorisations.
#include <algorithm>
#include <cmath>

#include "cudamat/solver.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/expr/stacks.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {
namespace {

using cudamat::misuse;
using cudamat::Parts;
using cudamat::Shape;

Shape shape_of(const Array& a) {
  return {a.shape(0), a.shape(1)};
}

void check_matrix(Op op, const Array& a) {
  if (a.ndim() == 2) return;
  misuse(a.ndim() < 2 ? Exception::LinAlgError : Exception::None, cudamat::name(op),
         "{}-dimensional array given; array must be two-dimensional{}", a.ndim(),
         a.ndim() > 2 ? "; stacks of matrices are for inv, solve, cholesky and det" : "");
}

void check_square(Op op, const Array& a) {
  check_matrix(op, a);
  if (a.shape(0) != a.shape(1))
    misuse(Exception::LinAlgError, cudamat::name(op),
           "last 2 dimensions of the array must be square; the shape is {}", to_string(a.shape()));
}

Array solver(Op op, Dims dims, std::vector<NodePtr> args, double number = 0,
             DType dtype = DType::Float) {
  auto node =
      detail::make_node(cudamat::name(op), Kind::Solver, dtype, std::move(dims), std::move(args));
  node->op = op;
  node->number = number;
  return detail::to_array(std::move(node));
}

Array of_each(const Array& a, const Dims& shape, Array (*of_one)(const Array&)) {
  const detail::Stack stack(a, detail::batch_of(a));
  return detail::stacked(detail::batch_of(a), shape,
                         [&](const Range& at) { return of_one(stack(at)); });
}

/// One fewer dimension than a's makes vectors of b, as NumPy 1.24 has it.
Array solve_each(const Array& a, const Array& b) {
  const bool of_vectors = b.ndim() == a.ndim() - 1;
  const Array columns = of_vectors ? b.reshape(detail::joined(b.shape(), {1})) : b;
  if (columns.ndim() < 2)
    misuse(Exception::LinAlgError, "solve",
           "{}-dimensional array given; array must be at least two-dimensional", b.ndim());
  const Dims batch =
      detail::broadcast_or_refuse("solve", detail::batch_of(a), detail::batch_of(columns));
  const detail::Stack left(a, batch), right(columns, batch);
  const Array x = detail::stacked(batch, {columns.shape(-2), columns.shape(-1)},
                                  [&](const Range& at) { return solve(left(at), right(at)); });
  return of_vectors ? x.reshape(detail::joined(batch, {columns.shape(-2)})) : x;
}

/// The part of several results that lies from `first` on. No statement computes it.
Array part(const Array& all, Index first, Dims dims) {
  Index size = 1;
  for (const Index extent : dims) size *= extent;
  if (dims.empty()) return all.slice({index_range(first, all.size())});
  const Array taken = size == all.size() ? all : all.slice({{first, first + size}});
  return dims.size() == 1 ? taken : taken.reshape_columns(std::move(dims));
}

Dims dims_of(Shape shape) {
  return {shape.rows, shape.cols};
}

}  // namespace

Array solve(const Array& a, const Array& b) {
  if (a.ndim() > 2 || (a.ndim() == 2 && b.ndim() > 2)) return solve_each(a, b);
  check_square(Op::solve, a);
  if (b.ndim() != 1 && b.ndim() != 2)
    misuse("solve", "b must have one or two dimensions; got {}", to_string(b.shape()));
  if (b.shape(0) != a.shape(0))
    misuse(Exception::ValueError, "solve",
           "shapes {} and {} do not match: b must have as many rows as a", to_string(a.shape()),
           to_string(b.shape()));
  const Array columns = b.ndim() == 1 ? b.reshape({b.shape(0), 1}) : b;
  const Array x = solver(Op::solve, columns.shape(), {a.node(), columns.node()});
  return b.ndim() == 1 ? x.reshape(b.shape()) : x;
}

Array inv(const Array& a) {
  if (a.ndim() > 2) return of_each(a, {a.shape(-2), a.shape(-1)}, inv);
  check_square(Op::inv, a);
  return solver(Op::inv, a.shape(), {a.node()});
}

Array cholesky(const Array& a) {
  if (a.ndim() > 2) return of_each(a, {a.shape(-2), a.shape(-1)}, cholesky);
  check_square(Op::cholesky, a);
  return solver(Op::cholesky, a.shape(), {a.node()});
}

Array det(const Array& a) {
  if (a.ndim() > 2) return of_each(a, {}, det);
  check_square(Op::det, a);
  return solver(Op::det, {}, {a.node()});
}

std::vector<Array> slogdet(const Array& a) {
  check_square(Op::slogdet, a);
  const Array all = solver(Op::slogdet, {2}, {a.node()});
  return {part(all, 0, {}), part(all, 1, {})};
}

std::vector<Array> lstsq(const Array& a, const Array& b, double rcond) {
  check_matrix(Op::lstsq, a);
  if (b.ndim() != 1 && b.ndim() != 2)
    misuse("lstsq", "b must have one or two dimensions; got {}", to_string(b.shape()));
  if (b.shape(0) != a.shape(0))
    misuse(Exception::LinAlgError, "lstsq",
           "incompatible dimensions: shapes {} and {}; b must have as many rows as a",
           to_string(a.shape()), to_string(b.shape()));
  const Array columns = b.ndim() == 1 ? b.reshape({b.shape(0), 1}) : b;
  const Parts parts = cudamat::lstsq_parts(shape_of(a), columns.shape(1));
  const Array all = solver(Op::lstsq, {parts.size()}, {a.node(), columns.node()}, rcond);
  Dims dims = {a.shape(1)};
  if (b.ndim() == 2) dims.push_back(b.shape(1));
  auto rank = detail::make_node("lstsq", Kind::Slice, DType::Int, {}, {all.node()});
  rank->ranges = {index_range(parts.size() - 1, parts.size())};
  return {part(all, 0, std::move(dims)), part(all, parts.values, {parts.second.size()}),
          detail::to_array(std::move(rank))};
}

std::vector<Array> eigh(const Array& a, bool vectors) {
  check_square(Op::eigh, a);
  const Parts parts = cudamat::eigh_parts(a.shape(0), vectors);
  const Array all = solver(Op::eigh, {parts.size()}, {a.node()});
  std::vector<Array> result = {part(all, 0, {parts.values})};
  if (vectors) result.push_back(part(all, parts.values, a.shape()));
  return result;
}

std::vector<Array> svd(const Array& a, bool vectors, bool full) {
  check_matrix(Op::svd, a);
  const Parts parts = cudamat::svd_parts(shape_of(a), vectors, full);
  const Array all = solver(Op::svd, {parts.size()}, {a.node()});
  const Array values = part(all, 0, {parts.values});
  if (!vectors) return {values};
  return {part(all, parts.values, dims_of(parts.second)), values,
          part(all, parts.values + parts.second.size(), dims_of(parts.third))};
}

std::vector<Array> qr(const Array& a, bool with_q, bool complete) {
  check_matrix(Op::qr, a);
  const Parts parts = cudamat::qr_parts(shape_of(a), with_q, complete);
  const Array all = solver(Op::qr, {parts.size()}, {a.node()});
  const Index rows = with_q ? parts.second.cols : std::min(a.shape(0), a.shape(1));
  const Array r = part(all, 0, {rows, a.shape(1)});
  if (!with_q) return {r};
  return {part(all, parts.values, dims_of(parts.second)), r};
}

Array bincount(const Array& x, const std::optional<Array>& weights, Index length) {
  if (x.ndim() != 1)
    misuse(Exception::ValueError, "bincount", "object of {} dimensions; x must have one", x.ndim());
  if (x.dtype() == DType::Float)
    misuse(Exception::TypeError, "bincount",
           "x must be an array of integers; NumPy does not cast floats to integers safely");
  if (weights && weights->shape() != x.shape())
    misuse(Exception::ValueError, "bincount",
           "the weights and list don't have the same length: {} and {}",
           to_string(weights->shape()), to_string(x.shape()));
  std::vector<NodePtr> args =
      weights ? std::vector{x.node(), weights->node()} : std::vector{x.node()};
  return solver(Op::bincount, {length}, std::move(args), 0, weights ? DType::Float : DType::Int);
}

Array vector_norm(const Array& a, double order, std::optional<int> axis, bool keepdims) {
  const Array x = abs(a.as_float());
  if (std::isinf(order)) return reduce(order > 0 ? Op::max : Op::min, x, axis, keepdims);
  if (order == 0) return reduce(Op::sum, not_equal(x, 0).as_float(), axis, keepdims);
  if (order == 1) return reduce(Op::sum, x, axis, keepdims);
  if (order == 2) return sqrt(reduce(Op::sum, square(x), axis, keepdims));
  return map(Op::pow, reduce(Op::sum, map(Op::pow, x, Array(order)), axis, keepdims),
             Array(1 / order));
}

}  // namespace rewriter
