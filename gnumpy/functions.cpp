#include "gnumpy/functions.hpp"

#include <algorithm>
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

// ---- making arrays ----

garray empty(Shape shape, Where where) {
  return garray(detail::make_empty(std::move(shape.dims), where));
}

garray full(Shape shape, double value, Where where) {
  NodePtr node = detail::make_empty(std::move(shape.dims), where);
  detail::fill(*node, value, where);
  return garray(std::move(node));
}

garray zeros(Shape shape, Where where) {
  return full(std::move(shape), 0, where);
}

garray ones(Shape shape, Where where) {
  return full(std::move(shape), 1, where);
}

garray eye(Index n, Where where) {
  return diagflat(ones(n, where), where);
}

// The diagonal is every (n + 1)th element of the matrix in C order.
garray diagflat(const garray& a, Where where) {
  const Index n = a.size();
  const garray result = zeros({n, n}, where);
  if (n > 0) result.ravel()(slice(0, n * n, n + 1)) = a.ravel();
  return result;
}

namespace {

garray drawn(Shape shape, Distribution distribution, const Where& where) {
  NodePtr node = detail::make_empty(std::move(shape.dims), where);
  if (node->size == 0) return garray(std::move(node));
  if (distribution == Distribution::uniform) {
    detail::engine().uniform(node->storage->data(), node->size);
    detail::ran(*node, where, "t.fill_with_rand()");
  } else {
    detail::engine().normal(node->storage->data(), node->size);
    detail::ran(*node, where, "t.fill_with_randn()");
  }
  return garray(std::move(node));
}

}  // namespace

garray rand(Shape shape, Where where) {
  return drawn(std::move(shape), Distribution::uniform, where);
}

garray randn(Shape shape, Where where) {
  return drawn(std::move(shape), Distribution::normal, where);
}

double rand() {
  return rand(Dims{}).item();
}

void seed_rand(std::uint64_t seed) {
  detail::engine().seed(seed);
}

garray concatenate(const std::vector<garray>& parts, int axis, Where where) {
  constexpr const char* kOp = "concatenate";
  if (parts.empty()) detail::misuse(kOp, where, "need at least one array to concatenate");
  Dims dims = parts[0].shape();
  if (dims.empty()) detail::misuse(kOp, where, "zero-dimensional arrays cannot be concatenated");
  const std::size_t along = detail::normalize_axis(kOp, axis, parts[0].ndim(), where);
  dims[along] = 0;
  for (const garray& part : parts) {
    Dims other = part.shape();
    if (other.size() == dims.size()) {
      dims[along] += other[along];
      other[along] = dims[along];
    }
    if (other != dims)
      detail::misuse(
          kOp, where,
          fmt::format("shapes {} and {} differ outside of axis {}",
                      detail::to_string(parts[0].shape()), detail::to_string(part.shape()), along));
  }
  const garray result = empty(dims, where);
  Index at = 0;
  for (const garray& part : parts) {
    std::vector<Subscript> place(along, Subscript(slice()));
    place.emplace_back(slice(at, at + part.shape()[along]));
    result.subscript(place, where) = part;
    at += part.shape()[along];
  }
  return result;
}

// Each axis becomes two, (repetitions, extent), of which the first is broadcast.
garray tile(const garray& a, Shape reps, Where where) {
  Dims extents = a.shape();
  Dims& times = reps.dims;
  extents.insert(extents.begin(), times.size() > extents.size() ? times.size() - extents.size() : 0,
                 1);
  times.insert(times.begin(), extents.size() - times.size(), 1);
  Dims apart, repeated, together;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    apart.insert(apart.end(), {1, extents[i]});
    repeated.insert(repeated.end(), {times[i], extents[i]});
    together.push_back(times[i] * extents[i]);
  }
  const NodePtr source = operand(a.reshape(apart, where), where).node;
  return detail::reshape(detail::repeat("tile", source, repeated, where), together, where);
}

garray load_npy(const std::filesystem::path& path, Where where) {
  return garray(npmat::load_npy<double>(path), where);
}

void save_npy(const std::filesystem::path& path, const garray& a) {
  npmat::save_npy(path, a.as_numpy_array<double>());
}

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
UNARY(operator!, "logical_not", sym::logical_not(x[0]))
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
#undef UNARY
#undef BINARY

garray where(operand condition, operand a, operand b) {
  return detail::map(
      "where", [](In x) { return sym::where(x[0], x[1], x[2]); }, std::move(condition),
      std::move(a), std::move(b));
}

// ---- reductions ----

#define REDUCTION(name)                                                           \
  garray name(operand a, std::optional<int> axis) {                               \
    return detail::reduce(sym::Op::name, std::move(a), axis);                     \
  }                                                                               \
  garray garray::name(std::optional<int> axis, Where where) const& {              \
    return detail::reduce(sym::Op::name, operand(*this, where), axis);            \
  }                                                                               \
  garray garray::name(std::optional<int> axis, Where where)&& {                   \
    return detail::reduce(sym::Op::name, operand(std::move(*this), where), axis); \
  }
REDUCTION(sum)
REDUCTION(mean)
REDUCTION(max)
REDUCTION(min)
REDUCTION(prod)
REDUCTION(argmax)
REDUCTION(argmin)
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
#undef METHOD

garray garray::rand(Distribution distribution, Where where) const {
  return drawn(shape(), distribution, where);
}

double garray::euclid_norm(Where where) const {
  const operand a(*this, where);
  const NodePtr norm = detail::make_node(Node::Kind::Norm, {}, {a.node}, where);
  norm->op = sym::Op::euclid_norm;
  return garray(norm).item();
}

namespace {

/// The reduced array with the axis kept as one of extent 1.
garray keep_axis(const garray& reduced, const Dims& dims, std::optional<int> axis,
                 const Where& where) {
  Dims kept(dims.size(), 1);
  if (axis) {
    kept = dims;
    kept[detail::normalize_axis("reduce", *axis, static_cast<int>(dims.size()), where)] = 1;
  }
  return reduced.reshape(kept, where);
}

}  // namespace

garray std(operand a, std::optional<int> axis) {
  const Where where = a.where;
  detail::settle(a.node);
  const garray array(a.node);
  const garray from_mean = array - keep_axis(array.mean(axis, where), array.shape(), axis, where);
  return (from_mean * from_mean).mean(axis, where).sqrt(where);
}

garray all_true(operand a, std::optional<int> axis) {
  const Where where = a.where;
  return (std::move(a) != operand(0.0, where)).prod(axis, where);
}

garray any_true(operand a, std::optional<int> axis) {
  const Where where = a.where;
  return (std::move(a) != operand(0.0, where)).sum(axis, where) > operand(0.0, where);
}

// The engine sums along the rows of a matrix by columns: over the slowest of two axes.
garray cumsum(const garray& a, std::optional<int> axis, Where where) {
  if (!axis) return cumsum(a.ravel(where), 0, where);
  const std::size_t along = detail::normalize_axis("cumsum", *axis, a.ndim(), where);
  std::vector<std::size_t> axes(a.shape().size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::rotate(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(along),
              axes.begin() + static_cast<std::ptrdiff_t>(along + 1));
  const NodePtr first = detail::permute(operand(a, where).node, axes, where);
  const NodePtr sums = detail::make_empty(first->dims, where);
  const Index count = a.shape()[along];
  if (a.size() > 0) {
    detail::settle(first);
    detail::engine().cumsum({first->storage->data(), first->offset, 0},
                            {sums->storage->data(), 0, 0}, a.size() / count, count);
    detail::ran(*sums, where, "x.cumsum(target=t)");
    if (detail::checks_numbers())
      detail::check_numbers("cumsum", sums->storage->data(), 0, sums->size, where);
  }
  std::vector<std::size_t> back(axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) back[axes[k]] = k;
  return garray(detail::permute(sums, back, where));
}

std::vector<garray> nonzero(const garray& a, Where where) {
  const std::vector<double> elements = a.to_vector();
  std::vector<std::vector<double>> indices(a.shape().size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] == 0) continue;
    auto rest = static_cast<Index>(i);
    for (std::size_t axis = a.shape().size(); axis-- > 0;) {
      indices[axis].push_back(static_cast<double>(rest % a.shape()[axis]));
      rest /= a.shape()[axis];
    }
  }
  std::vector<garray> result;
  for (const std::vector<double>& axis : indices) result.emplace_back(axis, std::nullopt, where);
  return result;
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
    const Index cols = detail::element_count({dims.begin() + a.node->ndim() - 1, dims.end()});
    b.node = detail::reshape(b.node, {a.node->dims.back(), cols}, where).node();
  }
  return garray(detail::make_node(Node::Kind::Dot, dims, {a.node, b.node}, where));
}

garray outer(operand a, operand b) {
  const Where where = a.where;
  a.node = detail::reshape(a.node, {-1, 1}, where).node();
  b.node = detail::reshape(b.node, {1, -1}, where).node();
  return std::move(a) * std::move(b);
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
  Index inner = 1;
  for (int i = 0; i < axes; ++i) inner *= right[static_cast<std::size_t>(i)];
  const Index rows = detail::element_count({left.begin(), left.end() - axes});
  const Index cols = detail::element_count({right.begin() + axes, right.end()});
  garray x = detail::reshape(a.node, {rows, inner}, where);
  garray y = detail::reshape(b.node, {inner, cols}, where);
  return dot(std::move(x), std::move(y)).reshape(dims, where);
}

}  // namespace gnumpy
