// Reductions over several axes, with the axes kept, and those that are made of others.
#include <algorithm>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/say.hpp"
#include "gnumpy/settle.hpp"

namespace gnumpy {

using detail::NodePtr;
using rewriter::Op;

namespace {

using Positions = std::vector<std::size_t>;

Index count_of(const Dims& dims, const Positions& axes) {
  Index count = 1;
  for (const std::size_t axis : axes) count *= dims[axis];
  return count;
}

/// The shape with these axes as 1.
Dims with_ones(Dims dims, const Positions& axes) {
  for (const std::size_t axis : axes) dims[axis] = 1;
  return dims;
}

/// Over neighbouring axes, which are read as one.
garray reduce_run(Op op, const operand& a, std::size_t first, std::size_t last) {
  Dims dims = a.node->dims;
  const auto begin = dims.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = dims.begin() + static_cast<std::ptrdiff_t>(last + 1);
  const Index extent = detail::element_count({begin, end}, a.where);
  *begin = extent;
  dims.erase(begin + 1, end);
  operand joined(detail::reshape(a.node, dims, a.where), a.where);
  return detail::reduce(op, std::move(joined), static_cast<int>(first));
}

/// From the last run of neighbouring axes to the first, so that those before keep their places.
garray reduce_runs(Op op, operand a, const Positions& axes) {
  std::size_t end = axes.size();
  while (end > 0) {
    std::size_t begin = end - 1;
    while (begin > 0 && axes[begin - 1] + 1 == axes[begin]) --begin;
    a = operand(reduce_run(op, a, axes[begin], axes[end - 1]), a.where);
    end = begin;
  }
  return garray(std::move(a.node));
}

garray reduced(Op op, operand a, const Axes& axes, const Positions& positions) {
  const Where where = a.where;
  if (axes.are_all()) return detail::reduce(op, std::move(a), std::nullopt);
  if (axes.list().size() == 1) return detail::reduce(op, std::move(a), axes.list()[0]);
  if (positions.empty())
    return a.node->is_leaf() ? garray(detail::make_copy(a.node, where)) : garray(std::move(a.node));
  if (op != Op::mean) return reduce_runs(op, std::move(a), positions);
  const auto count = static_cast<double>(count_of(a.node->dims, positions));
  return operand(reduce_runs(Op::sum, std::move(a), positions), where) / operand(count, where);
}

}  // namespace

std::vector<std::size_t> detail::normalize_axes(std::string_view op, const Axes& axes, int ndim,
                                                const Where& where) {
  std::vector<std::size_t> positions;
  if (axes.are_all()) {
    for (int axis = 0; axis < ndim; ++axis) positions.push_back(static_cast<std::size_t>(axis));
    return positions;
  }
  for (const int axis : axes.list()) positions.push_back(normalize_axis(op, axis, ndim, where));
  std::sort(positions.begin(), positions.end());
  if (std::adjacent_find(positions.begin(), positions.end()) != positions.end())
    misuse(op, where, "duplicate value in 'axis'");
  return positions;
}

garray detail::reduce(Op op, operand a, const Axes& axes, Keep keep) {
  const Where where = a.where;
  const Dims dims = a.node->dims;
  const bool is_scalar = dims.empty() && !axes.are_all() && axes.list().size() == 1;
  if (is_scalar) return reduce(op, std::move(a), axes.list()[0]);
  const Positions positions = normalize_axes(cudamat::name(op), axes, a.node->ndim(), where);
  garray result = reduced(op, std::move(a), axes, positions);
  if (!keep) return result;
  return std::move(result).reshape(with_ones(dims, positions), where);
}

// Made of differences from the mean, in NumPy's order.
garray var(operand a, const Axes& axes, Keep keep, double ddof) {
  const Where where = a.where;
  detail::settle(a.node);
  const Positions positions = detail::normalize_axes("var", axes, a.node->ndim(), where);
  const auto count = static_cast<double>(count_of(a.node->dims, positions));
  const operand means(mean(a, axes, keepdims), where);
  const garray from_mean = a - means;
  const operand distance(from_mean, where);
  if (ddof == 0) return (distance * distance).mean(axes, keep, where);
  return operand((distance * distance).sum(axes, keep, where), where) /
         operand(std::max(count - ddof, 0.0), where);
}

garray std(operand a, const Axes& axes, Keep keep, double ddof) {
  const Where where = a.where;
  return var(std::move(a), axes, keep, ddof).sqrt(where);
}

garray norm(operand a, const Axes& axes, Keep keep) {
  const Where where = a.where;
  if (!axes.are_all() && axes.list().size() != 1 && axes.list().size() != 2)
    detail::misuse("norm", where, "Improper number of dimensions to norm: one axis, two, or all");
  if (!axes.are_all() || keep) {
    const garray squares = square(std::move(a));
    return squares.sum(axes, keep, where).sqrt(where);
  }
  NodePtr norm = detail::make_node(detail::Node::Kind::Norm, {}, {std::move(a.node)}, where);
  norm->op = Op::euclid_norm;
  return garray(std::move(norm));
}

double euclid_norm(operand a) {
  return norm(std::move(a)).item();
}

double garray::euclid_norm(Where where) const {
  return gnumpy::euclid_norm(operand(*this, where));
}

#define METHOD(name)                                                                  \
  garray garray::name(const Axes& axes, Keep keep, double ddof, Where where) const& { \
    return gnumpy::name(operand(*this, where), axes, keep, ddof);                     \
  }                                                                                   \
  garray garray::name(const Axes& axes, Keep keep, double ddof, Where where)&& {      \
    return gnumpy::name(operand(std::move(*this), where), axes, keep, ddof);          \
  }
METHOD(var)
METHOD(std)
#undef METHOD

}  // namespace gnumpy
