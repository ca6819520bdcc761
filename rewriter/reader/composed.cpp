// Element-wise functions and products of the notation that are composed of others.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/dtypes.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- of one array ----

Array is_nan(const Array& a) {
  return map(Op::isnan, a);
}

Array positive(const Array& a) {
  if (a.dtype() == DType::Bool) misuse("positive", "NumPy has no '+' of truth values");
  return a.copy();
}

Array expit(const Array& a) {
  if (a.dtype() == DType::Bool)
    misuse("expit", "SciPy computes this of booleans in float32; multiply by 1.0 first");
  return map(Op::sigmoid, a);
}

Array gammaln(const Array& a) {
  if (a.dtype() == DType::Bool)
    misuse("gammaln", "SciPy computes this of booleans in float32; multiply by 1.0 first");
  return map(Op::lgamma, a);
}

/// Of a Python number: known at once where plain arithmetic gives it.
Value of_number(Array (*build)(const Array&), const Value& x) {
  if (build == positive) return numpy_number(x);
  return new_array(build(to_array(x, "x")));
}

Handler of_one(Array (*build)(const Array&)) {
  return [build](const Call& call) {
    const auto bound = call.bind({"x", "out"}, 1);
    if (bound[0]->is_number() && bound[1] == nullptr) return of_number(build, *bound[0]);
    return give_elements(call, build(array_argument(call, bound[0], "x")), bound[1],
                         contiguous(bound[0]));
  };
}

Value nan_to_num(const Call& call) {
  const auto bound = call.bind({"x", "copy", "nan", "posinf", "neginf"}, 1);
  const Array x = array_argument(call, bound[0], "x");
  if (bound[1] != nullptr && !flag(bound[1]))
    misuse(call.name, "copy=False is outside the notation; write x[:] = np.nan_to_num(x)");
  if (x.dtype() != DType::Float) return new_array(x.copy(), contiguous(bound[0]));
  const int known = FloatWidths().of(x.node());
  const int bits = known != 0 ? known : float_bits();
  const double most =
      bits == 32 ? double(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
  Array result = where(is_nan(x), number_argument(call, bound[2], "nan", 0), x);
  result = where(equal(result, kInfinity), number_argument(call, bound[3], "posinf", most), result);
  result =
      where(equal(result, -kInfinity), number_argument(call, bound[4], "neginf", -most), result);
  return new_array(result.ndim() == 0 ? result + Array(0.0) : result, contiguous(bound[0]));
}

// ---- of two ----

/// The array itself, of which the shape alone counts.
Value np_shape(const Call& call) {
  const auto bound = call.name == "np.size" ? call.bind({"a", "axis"}, 1) : call.bind({"a"}, 1);
  const Array a = array_argument(call, bound[0], "a");
  if (call.name == "np.size" && bound[1] != nullptr)
    return {a.shape(static_cast<int>(bound[1]->integer("size's axis")))};
  if (call.name == "np.size") return {a.size()};
  if (call.name == "np.ndim") return {std::int64_t{a.ndim()}};
  Sequence shape;
  for (const Index extent : a.shape()) shape.items.push_back({extent});
  return {std::move(shape)};
}

// ---- choices ----

/// An element of an array of one dimension: a number, where it is known.
Array element(const Array& a, Index i) {
  const Node& node = *a.node();
  if (node.kind == Kind::Constant)
    return Array::number(
        std::visit([i](const auto& data) { return double(data.data[std::size_t(i)]); }, *node.data),
        a.dtype());
  return a.slice({Range{i, i + 1, true}});
}

Value np_interp(const Call& call) {
  const auto bound = call.bind({"x", "xp", "fp", "left", "right"}, 3);
  const Array x = array_argument(call, bound[0], "x") * Array(1.0);
  const Array xp = array_argument(call, bound[1], "xp");
  const Array fp = array_argument(call, bound[2], "fp");
  constexpr Index kMost = 256;
  if (xp.ndim() != 1 || fp.shape() != xp.shape() || xp.size() == 0)
    misuse(call.name, "fp and xp must be 1-D and of one length");
  if (xp.size() > kMost)
    misuse(call.name, "of {} points or fewer here: each is a choice between arrays; got {}", kMost,
           xp.size());
  const Index last = xp.size() - 1;
  const Array left = bound[3] == nullptr ? element(fp, 0) : array_argument(call, bound[3], "left");
  const Array right =
      bound[4] == nullptr ? element(fp, last) : array_argument(call, bound[4], "right");
  Array result = where(is_nan(x), x, left);
  for (Index i = 0; i < last; ++i) {
    const Array x0 = element(xp, i), y0 = element(fp, i);
    const Array slope = (element(fp, i + 1) - y0) / (element(xp, i + 1) - x0);
    result = where(x < x0, result, (x - x0) * slope + y0);
  }
  result = where(equal(x, element(xp, last)), element(fp, last), result);
  return new_array(choice(x > element(xp, last), right, result));
}

Value np_polyval(const Call& call) {
  const auto bound = call.bind({"p", "x"}, 2);
  const Array p = array_argument(call, bound[0], "p");
  const Array x = array_argument(call, bound[1], "x");
  if (p.ndim() != 1) misuse(call.name, "the coefficients are an array of one dimension");
  Array y = x * Array(0);
  for (Index i = 0; i < p.size(); ++i) y = y * x + element(p, i);
  if (y.is_number()) return {y.node()->number, true};
  return new_array(y, contiguous(bound[1]));
}

// ---- products ----

// ---- methods of NumPy's functions ----

/// np.add.outer(a, b): each element of a with each of b.
Handler outer_of(const Handler& function) {
  return [function](const Call& call) {
    const auto bound = call.bind({"A", "B"}, 2);
    const Array a = array_argument(call, bound[0], "A");
    const Array b = array_argument(call, bound[1], "B");
    Dims dims = a.shape();
    dims.insert(dims.end(), b.shape().size(), 1);
    Call plain = call;
    plain.keywords.clear();
    plain.arguments = {
        a.shape() == dims ? *bound[0] : new_array(a.reshape(dims), contiguous(bound[0])),
        *bound[1]};
    return function(plain);
  };
}

/// np.add.reduce(a, axis=0): the reduction, over the first axis where none is given.
Handler reduction_of(const Handler& reduction) {
  return [reduction](const Call& call) {
    Call plain = call;
    const bool has_axis = call.arguments.size() > 1 ||
                          std::any_of(call.keywords.begin(), call.keywords.end(),
                                      [](const auto& keyword) { return keyword.first == "axis"; });
    if (!has_axis) plain.keywords.emplace_back("axis", Value{std::int64_t{0}});
    return reduction(plain);
  };
}

Handler running_of(Op op) {
  return [op](const Call& call) {
    const auto bound = call.bind({"array", "axis", "dtype", "out"}, 1);
    Array a = array_argument(call, bound[0], "array");
    if (a.ndim() == 0) misuse(call.name, "cannot accumulate on a scalar");
    const auto dtype = dtype_argument(bound[2]);
    if (dtype) a = converted(a, *dtype);
    if (op == Op::add || op == Op::mult) a = a.as_type(detail::sum_type(a.dtype()));
    const Index axis = bound[1] == nullptr ? 0 : bound[1]->integer("the axis");
    const Array result =
        running(op, a, detail::normalize_axis(call.name, static_cast<int>(axis), a.ndim()));
    return give(call, dtype ? converted(result, *dtype) : result, bound[3], contiguous(bound[0]));
  };
}

/// From each place up to the next; where that is not behind it, the element there.
Handler parts_of(Op op) {
  return [op](const Call& call) {
    const auto bound = call.bind({"array", "indices", "axis"}, 2);
    const Array a = array_argument(call, bound[0], "array");
    const Array at = array_argument(call, bound[1], "indices");
    const auto places = known_values(*at.node());
    if (a.ndim() != 1 || at.ndim() != 1 || at.size() == 0 || !places)
      misuse(call.name,
             "takes an array of one dimension, and places that are known when the program "
             "is read");
    std::vector<Array> parts;
    for (std::size_t i = 0; i < places->data.size(); ++i) {
      const auto begin = static_cast<Index>(places->data[i]);
      const bool is_last = i + 1 == places->data.size();
      const Index end = is_last ? a.size() : static_cast<Index>(places->data[i + 1]);
      if (begin < 0 || begin >= a.size())
        misuse(call.name, "index {} out-of-bounds in {} [0, {})", begin, call.name, a.size());
      parts.push_back(reduce(op, part(a, 0, begin, std::max(end, begin + 1)), 0, true));
    }
    return new_array(concatenate(parts));
  };
}

}  // namespace

void enter_composed(Handlers& table) {
  enter(table, "np.positive np.conj np.conjugate", of_one(positive));
  enter(table, "scipy.special.expit", of_one(expit));
  enter(table, "scipy.special.gammaln", of_one(gammaln));
  enter(table, "np.nan_to_num", nan_to_num);
  enter(table, "np.shape np.size np.ndim", np_shape);
  enter(table, "np.interp", np_interp);
  enter(table, "np.polyval", np_polyval);
  for (const std::string_view name :
       {"add",       "subtract",      "multiply",    "divide",     "true_divide",
        "power",     "maximum",       "minimum",     "less",       "less_equal",
        "greater",   "greater_equal", "equal",       "not_equal",  "mod",
        "remainder", "floor_divide",  "logical_and", "logical_or", "logical_xor",
        "arctan2",   "hypot",         "logaddexp",   "fmax",       "fmin"})
    table.emplace(fmt::format("np.{}.outer", name),
                  TableEntry{outer_of(table.at(fmt::format("np.{}", name)).handler)});
  enter(table, "np.add.reduce", reduction_of(table.at("np.sum").handler));
  enter(table, "np.multiply.reduce", reduction_of(table.at("np.prod").handler));
  enter(table, "np.maximum.reduce", reduction_of(table.at("np.max").handler));
  enter(table, "np.minimum.reduce", reduction_of(table.at("np.min").handler));
  enter(table, "np.logical_and.reduce", reduction_of(table.at("np.all").handler));
  enter(table, "np.logical_or.reduce", reduction_of(table.at("np.any").handler));
  enter(table, "np.add.reduceat", parts_of(Op::sum));
  enter(table, "np.maximum.reduceat", parts_of(Op::max));
  enter(table, "np.minimum.reduceat", parts_of(Op::min));
  enter(table, "np.add.accumulate", running_of(Op::add));
  enter(table, "np.multiply.accumulate", running_of(Op::mult));
  enter(table, "np.maximum.accumulate", running_of(Op::maximum));
  enter(table, "np.minimum.accumulate", running_of(Op::minimum));
}

}  // namespace rewriter
