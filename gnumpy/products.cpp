#include <algorithm>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/say.hpp"

namespace gnumpy {

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
  for (const Dims& dims : {left, right})
    if (dims.empty())
      detail::misuse(kOp, where, "wants arrays of one dimension and more; a number is none: use *");
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
  return result.reshape(dims, where);
}

garray garray::matmul(operand b, Where where) const {
  return gnumpy::matmul(operand(*this, where), std::move(b));
}

garray garray::outer(operand b, Where where) const {
  return gnumpy::outer(operand(*this, where), std::move(b));
}

garray garray::tensordot(operand b, int axes, Where where) const {
  return gnumpy::tensordot(operand(*this, where), std::move(b), axes);
}

}  // namespace gnumpy
