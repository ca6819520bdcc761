// Element-wise functions and products of the notation that are composed of others.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/dtypes.hpp"
#include "rewriter/reader/selection.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

// ---- of one array ----

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

// ---- products ----

// ---- methods of NumPy's functions ----

/// np.add.outer(a, b): each element of a with each of b.
Value outer_of(const std::string& function, const Call& call) {
  const auto bound = call.bind({"A", "B"}, 2);
  const Value ndim = call_function({"np.ndim", {*bound[1]}, {}, call.steps});
  std::vector<Value> index{{EllipsisValue{}}};
  index.resize(1 + static_cast<std::size_t>(ndim.integer("an array's dimensions")));
  const auto* object = bound[0]->as<ObjectPtr>();
  const bool is_array = is_selection(*bound[0]) || bound[0]->as<Complex>() != nullptr ||
                        (object != nullptr && !(*object)->shape().empty());
  const Value a = is_array ? *bound[0] : new_array(array_argument(call, bound[0], "A"));
  return call_function(
      {function, {index.size() == 1 ? *bound[0] : subscript(a, index), *bound[1]}, {}, call.steps});
}

/// np.add.reduce(a, axis=0): the reduction, over the first axis where none is given.
Value reduction_of(std::string function, const Call& call) {
  Call plain = call;
  plain.name = std::move(function);
  const bool has_axis = call.arguments.size() > 1 ||
                        std::any_of(call.keywords.begin(), call.keywords.end(),
                                    [](const auto& keyword) { return keyword.first == "axis"; });
  if (!has_axis) plain.keywords.emplace_back("axis", Value{std::int64_t{0}});
  return call_function(plain);
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
    return give(call, as_out(dtype ? converted(result, *dtype) : result, bound[3]), bound[3],
                contiguous(bound[0]));
  };
}

Value cumulated(const Call& call) {
  const auto bound = call.bind({"a", "axis", "dtype", "out"}, 1);
  Array a = array_argument(call, bound[0], "a");
  const bool sums = call.name.ends_with("sum");
  const auto dtype = dtype_argument(bound[2]);
  if (dtype) a = converted(a, *dtype);
  a = a.as_type(detail::sum_type(a.dtype()));
  if (bound[1] == nullptr || a.ndim() == 0) a = a.reshape({-1});
  const Index axis = bound[1] == nullptr ? 0 : bound[1]->integer("the axis");
  Array result = running(sums ? Op::add : Op::mult, a,
                         detail::normalize_axis(call.name, static_cast<int>(axis), a.ndim()));
  if (dtype) result = converted(result, *dtype);
  return give(call, as_out(result.node() == a.node() ? a.copy() : result, bound[3]), bound[3],
              bound[1] == nullptr || contiguous(bound[0]));
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
  enter(table, "np.shape np.size np.ndim", np_shape);
  for (const std::string_view name :
       {"add",       "subtract",      "multiply",    "divide",     "true_divide",
        "power",     "maximum",       "minimum",     "less",       "less_equal",
        "greater",   "greater_equal", "equal",       "not_equal",  "mod",
        "remainder", "floor_divide",  "logical_and", "logical_or", "logical_xor",
        "arctan2",   "hypot",         "logaddexp",   "fmax",       "fmin"})
    enter(
        table, fmt::format("np.{}.outer", name),
        [function = fmt::format("np.{}", name)](const Call& call) {
          return outer_of(function, call);
        },
        Takes::AnyForm);
  constexpr std::pair<std::string_view, std::string_view> kReductions[] = {
      {"np.add", "np.sum"},     {"np.multiply", "np.prod"},   {"np.maximum", "np.max"},
      {"np.minimum", "np.min"}, {"np.logical_and", "np.all"}, {"np.logical_or", "np.any"}};
  for (const auto& [name, function] : kReductions)
    enter(
        table, fmt::format("{}.reduce", name),
        [function = std::string(function)](const Call& call) {
          return reduction_of(function, call);
        },
        Takes::AnyForm);
  enter(table, "np.add.reduceat", parts_of(Op::sum));
  enter(table, "np.maximum.reduceat", parts_of(Op::max));
  enter(table, "np.minimum.reduceat", parts_of(Op::min));
  enter(table, "np.cumsum np.cumprod .cumsum .cumprod", cumulated);
  enter(table, "np.add.accumulate", running_of(Op::add));
  enter(table, "np.multiply.accumulate", running_of(Op::mult));
  enter(table, "np.maximum.accumulate", running_of(Op::maximum));
  enter(table, "np.minimum.accumulate", running_of(Op::minimum));
}

}  // namespace rewriter
