// Functions of the notation that find medians and quantiles.
#include <algorithm>
#include <array>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

void refuse_out(const Call& call, const Value* out) {
  if (out != nullptr) misuse(call.name, "out= is not supported; assign the result");
}

/// Of all elements, for fractions of the run.
Array quantile_at_run(const Array& a, const Array& fractions) {
  const Index n = a.size();
  const Array sorted = sort(raveled(a).as_float(), 0), q = fractions.reshape({-1});
  const Array fits = reduce(Op::all, logical_and(logical_not(q < 0), logical_not(q > 1)));
  const Array place = q * Array(static_cast<double>(n - 1));
  const Array before = checked(map(Op::floor, place).as_type(DType::Int), fits);
  const Array low = take(sorted, before.as_type(DType::Int));
  const Array high = take(sorted, minimum(before + 1, Array(n - 1)).as_type(DType::Int));
  const Array t = place - map(Op::floor, place), difference = high - low;
  const Array found =
      fractions.dtype() != DType::Float
          ? low
          : where(t < Array(0.5), low + difference * t, high - difference * (Array(1.0) - t));
  const Array last = sorted.slice({{n - 1, n}});  // NaN, if any is
  return where(not_equal(last, last), last, found).reshape(fractions.shape());
}

Value np_median(const Call& call) {
  const auto bound = call.bind();
  refuse_out(call, bound[2]);
  if (flag(bound[3])) misuse(call.name, "overwrite_input=True is not supported");
  const Array a = array_argument(call, bound[0], "a");
  return new_array(over_axes(call, a, bound[1], flag(bound[4]), median));
}

/// One fraction, or several along a new first axis.
Value np_quantile(const Call& call, double of) {
  const auto bound = call.bind();
  refuse_out(call, bound[3]);
  std::string method = "linear";
  for (const Value* given : {bound[5], bound[7]}) {
    if (given == nullptr) continue;
    const auto* text = given->as<std::string>();
    if (text == nullptr || !is_quantile_method(*text))
      misuse(call.name, "the method {} is not supported; 'linear', NumPy's default, is",
             text != nullptr ? *text : given->description());
    method = *text;
  }
  if (flag(bound[4])) misuse(call.name, "overwrite_input=True is not supported");
  const Array a = array_argument(call, bound[0], "a");
  if (a.dtype() == DType::Bool)
    misuse(Exception::TypeError, call.name,
           "numpy boolean subtract, the `-` operator, is not supported");
  if (a.size() == 0)
    misuse(Exception::IndexError, call.name,
           "index -1 is out of bounds for an axis with size 0: the array is empty");
  // NumPy computes with ints where both are.
  const auto typed = [&](const Array& found, DType q) {
    const bool is_whole = of == 1 && q != DType::Float && is_integer(a.dtype());
    return is_whole ? detail::as_integers(found, a.dtype()) : found;
  };
  // of an int NumPy takes an element, and interpolates nothing
  const std::string element = of == 1 && method == "linear" ? "lower" : method;
  const auto at = [&](double q, bool is_int) {
    if (!(q >= 0 && q <= of))
      misuse(Exception::ValueError, call.name, "{} must be in the range [0, {}]; got {}",
             of == 1 ? "quantiles" : "percentiles", of, q);
    return over_axes(call, a, bound[2], flag(bound[6]),
                     [&](const Array& rows, std::optional<int> axis, bool keepdims) {
                       return quantile(rows, q / of, axis, keepdims, is_int ? element : method);
                     });
  };
  if (bound[1]->is_number())
    return new_array(typed(at(bound[1]->real(), !bound[1]->is_real()),
                           bound[1]->is_real() ? DType::Float : DType::Int));
  const Array q = array_argument(call, bound[1], "q");
  if (q.ndim() > 0) asked_float_bits = joint_width(std::array{*bound[0], *bound[1]});
  const bool of_all = (bound[2] == nullptr || a.ndim() == 1) && method == "linear";
  if (q.node()->kind != Kind::Constant && q.ndim() < 2 && of_all && !flag(bound[6]) && a.size() > 0)
    return new_array(typed(quantile_at_run(a, of == 1 ? q : q / Array(of)), q.dtype()));
  if (q.node()->kind != Kind::Constant || q.ndim() > 1)
    misuse(call.name, "q must be a number or a list of numbers known when the program is read");
  std::vector<Array> rows;
  std::visit(
      [&](const auto& array) {
        for (const auto each : array.data) {
          const Array row = at(static_cast<double>(each), q.dtype() != DType::Float);
          Dims dims = row.shape();
          dims.insert(dims.begin(), 1);
          rows.push_back(row.reshape(dims));
        }
      },
      *q.node()->data);
  if (rows.empty()) misuse(call.name, "q has no elements");
  const Array all = typed(concatenate(rows), q.dtype());
  if (q.ndim() == 1) return new_array(all);
  return new_array(all.slice({index_range(0, 1)}));
}

}  // namespace

void enter_quantiles(FunctionTable& table) {
  const char* const of_quantile =
      "a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, "
      "interpolation=None";
  enter(table, Topic::Order,
        {{"np.median", "a, axis=None, out=None, overwrite_input=False, keepdims=False", np_median,
          kAlongAxis},
         {"np.percentile", of_quantile, with(np_quantile, 100.0), kAlongAxis | kOldDoubles},
         {"np.quantile", of_quantile, with(np_quantile, 1.0), kAlongAxis | kOldDoubles}});
}

}  // namespace rewriter
