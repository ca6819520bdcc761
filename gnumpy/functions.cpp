#include "gnumpy/functions.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/number_check.hpp"
#include "gnumpy/say.hpp"
#include "gnumpy/selection.hpp"
#include "gnumpy/settle.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy {

using detail::Node;
using detail::NodePtr;
namespace sym = rewriter;
using In = const sym::Array*;

// ---- operators, element-wise ----

#define UNARY(name, numpy, makes, expression)                                        \
  garray name(operand a) {                                                           \
    return detail::map(                                                              \
        numpy, detail::Makes::makes, [](In x) { return expression; }, std::move(a)); \
  }
#define BINARY(name, numpy, makes, expression)                                                     \
  garray name(operand a, operand b) {                                                              \
    return detail::map(                                                                            \
        numpy, detail::Makes::makes, [](In x) { return expression; }, std::move(a), std::move(b)); \
  }
BINARY(operator+, "add", Sums, x[0] + x[1])
BINARY(operator-, "subtract", Sums, x[0] - x[1])
BINARY(operator*, "multiply", Same, x[0] * x[1])
BINARY(operator/, "divide", Numbers, x[0] / x[1])
BINARY(operator%, "remainder", Numbers, sym::map(sym::Op::remainder, x[0], x[1]))
BINARY(operator<, "less", Truths, x[0] < x[1])
BINARY(operator<=, "less_equal", Truths, x[0] <= x[1])
BINARY(operator>, "greater", Truths, x[0] > x[1])
BINARY(operator>=, "greater_equal", Truths, x[0] >= x[1])
BINARY(operator==, "equal", Truths, sym::equal(x[0], x[1]))
BINARY(operator!=, "not_equal", Truths, sym::not_equal(x[0], x[1]))
BINARY(operator&, "logical_and", Truths, sym::logical_and(x[0], x[1]))
BINARY(operator|, "logical_or", Truths, sym::logical_or(x[0], x[1]))
BINARY(maximum, "maximum", Same, sym::maximum(x[0], x[1]))
BINARY(minimum, "minimum", Same, sym::minimum(x[0], x[1]))
BINARY(pow, "power", Numbers, sym::power_operator(x[0], x[1]))
UNARY(operator-, "negative", Numbers, -x[0])
UNARY(negative, "negative", Numbers, -x[0])
UNARY(abs, "absolute", Same, sym::abs(x[0]))
UNARY(exp, "exp", Numbers, sym::exp(x[0]))
UNARY(log, "log", Numbers, sym::log(x[0]))
UNARY(log2, "log2", Numbers, sym::map(sym::Op::log2, x[0]))
UNARY(log10, "log10", Numbers, sym::map(sym::Op::log10, x[0]))
UNARY(log1p, "log1p", Numbers, sym::map(sym::Op::log1p, x[0]))
UNARY(expm1, "expm1", Numbers, sym::map(sym::Op::expm1, x[0]))
UNARY(log_1_plus_exp, "log_1_plus_exp", Numbers, sym::map(sym::Op::log_1_plus_exp, x[0]))
UNARY(logistic, "logistic", Numbers, sym::logistic(x[0]))
UNARY(sigmoid, "sigmoid", Numbers, sym::logistic(x[0]))
UNARY(sqrt, "sqrt", Numbers, sym::sqrt(x[0]))
UNARY(square, "square", Same, sym::square(x[0]))
UNARY(floor, "floor", Numbers, sym::map(sym::Op::floor, x[0]))
UNARY(sign, "sign", Numbers, sym::map(sym::Op::sign, x[0]))
UNARY(sin, "sin", Numbers, sym::map(sym::Op::sin, x[0]))
UNARY(cos, "cos", Numbers, sym::map(sym::Op::cos, x[0]))
UNARY(tanh, "tanh", Numbers, sym::tanh(x[0]))
UNARY(isnan, "isnan", Truths, sym::map(sym::Op::isnan, x[0]))
UNARY(isinf, "isinf", Truths, sym::map(sym::Op::isinf, x[0]))
UNARY(isnumber, "isnumber", Truths, sym::logical_not(sym::map(sym::Op::isnan, x[0])))
UNARY(isreal, "isreal", Truths,
      sym::logical_not(sym::map(sym::Op::isnan, x[0]) + sym::map(sym::Op::isinf, x[0])))
UNARY(as_bool, "as_bool", Truths, sym::not_equal(x[0], 0.0))
namespace {
UNARY(logical_not, "logical_not", Truths, sym::logical_not(x[0]))
}  // namespace
#undef UNARY
#undef BINARY

garray operator!(const garray_base& a) {
  return logical_not(operand(a, a.node()->where));
}
garray operator!(garray_base&& a) {
  const Where where = a.node()->where;
  return logical_not(operand(std::move(a), where));
}

garray where(operand condition, operand a, operand b) {
  return detail::map(
      "where", detail::Makes::Same, [](In x) { return sym::where(x[0], x[1], x[2]); },
      std::move(condition), std::move(a), std::move(b));
}

garray clip(operand a, operand low, operand high) {
  return detail::map(
      "clip", detail::Makes::Numbers,
      [](In x) { return sym::minimum(sym::maximum(x[0], x[1]), x[2]); }, std::move(a),
      std::move(low), std::move(high));
}
garray clip(operand a, std::nullopt_t, operand high) {
  return minimum(std::move(a), std::move(high));
}
garray clip(operand a, operand low, std::nullopt_t) {
  return maximum(std::move(a), std::move(low));
}

// ---- reductions ----

#define REDUCTION(name)                                             \
  garray name(operand a, const Axes& axis, Keepdims keep) {         \
    return detail::reduce(sym::Op::name, std::move(a), axis, keep); \
  }
REDUCTION(sum)
REDUCTION(mean)
REDUCTION(max)
REDUCTION(min)
REDUCTION(prod)
#undef REDUCTION
#define REDUCTION(name)                                             \
  garray name(operand a, std::optional<int> axis, Keepdims keep) {  \
    return detail::reduce(sym::Op::name, std::move(a), axis, keep); \
  }
REDUCTION(argmax)
REDUCTION(argmin)
#undef REDUCTION

namespace {

/// The array, whose elements are 0 and 1, as one of truth values.
garray truths(garray array) {
  array.node()->expected = detail::Content::Truths;
  if (array.node()->is_leaf()) array.node()->storage->content = detail::Content::Truths;
  return array;
}

/// Squared differences from the mean.
garray squares(const operand& a, const Axes& axes, const Where& where) {
  detail::settle(a.node);
  const operand means(mean(a, axes, keepdims), where);
  const operand from_mean(garray(a - means).settle(), where);
  return from_mean * from_mean;
}

}  // namespace

garray var(operand a, const Axes& axis, Keepdims keep, double ddof) {
  const Where where = a.where;
  double count = 1;
  for (const std::size_t k : detail::normalize_axes("var", axis, a.node->ndim(), where))
    count *= static_cast<double>(a.node->dims[k]);
  operand values(squares(a, axis, where), where);
  if (ddof == 0) return mean(std::move(values), axis, keep);
  return operand(sum(std::move(values), axis, keep), where) /
         operand(std::max(count - ddof, 0.0), where);
}

garray std(operand a, const Axes& axis, Keepdims keep, double ddof) {
  const Where where = a.where;
  return sqrt(operand(var(std::move(a), axis, keep, ddof), where));
}

garray All::operator()(operand a, Axes axis, Keepdims keep) const {
  const Where where = a.where;
  return truths(prod(operand(as_bool(std::move(a)), where), axis, keep));
}

garray any(operand a, const Axes& axis, Keepdims keep) {
  const Where where = a.where;
  return any2(operand(as_bool(std::move(a)), where), axis, keep);
}

garray any2(operand a, const Axes& axis, Keepdims keep) {
  const Where where = a.where;
  return operand(sum(std::move(a), axis, keep), where) > operand(0, where);
}

garray all2(operand a, const Axes& axis, Keepdims keep) {
  const Where where = a.where;
  const operand one(1, where);
  return operand(sum(operand(one - std::move(a), where), axis, keep), where) == operand(0, where);
}

// ---- products ----

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
    detail::settle(b.node);
    b.node = detail::permute(b.node, axes, where);
    const Index cols =
        detail::element_count({dims.begin() + a.node->ndim() - 1, dims.end()}, where);
    b = operand(detail::reshape(b.node, {a.node->dims.back(), cols}, where), where);
  }
  const NodePtr node = detail::make_node(Node::Kind::Dot, dims, {a.node, b.node}, where);
  node->expected = detail::made(detail::Makes::Sums, a.node->content(), b.node->content());
  return garray(node);
}

garray matmul(operand a, operand b) {
  const Where where = a.where;
  if (a.node->ndim() == 0 || b.node->ndim() == 0)
    detail::misuse("matmul", where,
                   fmt::format("operand {} has no dimensions; write a * b for a number",
                               a.node->ndim() == 0 ? 0 : 1));
  if (b.node->ndim() <= 2) return dot(std::move(a), std::move(b));
  const bool is_vector = a.node->ndim() == 1;
  const Dims x_dims = a.node->dims, y_dims = b.node->dims;
  const Dims first = is_vector ? Dims{1, x_dims[0]} : Dims(x_dims.end() - 2, x_dims.end());
  const Dims second(y_dims.end() - 2, y_dims.end());
  if (first[1] != second[0])
    detail::misuse("matmul", where,
                   fmt::format("shapes {} and {} not aligned", detail::to_string(x_dims),
                               detail::to_string(y_dims)));
  const Dims stacks =
      detail::broadcast("matmul",
                        {is_vector ? Dims{} : Dims(x_dims.begin(), x_dims.end() - 2),
                         Dims(y_dims.begin(), y_dims.end() - 2)},
                        where);
  const Index count = detail::element_count(stacks, where);
  const auto stacked = [&](NodePtr node, const Dims& matrix) {
    Dims dims = stacks;
    dims.insert(dims.end(), matrix.begin(), matrix.end());
    if (node->ndim() > 1 && node->dims != dims) node = detail::repeat("matmul", node, dims, where);
    const bool is_one = node->size == matrix[0] * matrix[1];
    return garray(detail::reshape(node, {is_one ? 1 : count, matrix[0], matrix[1]}, where))
        .settle();
  };
  const garray x = stacked(std::move(a.node), first), y = stacked(std::move(b.node), second);
  garray result = empty({count, first[0], second[1]}, where);
  for (Index k = 0; k < count; ++k) {
    const Subscript at(x.len() == 1 ? 0 : k, where), other(y.len() == 1 ? 0 : k, where);
    result[Subscript(k, where)] = dot(operand(x[at], where), operand(y[other], where));
  }
  Dims dims = stacks;
  if (!is_vector) dims.push_back(first[0]);
  dims.push_back(second[1]);
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

garray trace(const garray_base& a, Where where) {
  return diagonal(a, where).sum({}, {}, where);
}

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
