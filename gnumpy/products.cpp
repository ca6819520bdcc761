#include <algorithm>
#include <numeric>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/materialize.hpp"

namespace gnumpy {

using detail::Node;
using detail::NodePtr;

garray dot(operand a, operand b) {
  const Where where = a.where;
  const auto refuse = [&] {
    detail::misuse("dot", where,
                   fmt::format("shapes {} and {} not aligned", detail::to_string(a.node->dims),
                               detail::to_string(b.node->dims)));
  };
  if (a.node->ndim() == 0 || b.node->ndim() == 0) return std::move(a) * std::move(b);
  Dims inner_first = b.node->dims;
  const std::size_t inner = inner_first.size() < 2 ? 0 : inner_first.size() - 2;
  if (a.node->dims.back() != inner_first[inner]) refuse();
  Dims dims = a.node->dims;
  dims.pop_back();
  for (std::size_t i = 0; i < b.node->dims.size(); ++i)
    if (i != inner) dims.push_back(b.node->dims[i]);
  if (b.node->ndim() > 2) {
    std::vector<std::size_t> axes(b.node->dims.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::rotate(axes.begin(), axes.end() - 2, axes.end() - 1);
    detail::materialize(b.node);
    b.node = detail::permute(b.node, axes, where);
    const Index cols =
        detail::element_count({dims.begin() + a.node->ndim() - 1, dims.end()}, where);
    b = operand(detail::reshape(b.node, {a.node->dims.back(), cols}, where), where);
  }
  const auto product = rewriter::dot(detail::tree_of(*a.node), detail::tree_of(*b.node));
  return garray(detail::make_expression(
      product.shape() == dims ? product : product.reshape(dims), {a.node, b.node},
      detail::made(detail::Makes::Sums, a.node->content(), b.node->content()), where));
}

namespace {

/// The axes before those of the matrix.
Dims batch_of(const Dims& dims, std::size_t of_matrix) {
  return {dims.begin(), dims.end() - static_cast<std::ptrdiff_t>(std::min(of_matrix, dims.size()))};
}

/// Where in C order the matrix of an array stands that the k-th matrix of the batch is made of.
Index place_in(const Dims& own, const Dims& batch, Index k) {
  Index place = 0, stride = 1;
  for (std::size_t back = 1; back <= own.size(); ++back) {
    const Index at = k % batch[batch.size() - back];
    k /= batch[batch.size() - back];
    const Index extent = own[own.size() - back];
    if (extent != 1) place += stride * at;
    stride *= extent;
  }
  return place;
}

}  // namespace

// Where the right one is a single matrix, all rows of the left one are those of one product. Else
// it is one product for each matrix of the batch, written to its place.
garray matmul(operand a, operand b) {
  constexpr const char* kOp = "matmul";
  const Where where = a.where;
  const Dims left = a.node->dims, right = b.node->dims;
  if (left.empty() || right.empty())
    detail::misuse(kOp, where,
                   fmt::format("operand {} has no dimensions; write a * b for a number",
                               left.empty() ? 0 : 1));
  const std::size_t inner = right.size() < 2 ? 0 : right.size() - 2;
  if (left.back() != right[inner])
    detail::misuse(
        kOp, where,
        fmt::format("shapes {} and {}: the last axis of the first has {} elements, the "
                    "second has {} rows",
                    detail::to_string(left), detail::to_string(right), left.back(), right[inner]));
  if (right.size() <= 2) return dot(std::move(a), std::move(b));
  const Dims own_a = batch_of(left, 2), own_b = batch_of(right, 2);
  const Dims batch = detail::broadcast(kOp, {own_a, own_b}, where);
  const Index rows = left.size() < 2 ? 1 : left[left.size() - 2];
  const Index cols = right.back(), depth = left.back();
  Dims dims = batch;
  if (left.size() > 1) dims.push_back(rows);
  dims.push_back(cols);
  const garray x =
      detail::reshape(a.node, {detail::element_count(own_a, where), rows, depth}, where);
  const garray y =
      detail::reshape(b.node, {detail::element_count(own_b, where), depth, cols}, where);
  const Index count = detail::element_count(batch, where);
  garray result = empty({count, rows, cols}, where);
  for (Index k = 0; k < count; ++k) {
    operand first(x[Subscript(place_in(own_a, batch, k), where)], where);
    operand second(y[Subscript(place_in(own_b, batch, k), where)], where);
    result[Subscript(k, where)] = dot(std::move(first), std::move(second));
  }
  return std::move(result).reshape(dims, where);
}

garray outer(operand a, operand b) {
  const Where where = a.where;
  return operand(detail::reshape(a.node, {-1, 1}, where), where) *
         operand(detail::reshape(b.node, {1, -1}, where), where);
}

garray tensordot(operand a, operand b, int axes) {
  const Where where = a.where;
  const auto count = static_cast<std::size_t>(std::max(axes, 0));
  const Dims& left = a.node->dims;
  const Dims& right = b.node->dims;
  const bool fits = axes >= 0 && count <= left.size() && count <= right.size() &&
                    std::equal(left.end() - axes, left.end(), right.begin(), right.begin() + axes);
  if (!fits)
    detail::misuse("tensordot", where,
                   fmt::format("shapes {} and {} do not agree in the last and first {} axes",
                               detail::to_string(left), detail::to_string(right), axes));
  Dims dims(left.begin(), left.end() - axes);
  dims.insert(dims.end(), right.begin() + axes, right.end());
  const Index inner = detail::element_count({right.begin(), right.begin() + axes}, where);
  const Index rows = detail::element_count({left.begin(), left.end() - axes}, where);
  const Index cols = detail::element_count({right.begin() + axes, right.end()}, where);
  garray x = detail::reshape(a.node, {rows, inner}, where);
  garray y = detail::reshape(b.node, {inner, cols}, where);
  return dot(operand(std::move(x), where), operand(std::move(y), where)).reshape(dims, where);
}

namespace {

/// An array as a matrix: one of its sides are some axes, in their order, the other are the others.
struct Unfolded {
  std::vector<int> axes, others;
  Dims inner, outer;  ///< their extents

  Unfolded(const garray_base& array, const std::vector<int>& chosen, const Where& where) {
    for (const int axis : chosen) {
      axes.push_back(
          static_cast<int>(detail::normalize_axis("tensordot", axis, array.ndim(), where)));
      inner.push_back(array.shape(axes.back()));
    }
    for (int axis = 0; axis < array.ndim(); ++axis) {
      if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
      others.push_back(axis);
      outer.push_back(array.shape(axis));
    }
  }

  /// The chosen axes as rows, or else as columns. Where the elements lie the other way round, the
  /// transpose of a view.
  [[nodiscard]] operand matrix(const garray_base& array, bool as_rows, const Where& where) const {
    const auto joined = [](std::vector<int> first, const std::vector<int>& second) {
      first.insert(first.end(), second.begin(), second.end());
      return first;
    };
    std::vector<int> order = joined(as_rows ? axes : others, as_rows ? others : axes);
    const std::vector<int> turned = joined(as_rows ? others : axes, as_rows ? axes : others);
    const Index rows = detail::element_count(as_rows ? inner : outer, where);
    const Index cols = detail::element_count(as_rows ? outer : inner, where);
    if (std::is_sorted(turned.begin(), turned.end()) && std::ssize(turned) == array.ndim())
      return {reshape(array, {cols, rows}, where).T(where), where};
    return {array.transpose(std::move(order), where).reshape({rows, cols}, where), where};
  }
};

}  // namespace

garray tensordot(const garray_base& a, const garray_base& b, const std::vector<int>& axes_of_a,
                 const std::vector<int>& axes_of_b, Where where) {
  if (axes_of_a.size() != axes_of_b.size())
    detail::misuse("tensordot", where,
                   fmt::format("{} axes of the first array, {} of the second", axes_of_a.size(),
                               axes_of_b.size()));
  const Unfolded left(a, axes_of_a, where), right(b, axes_of_b, where);
  for (std::size_t k = 0; k < axes_of_a.size(); ++k)
    if (a.shape(left.axes[k]) != b.shape(right.axes[k]))
      detail::misuse(
          "tensordot", where,
          fmt::format("axis {} of shape {} and axis {} of shape {} differ", axes_of_a[k],
                      detail::to_string(a.shape()), axes_of_b[k], detail::to_string(b.shape())));
  Dims dims = left.outer;
  dims.insert(dims.end(), right.outer.begin(), right.outer.end());
  return dot(left.matrix(a, false, where), right.matrix(b, true, where)).reshape(dims, where);
}

}  // namespace gnumpy
