// Functions of the notation that reduce, sum up and compare neighbours.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/packed.hpp"

namespace rewriter {

using cudamat::misuse;
using detail::normalize_axis;

namespace {

Array is_nan(const Array& a) {
  return map(Op::isnan, a);
}

double count_over(const Array& a, const std::vector<int>& axes) {
  double count = 1;
  for (const int axis : axes) count *= static_cast<double>(a.shape(axis));
  return count;
}

int one_axis(const Call& call, const Value* axis, int ndim, int otherwise) {
  const Index at = axis == nullptr ? otherwise : axis->integer(call.name + "'s axis");
  return normalize_axis(call.name, static_cast<int>(at), ndim);
}

Array array_of(const Call& call, const Value* value, std::string_view parameter) {
  const Array a = array_argument(call, value, parameter);
  return a.is_number() ? full({}, a.node()->number, a.dtype()) : a;
}

// ---- reductions ----

Value np_ptp(const Call& call) {
  const auto bound = call.bind({"a", "axis", "out", "keepdims"}, 1);
  const Array a = array_of(call, bound[0], "a");
  if (a.dtype() == DType::Bool) misuse(call.name, "NumPy has no '-' of truth values");
  const auto axes = axes_argument(call, bound[1], a.ndim());
  const bool keepdims = flag(bound[3]);
  const Array most = over(Op::max, a, axes, keepdims);
  return give(call, most - over(Op::min, a, axes, keepdims), bound[2]);
}

Value np_count_nonzero(const Call& call) {
  const auto bound = call.bind({"a", "axis", "keepdims"}, 1);
  const Array truths = detail::truth(array_of(call, bound[0], "a"));
  const bool keepdims = flag(bound[2]);
  const Array count = over(Op::sum, truths, axes_argument(call, bound[1], truths.ndim()), keepdims);
  if (bound[1] == nullptr && !keepdims) return python_number(count);
  return new_array(count);
}

Value np_average(const Call& call) {
  const auto bound = call.bind({"a", "axis", "weights", "returned", "keepdims"}, 1);
  const Array a = array_of(call, bound[0], "a");
  const auto axes = axes_argument(call, bound[1], a.ndim());
  const bool keepdims = flag(bound[4]);
  if (bound[2] == nullptr) {
    const Array mean = over(Op::mean, a, axes, keepdims);
    if (!flag(bound[3])) return new_array(mean);
    return {Sequence{false, {new_array(mean), new_array(full(mean.shape(), count_over(a, axes)))}}};
  }
  Array weights = array_of(call, bound[2], "weights");
  if (weights.shape() != a.shape()) {
    if (bound[1] == nullptr)
      misuse(call.name, "Axis must be specified when shapes of a and weights differ.");
    if (weights.ndim() != 1)
      misuse(call.name, "1D weights expected when shapes of a and weights differ.");
    if (axes.size() != 1 || weights.size() != a.shape(axes[0]))
      misuse(call.name, "Length of weights not compatible with specified axis.");
    Dims dims(a.shape().size(), 1);
    dims[static_cast<std::size_t>(axes[0])] = weights.size();
    weights = broadcast_to(weights.reshape(dims), a.shape());
  }
  const Array scale = over(
      Op::sum, weights.dtype() == DType::Float ? weights : weights * Array(1.0), axes, keepdims);
  const Array floats = a.dtype() == DType::Float ? a : a * Array(1.0);
  const Array mean = over(Op::sum, floats * weights, axes, keepdims) / scale;
  if (!flag(bound[3])) return new_array(mean);
  return {Sequence{false, {new_array(mean), new_array(scale)}}};
}

// ---- without NaN ----

/// What NumPy's nan functions leave out is replaced by what changes nothing.
Value nan_reduction(const Call& call, Op op, double neutral) {
  const bool typed = op == Op::sum || op == Op::prod;
  const auto bound = typed ? call.bind({"a", "axis", "dtype", "out", "keepdims"}, 1)
                           : call.bind({"a", "axis", "out", "keepdims"}, 1);
  const Array a = array_of(call, bound[0], "a");
  const bool asks = typed && bound[2] != nullptr;
  const DType dtype = asks ? dtype_argument(bound[2]).value_or(DType::Float) : a.dtype();
  const auto as_asked = [&](const Array& array) { return asks ? converted(array, dtype) : array; };
  const Value* out = bound[bound.size() - 2];
  const bool keepdims = flag(bound.back());
  const auto axes = axes_argument(call, bound[1], a.ndim());
  if (a.dtype() != DType::Float)
    return give(call, as_asked(over(op, as_asked(a), axes, keepdims)), out);
  const Array nans = is_nan(a);
  const Array kept = over(op, as_asked(where(nans, neutral, a)), axes, keepdims);
  if (typed) return give(call, as_asked(kept), out);
  const double none = std::numeric_limits<double>::quiet_NaN();
  return give(call, choice(over(Op::all, nans, axes, keepdims), none, kept), out);
}

Value nan_moment(const Call& call) {
  const bool means = call.name == "np.nanmean";
  const auto bound = means ? call.bind({"a", "axis", "dtype", "out", "keepdims"}, 1)
                           : call.bind({"a", "axis", "dtype", "out", "ddof", "keepdims"}, 1);
  float_dtype_argument(call, bound[2]);
  const Array a = array_of(call, bound[0], "a") * Array(1.0);
  const auto axes = axes_argument(call, bound[1], a.ndim());
  const bool keepdims = flag(bound.back());
  const Array nans = is_nan(a);
  const auto mean_of = [&](bool keeps) {
    const Array sum = over(Op::sum, where(nans, 0.0, a), axes, keeps);
    return sum / over(Op::sum, logical_not(nans), axes, keeps);
  };
  if (means) return give(call, mean_of(keepdims), bound[3]);
  const Array apart = where(nans, 0.0, a - mean_of(true));
  const Array squares = over(Op::sum, apart * apart, axes, keepdims);
  const Array degrees = over(Op::sum, logical_not(nans), axes, keepdims) -
                        Array(number_argument(call, bound[4], "ddof", 0));
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Array variance = choice(degrees <= Array(0), none, squares / degrees);
  return give(call, call.name == "np.nanstd" ? map(Op::sqrt, variance) : variance, bound[3]);
}

Value nan_index(const Call& call) {
  const auto bound = call.bind({"a", "axis"}, 1);
  const Array a = array_of(call, bound[0], "a");
  const bool most = call.name == "np.nanargmax";
  const double least =
      most ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  const Array kept = a.dtype() == DType::Float ? where(is_nan(a), least, a) : a;
  return new_array(reduce(most ? Op::argmax : Op::argmin, kept, axis_argument(call, bound[1])));
}

// ---- moments of several variables ----

/// The rows as variables, each without its mean.
Array observations(const Call& call, const std::vector<const Value*>& bound) {
  const bool by_rows = bound[2] == nullptr || flag(bound[2]);
  const auto rows = [&](const Value* value, std::string_view name) {
    const Array a = array_of(call, value, name);
    if (a.ndim() > 2) misuse(call.name, "{} has more than 2 dimensions", name);
    if (a.ndim() < 2) return a.reshape({1, -1});
    return by_rows || a.shape(0) == 1 ? a : a.T();
  };
  Array x = rows(bound[0], "m");
  if (bound[1] != nullptr) x = concatenate({x, rows(bound[1], "y")});
  x = x * Array(1.0);
  return x - reduce(Op::mean, x, 1, true);
}

/// The same of observations that masks select; an array that stands beside them is all selected.
std::optional<Array> selected_covariance(const Call& call, const std::vector<const Value*>& bound,
                                         double ddof) {
  const bool by_rows = bound[2] == nullptr || flag(bound[2]);
  std::vector<Selection> parts;
  bool selects = false;
  for (const Value* value : {bound[0], bound[1]}) {
    if (value == nullptr) continue;
    const auto selection = selection_of(*value);
    selects = selects || selection;
    Selection s = selection ? in_one_axis(*selection) : all_of(array_of(call, value, "m"));
    if (s.whole.ndim() > 2) misuse(call.name, "has more than 2 dimensions");
    if (s.whole.ndim() == 1) s = {s.whole.reshape({1, -1}), s.mask, 1};
    if (s.whole.ndim() == 2 && s.first == 0) s = {s.whole.T(), s.mask, 1};
    if (selection && selection->whole.ndim() == 2 && by_rows == (selection->first == 0))
      misuse(call.name, "of observations that a mask selects; here it selects variables");
    parts.push_back(std::move(s));
  }
  if (!selects) return std::nullopt;
  parts = by_one_mask(std::move(parts));
  const Array mask = parts[0].mask, count = parts[0].count();
  std::vector<Array> rows;
  for (const Selection& each : parts) rows.push_back(each.whole);
  const Array x = concatenate(rows) * Array(1.0), zero(0.0);
  const Array mean = reduce(Op::sum, where(mask, x, zero), 1, true) / count;
  const Array apart = where(mask, x - mean, zero);
  const Array result = dot(apart, apart.T()) / maximum(count - Array(ddof), zero);
  return rows.size() == 1 && x.shape(0) == 1 ? result.reshape({}) : result;
}

Array covariance(const Call& call, const std::vector<const Value*>& bound, double ddof) {
  if (const auto selected = selected_covariance(call, bound, ddof)) return *selected;
  const Array x = observations(call, bound);
  const double factor = std::max(static_cast<double>(x.shape(1)) - ddof, 0.0);
  if (factor == 0) misuse(call.name, "Degrees of freedom <= 0: {} observations", x.shape(1));
  const Array result = dot(x, x.T()) * Array(1 / factor);
  return x.shape(0) == 1 ? result.reshape({}) : result;
}

Value np_cov(const Call& call) {
  const auto bound = call.bind({"m", "y", "rowvar", "bias", "ddof"}, 1);
  const double ddof = number_argument(call, bound[4], "ddof", flag(bound[3]) ? 0 : 1);
  return new_array(covariance(call, bound, ddof));
}

Value np_corrcoef(const Call& call) {
  const auto bound = call.bind({"x", "y", "rowvar"}, 1);
  const Array c = covariance(call, bound, 1);
  if (c.ndim() == 0) return new_array(c / c);
  const Array deviations = map(Op::sqrt, diagonal(c, 0));
  const Array scaled = c / deviations.reshape({-1, 1}) / deviations.reshape({1, -1});
  return new_array(clip(scaled, Array(-1), Array(1)));
}

// ---- neighbours ----

Array difference(const Array& a, int axis) {
  const Index extent = a.shape(axis);
  const Array after = part(a, axis, std::min<Index>(1, extent), extent);
  const Array before = part(a, axis, 0, std::max<Index>(extent - 1, 0));
  return a.dtype() == DType::Bool ? not_equal(after, before) : after - before;
}

Value np_diff(const Call& call) {
  const auto bound = call.bind({"a", "n", "axis", "prepend", "append"}, 1);
  Array a = array_of(call, bound[0], "a");
  if (a.ndim() == 0) misuse(call.name, "diff requires input that is at least one dimensional");
  const Index times = bound[1] == nullptr ? 1 : bound[1]->integer("diff's n");
  if (times < 0) misuse(call.name, "order must be non-negative but got {}", times);
  const int axis = one_axis(call, bound[2], a.ndim(), -1);
  const auto beside = [&](const Value* value) {
    Array given = array_of(call, value, "prepend");
    if (given.ndim() > 0) return given;
    Dims dims = a.shape();
    dims[static_cast<std::size_t>(axis)] = 1;
    return broadcast_to(given, dims);
  };
  std::vector<Array> parts{a};
  if (bound[3] != nullptr) parts.insert(parts.begin(), beside(bound[3]));
  if (bound[4] != nullptr) parts.push_back(beside(bound[4]));
  if (parts.size() > 1) a = concatenate(parts, axis);
  if (times == 0) return *bound[0];
  Array result = a;
  for (Index i = 0; i < times; ++i) result = difference(result, axis);
  return new_array(result, contiguous(bound[0]));
}

Array slope(const Array& f, int axis, const Array& h) {
  const Index n = f.shape(axis);
  const auto at = [&](Index start, Index stop) { return part(f, axis, start, stop); };
  const Array first = (at(1, 2) - at(0, 1)) / h;
  const Array last = (at(n - 1, n) - at(n - 2, n - 1)) / h;
  if (n == 2) return concatenate({first, last}, axis);
  return concatenate({first, (at(2, n) - at(0, n - 2)) / (Array(2.0) * h), last}, axis);
}

/// The slopes between points that do not lie one distance apart.
Array slope_between(const Call& call, const Array& f, int axis, const Array& x) {
  const Index n = f.shape(axis);
  if (x.ndim() != 1 || x.size() != n)
    misuse(call.name, "when 1d, distances must match the length of the corresponding dimension");
  Dims column(f.shape().size(), 1);
  column[static_cast<std::size_t>(axis)] = n - 1;
  const Array steps = difference(x * Array(1.0), 0).reshape(column);
  const auto at = [&](Index start, Index stop) { return part(f, axis, start, stop); };
  const auto step = [&](Index start, Index stop) { return part(steps, axis, start, stop); };
  const Array first = (at(1, 2) - at(0, 1)) / step(0, 1);
  const Array last = (at(n - 1, n) - at(n - 2, n - 1)) / step(n - 2, n - 1);
  if (n == 2) return concatenate({first, last}, axis);
  const Array before = step(0, n - 2), behind = step(1, n - 1), both = before + behind;
  const Array inner = -behind / (before * both) * at(0, n - 2) +
                      (behind - before) / (before * behind) * at(1, n - 1) +
                      before / (behind * both) * at(2, n);
  return concatenate({first, inner, last}, axis);
}

Value np_gradient(const Call& call) {
  if (call.arguments.empty()) misuse(call.name, "needs the argument 'f'");
  const Value* given_axis = nullptr;
  for (const auto& [keyword, value] : call.keywords) {
    if (keyword == "axis")
      given_axis = value.is_none() ? nullptr : &value;
    else if (keyword != "edge_order" || value.integer("edge_order") != 1)
      misuse(call.name, "takes axis, and edge_order=1; got '{}'", keyword);
  }
  const Array given = array_of(call, &call.arguments[0], "f");
  if (given.dtype() == DType::Bool)
    misuse(call.name, "numpy boolean subtract, the `-` operator, is not supported");
  const Array f = given * Array(1.0);
  const std::vector<int> axes = axes_argument(call, given_axis, f.ndim(), true);
  const std::size_t spacings = call.arguments.size() - 1;
  if (spacings > 1 && spacings != axes.size()) misuse(call.name, "invalid number of arguments");
  Sequence results{true, {}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (f.shape(axes[i]) < 2)
      misuse(call.name, "Shape of array too small to calculate a numerical gradient");
    Array h(1.0);
    if (spacings > 0) h = array_argument(call, &call.arguments[spacings == 1 ? 1 : i + 1], "h");
    results.items.push_back(new_array(
        h.ndim() > 0 ? slope_between(call, f, axes[i], h) : slope(f, axes[i], h * Array(1.0)),
        contiguous(&call.arguments[0])));
  }
  return results.items.size() == 1 ? results.items[0] : Value{std::move(results)};
}

Value np_trapz(const Call& call) {
  const auto bound = call.bind({"y", "x", "dx", "axis"}, 1);
  const Array y = array_of(call, bound[0], "y");
  const int axis = one_axis(call, bound[3], y.ndim(), -1);
  const Index n = y.shape(axis);
  Array d = bound[2] == nullptr ? Array(1.0) : array_argument(call, bound[2], "dx");
  if (bound[1] != nullptr) {
    const Array x = array_of(call, bound[1], "x");
    d = difference(x, x.ndim() == 1 ? 0 : axis);
    if (x.ndim() == 1 && y.ndim() > 1) {
      Dims dims(y.shape().size(), 1);
      dims[static_cast<std::size_t>(axis)] = d.size();
      d = d.reshape(dims);
    }
  }
  const Array sums =
      part(y, axis, std::min<Index>(1, n), n) + part(y, axis, 0, std::max<Index>(n - 1, 0));
  return new_array(reduce(Op::sum, d * sums / Array(2.0), axis));
}

// ---- convolutions ----

/// All products of elements whose places add up, summed: only of elements that there are.
Array convolved(const Array& a, const Array& v, bool turned) {
  const Index n = a.size(), m = v.size();
  const DType dtype = detail::promote(a.dtype(), v.dtype());
  const bool is_float = dtype == DType::Float;
  // Of 32 bits each product and each sum wraps, of fewer the result.
  const DType computed =
      dtype == DType::Int32 || dtype == DType::Uint32 || is_float ? dtype : DType::Int;
  const Array each = is_float ? a : a.as_type(computed);
  const Array weights = is_float ? v : v.as_type(computed);
  Array sum = full({n + m - 1}, 0, computed);
  for (Index j = 0; j < m; ++j) {
    const Index at = turned ? m - 1 - j : j;
    const Range here{at, at + n};
    const Array weight = weights.slice({Range{j, j + 1, true}});
    sum = set_slice(sum, {here}, sum.slice({here}) + each * weight);
  }
  return is_narrow(dtype) ? detail::as_integers(sum, dtype) : sum;
}

Value convolution(const Call& call) {
  const bool turned = call.name == "np.correlate";
  const auto bound = call.bind({"a", "v", "mode"}, 2);
  Array a = array_of(call, bound[0], "a");
  Array v = array_of(call, bound[1], "v");
  const auto* given = bound[2] == nullptr ? nullptr : bound[2]->as<std::string>();
  const std::string mode = given != nullptr ? *given : turned ? "valid" : "full";
  if (a.ndim() > 1 || v.ndim() > 1) misuse(call.name, "object too deep for desired array: 1-D");
  if (a.size() == 0 || v.size() == 0) misuse(call.name, "a and v cannot be empty");
  a = a.reshape({-1}), v = v.reshape({-1});
  if (a.dtype() == DType::Bool && v.dtype() == DType::Bool)
    misuse(call.name, "of truth values NumPy gives truth values; multiply one by 1.0");
  const bool swapped = v.size() > a.size();
  if (swapped && turned)
    misuse(call.name, "the second array must not be longer than the first here");
  if (swapped) std::swap(a, v);
  constexpr Index kMost = 512;
  if (v.size() > kMost)
    misuse(call.name,
           "each element of the shorter array is a sum over the longer: {} at most; "
           "got {}",
           kMost, v.size());
  const Array all = convolved(a, v, turned);
  const Index n = a.size(), m = v.size();
  if (mode == "full") return new_array(all);
  if (mode == "valid") return new_array(all.slice({Range{m - 1, n}}));
  if (mode != "same") misuse(call.name, "mode must be one of 'valid', 'same', or 'full'");
  const Index before = (m - 1) / 2;
  return new_array(all.slice({Range{before, before + n}}));
}

// ---- running sums ----

Value cumulated(const Call& call) {
  const auto bound = call.bind({"a", "axis", "dtype", "out"}, 1);
  Array a = array_of(call, bound[0], "a");
  const bool sums = call.name.ends_with("sum");
  if (call.name.starts_with("np.nan") && a.dtype() == DType::Float)
    a = where(is_nan(a), sums ? 0.0 : 1.0, a);
  const auto dtype = dtype_argument(bound[2]);
  if (dtype) a = converted(a, *dtype);
  a = a.as_type(detail::sum_type(a.dtype()));
  if (bound[1] == nullptr || a.ndim() == 0) a = a.reshape({-1});
  Array result = running(sums ? Op::add : Op::mult, a, one_axis(call, bound[1], a.ndim(), 0));
  if (dtype) result = converted(result, *dtype);
  return give(call, result.node() == a.node() ? a.copy() : result, bound[3],
              bound[1] == nullptr || contiguous(bound[0]));
}

/// NumPy 2's names of them.
Value cumulative(const Call& call) {
  const auto bound = call.bind({"x", "axis", "dtype", "out", "include_initial"}, 1);
  if (bound[3] != nullptr) misuse(call.name, "out= is outside the notation; assign the result");
  Array a = array_of(call, bound[0], "x");
  if (bound[1] == nullptr && a.ndim() != 1)
    misuse(call.name, "of an array of {} dimensions needs an axis", a.ndim());
  const auto dtype = dtype_argument(bound[2]);
  if (dtype) a = converted(a, *dtype);
  a = a.as_type(detail::sum_type(a.dtype()));
  const int axis = one_axis(call, bound[1], a.ndim(), 0);
  const bool sums = call.name.ends_with("sum");
  Array result = running(sums ? Op::add : Op::mult, a, axis);
  if (dtype) result = a = converted(result, *dtype);
  if (result.node() == a.node()) result = a.copy();
  if (!flag(bound[4])) return new_array(result, contiguous(bound[0]));
  Dims dims = a.shape();
  dims[static_cast<std::size_t>(axis)] = 1;
  return new_array(concatenate({full(dims, sums ? 0 : 1, a.dtype()), result}, axis));
}

}  // namespace

void enter_statistics(Handlers& table) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  enter(table, "np.ptp .ptp", np_ptp);
  enter(table, "np.count_nonzero", np_count_nonzero);
  enter(table, "np.average", np_average);
  const auto nans = [&](std::string_view name, Op op, double neutral) {
    enter(table, name, [=](const Call& call) { return nan_reduction(call, op, neutral); });
  };
  nans("np.nansum", Op::sum, 0);
  nans("np.nanprod", Op::prod, 1);
  nans("np.nanmax", Op::max, -kInfinity);
  nans("np.nanmin", Op::min, kInfinity);
  enter(table, "np.nanmean np.nanvar np.nanstd", nan_moment);
  enter(table, "np.nanargmax np.nanargmin", nan_index);
  enter(table, "np.cov", np_cov);
  enter(table, "np.corrcoef", np_corrcoef);
  enter(table, "np.diff", np_diff);
  enter(table, "np.gradient", np_gradient);
  enter(table, "np.trapz np.trapezoid", np_trapz);
  enter(table, "np.cumulative_sum np.cumulative_prod", cumulative);
  enter(table, "np.convolve np.correlate", convolution);
  enter(table, "np.cumsum np.cumprod .cumsum .cumprod np.nancumsum np.nancumprod", cumulated);
}

}  // namespace rewriter
