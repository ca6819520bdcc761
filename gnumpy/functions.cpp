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

#define UNARY(name, numpy, expression)                         \
  garray name(operand a) {                                     \
    return detail::map(                                        \
        numpy, [](In x) { return expression; }, std::move(a)); \
  }
#define BINARY(name, numpy, expression)                                      \
  garray name(operand a, operand b) {                                        \
    return detail::map(                                                      \
        numpy, [](In x) { return expression; }, std::move(a), std::move(b)); \
  }
BINARY(operator+, "add", x[0] + x[1])
BINARY(operator-, "subtract", x[0] - x[1])
BINARY(operator*, "multiply", x[0] * x[1])
BINARY(operator/, "divide", x[0] / x[1])
BINARY(operator<, "less", x[0] < x[1])
BINARY(operator<=, "less_equal", x[0] <= x[1])
BINARY(operator>, "greater", x[0] > x[1])
BINARY(operator>=, "greater_equal", x[0] >= x[1])
BINARY(operator==, "equal", sym::equal(x[0], x[1]))
BINARY(operator!=, "not_equal", sym::not_equal(x[0], x[1]))
BINARY(operator&, "logical_and", sym::logical_and(x[0], x[1]))
BINARY(operator|, "logical_or", sym::logical_or(x[0], x[1]))
BINARY(maximum, "maximum", sym::maximum(x[0], x[1]))
BINARY(minimum, "minimum", sym::minimum(x[0], x[1]))
BINARY(pow, "power", sym::power_operator(x[0], x[1]))
UNARY(operator-, "negative", -x[0])
UNARY(negative, "negative", -x[0])
UNARY(abs, "absolute", sym::abs(x[0]))
UNARY(exp, "exp", sym::exp(x[0]))
UNARY(log, "log", sym::log(x[0]))
UNARY(log2, "log2", sym::map(sym::Op::log2, x[0]))
UNARY(log10, "log10", sym::map(sym::Op::log10, x[0]))
UNARY(log_1_plus_exp, "log_1_plus_exp", sym::map(sym::Op::log_1_plus_exp, x[0]))
UNARY(logistic, "logistic", sym::logistic(x[0]))
UNARY(sqrt, "sqrt", sym::sqrt(x[0]))
UNARY(sign, "sign", sym::map(sym::Op::sign, x[0]))
UNARY(sin, "sin", sym::map(sym::Op::sin, x[0]))
UNARY(cos, "cos", sym::map(sym::Op::cos, x[0]))
UNARY(tanh, "tanh", sym::tanh(x[0]))
UNARY(isnan, "isnan", sym::map(sym::Op::isnan, x[0]))
UNARY(isinf, "isinf", sym::map(sym::Op::isinf, x[0]))
UNARY(isnumber, "isnumber", sym::logical_not(sym::map(sym::Op::isnan, x[0])))
UNARY(isreal, "isreal",
      sym::logical_not(sym::map(sym::Op::isnan, x[0]) + sym::map(sym::Op::isinf, x[0])))
UNARY(sigmoid, "sigmoid", sym::logistic(x[0]))
UNARY(as_bool, "as_bool", sym::not_equal(x[0], 0.0))
UNARY(logical_not, "logical_not", sym::logical_not(x[0]))
#undef UNARY
#undef BINARY

garray operator!(const garray& a) {
  return logical_not(operand(a, a.node()->where));
}
garray operator!(garray&& a) {
  const Where where = a.node()->where;
  return logical_not(operand(std::move(a), where));
}

garray where(operand condition, operand a, operand b) {
  return detail::map(
      "where", [](In x) { return sym::where(x[0], x[1], x[2]); }, std::move(condition),
      std::move(a), std::move(b));
}

// ---- reductions ----

#define REDUCTION(name, Axis)                                                           \
  garray name(operand a, Axis axis, Keep keep) {                                        \
    return detail::reduce(sym::Op::name, std::move(a), axis, keep);                     \
  }                                                                                     \
  garray garray::name(Axis axis, Keep keep, Where where) const& {                       \
    return detail::reduce(sym::Op::name, operand(*this, where), axis, keep);            \
  }                                                                                     \
  garray garray::name(Axis axis, Keep keep, Where where)&& {                            \
    return detail::reduce(sym::Op::name, operand(std::move(*this), where), axis, keep); \
  }
REDUCTION(sum, const Axes&)
REDUCTION(mean, const Axes&)
REDUCTION(max, const Axes&)
REDUCTION(min, const Axes&)
REDUCTION(prod, const Axes&)
REDUCTION(argmax, std::optional<int>)
REDUCTION(argmin, std::optional<int>)
#undef REDUCTION

#define METHOD(name)                                       \
  garray garray::name(Where where) const& {                \
    return gnumpy::name(operand(*this, where));            \
  }                                                        \
  garray garray::name(Where where)&& {                     \
    return gnumpy::name(operand(std::move(*this), where)); \
  }
METHOD(abs)
METHOD(exp)
METHOD(log)
METHOD(log_1_plus_exp)
METHOD(logistic)
METHOD(sign)
METHOD(sqrt)
METHOD(tanh)
METHOD(isnan)
METHOD(isinf)
METHOD(isreal)
METHOD(isnumber)
METHOD(sigmoid)
METHOD(log2)
METHOD(log10)
METHOD(sin)
METHOD(cos)
METHOD(as_bool)
#undef METHOD

bool garray::all_real(Where where) const {
  return isreal(where).all2({}, {}, where).item() != 0;
}

bool garray::eq2(const garray& other, Where where) const {
  return shape() == other.shape() &&
         (operand(*this, where) == operand(other, where)).all2({}, {}, where).item() != 0;
}

garray All::operator()(operand a, const Axes& axes, Keep keep) const {
  const Where where = a.where;
  return as_bool(std::move(a)).prod(axes, keep, where);
}

garray any(operand a, const Axes& axes, Keep keep) {
  const Where where = a.where;
  return as_bool(std::move(a)).any2(axes, keep, where);
}

garray any2(operand a, const Axes& axes, Keep keep) {
  const Where where = a.where;
  return operand(sum(std::move(a), axes, keep), where) > operand(0, where);
}

garray all2(operand a, const Axes& axes, Keep keep) {
  const Where where = a.where;
  const operand one(1, where);
  return one - operand(any2(operand(one - std::move(a), where), axes, keep), where);
}

#define REDUCTION(name)                                                  \
  garray garray::name(const Axes& axes, Keep keep, Where where) const& { \
    return gnumpy::name(operand(*this, where), axes, keep);              \
  }                                                                      \
  garray garray::name(const Axes& axes, Keep keep, Where where)&& {      \
    return gnumpy::name(operand(std::move(*this), where), axes, keep);   \
  }
REDUCTION(all)
REDUCTION(any)
REDUCTION(all2)
REDUCTION(any2)
#undef REDUCTION

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
  return garray(detail::make_node(Node::Kind::Dot, dims, {a.node, b.node}, where));
}

garray garray::dot(operand b, Where where) const {
  return gnumpy::dot(operand(*this, where), std::move(b));
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

  Unfolded(const garray& array, const std::vector<int>& chosen, const Where& where) {
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
  [[nodiscard]] operand matrix(const garray& array, bool as_rows, const Where& where) const {
    const auto joined = [](std::vector<int> first, const std::vector<int>& second) {
      first.insert(first.end(), second.begin(), second.end());
      return first;
    };
    std::vector<int> order = joined(as_rows ? axes : others, as_rows ? others : axes);
    const std::vector<int> turned = joined(as_rows ? others : axes, as_rows ? axes : others);
    const Index rows = detail::element_count(as_rows ? inner : outer, where);
    const Index cols = detail::element_count(as_rows ? outer : inner, where);
    if (std::is_sorted(turned.begin(), turned.end()) && std::ssize(turned) == array.ndim())
      return {array.reshape({cols, rows}, where).T(where), where};
    return {array.transpose(std::move(order), where).reshape({rows, cols}, where), where};
  }
};

}  // namespace

garray tensordot(const garray& a, const garray& b, const std::vector<int>& axes_of_a,
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
