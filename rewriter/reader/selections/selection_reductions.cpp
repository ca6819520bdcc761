// Reductions of masked selections.
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/selections/selection_calls.hpp"
#include "rewriter/reader/selections/windows.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

const cudamat::OpRow* reduction_named(std::string_view name) {
  for (const cudamat::OpRow& row : cudamat::kOpTable)
    if (row.family == cudamat::Family::Reduction && has_word(row.numpy, name)) return &row;
  return nullptr;
}

/// What takes no part in the reduction.
Array neutral(Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case Op::max:
      return {-infinity};
    case Op::min:
      return {infinity};
    case Op::prod:
    case Op::all:
      return Array::number(1, DType::Bool);
    default:
      return Array::number(0, DType::Bool);
  }
}

/// The same over the mask's axes, and over all others if `everything`.
Array summed(Op op, const Array& a, const Selection& s, bool everything) {
  if (everything || s.mask.ndim() == a.ndim()) return reduce(op, a);
  std::vector<int> axes;
  for (int axis = 0; axis < s.mask.ndim(); ++axis) axes.push_back(s.first + axis);
  return axes.size() == 1 ? reduce(op, a, s.first) : reduce_over(op, a, axes);
}

/// The value, if the mask selects anything: the run fails where NumPy has no value.
Array if_any(const Array& value, const Selection& selection) {
  const Array one = checked(Array(1), selection.count() > 0);
  return map(Op::mult, value, one.as_float());  // which keeps the sign of a zero
}

/// How many elements are reduced to one.
Array reduced_count(const Selection& s, bool everything) {
  return s.count() * Array(everything ? static_cast<double>(s.others()) : 1.0);
}

Array mean_of(const Selection& s, bool everything) {
  return reduce_selection(Op::sum, s, everything) / reduced_count(s, everything);
}

Array variance_of(const Selection& s, bool everything, double ddof) {
  Array mean = mean_of(s, everything);
  if (!everything) {  // an axis of one element for each of the mask's
    Dims dims = mean.shape();
    dims.insert(dims.begin() + s.first, static_cast<std::size_t>(s.mask.ndim()), 1);
    mean = mean.reshape(std::move(dims));
  }
  const Array apart = s.whole - mean;
  const Selection squares{apart * apart, s.mask, s.first};
  return reduce_selection(Op::sum, squares, everything) /
         maximum(reduced_count(s, everything) - Array(ddof), Array(0.0));
}

}  // namespace

std::optional<Value> python_reduction(const Call& call, const Selection& given) {
  if (!has_word("sum max min", call.name)) return std::nullopt;
  const bool sums = call.name == "sum";
  const auto bound = sums ? call.bind({"iterable", "start"}, 1) : call.bind({"iterable"}, 1);
  if (given.first > 0) {
    if (!sums)
      misuse(Exception::ValueError, call.name, "compares rows: the truth of an array is ambiguous");
    Call of_rows{"np.sum", {*bound[0]}, {{"axis", {std::int64_t{0}}}}, call.steps};
    const Value sum = call_function(of_rows);
    return bound[1] == nullptr ? sum : binary_operator(ast::Operator::Add, *bound[1], sum);
  }
  const Selection s = given.rest() > 0 && given.mask.ndim() == 1 ? given : in_one_axis(given);
  if (!sums && s.rest() > 0)
    misuse(Exception::ValueError, call.name, "compares rows: the truth of an array is ambiguous");
  const Op op = sums ? Op::sum : call.name == "max" ? Op::max : Op::min;
  Array result = reduce_selection(op, s, false);
  if (sums && s.rest() > 0 && is_narrow(s.whole.dtype()))
    result = detail::as_integers(result, s.whole.dtype());
  if (sums && s.rest() == 0 && is_narrow(s.whole.dtype()))  // 0 + x
    result = s.whole.dtype() == DType::Uint64 ? result.as_float() : result.as_type(DType::Int);
  if (sums && result.dtype() == DType::Float) result = result + 0.0;  // Python begins with 0
  const Value made = new_array(result);
  return bound.size() < 2 || bound[1] == nullptr
             ? made
             : binary_operator(ast::Operator::Add, *bound[1], made);
}

std::optional<Value> selection_reduction(const Call& call, const Selection& s) {
  const std::string_view full = call.name;
  const std::string_view name = full.substr(full.rfind('.') == full.npos ? 0 : full.rfind('.') + 1);
  const cudamat::OpRow* row = reduction_named(call.name);
  const bool spread = name == "var" || name == "std";
  if (row == nullptr && !spread) return std::nullopt;
  const auto bound = call.bind({"a", "axis", "dtype", "out", "ddof", "keepdims"}, 1);
  const Value* axis = bound[1];
  const Value* keepdims = bound[5];
  if (bound[3] != nullptr)
    misuse(call.name, "of a masked selection supports only the axis argument");
  bool everything = axis == nullptr;
  if (axis != nullptr) {
    (void)axis_of(call, s, *axis);  // the mask's: beside_mask has others
    everything = s.first + s.rest() == 0;
  }
  const auto kept = [&](const Array& result) {
    if (!flag(keepdims)) return result;
    Dims dims(static_cast<std::size_t>(s.whole.ndim() - s.mask.ndim() + 1), 1);
    for (int at = 0; at < s.whole.ndim() - s.mask.ndim() && !everything; ++at)
      dims[static_cast<std::size_t>(at < s.first ? at : at + 1)] = result.shape(at);
    return result.reshape(std::move(dims));
  };
  const double ddof = spread && bound[4] != nullptr ? bound[4]->real() : 0;
  const auto dtype = dtype_argument(bound[2]);
  if (spread) float_dtype_argument(call, bound[2]);
  const bool sums = !spread && has_word("sum prod mean", row->name);
  if (dtype && !spread && !sums)
    misuse(Exception::TypeError, call.name, "got an unexpected keyword argument 'dtype'");
  if (dtype && sums && row->op == Op::mean && *dtype != DType::Float && *dtype != DType::Int)
    misuse(
        call.name,
        "dtype= of a mean must be a type of floats or int64; np.sum(a, dtype=...) takes any type");
  if (dtype && sums) {
    const Array typed = converted(s.whole, *dtype);
    return new_array(
        kept(converted(reduce_selection(row->op, {typed, s.mask, s.first}, everything), *dtype)));
  }
  if (!spread) return new_array(kept(reduce_selection(row->op, s, everything)));
  const Array variance = variance_of(s, everything, ddof);
  return new_array(kept(name == "std" ? map(Op::sqrt, variance) : variance));
}

Array reduce_selection(Op op, const Selection& s, bool everything) {
  if (op == Op::mean) return mean_of(s, everything);
  const bool of_truth = cudamat::row(op).has(cudamat::kTruth);
  const Array whole = of_truth ? detail::truth(s.whole) : s.whole;
  const Selection truths{whole, s.mask, s.first};
  const auto window = window_of(s);
  Array result = window ? reduce_window(op, truths, *window, neutral(op), everything)
                        : summed(op, truths.with(neutral(op)), s, everything);
  if (op != Op::max && op != Op::min) return result;
  const Array checked = if_any(result, s);
  return s.whole.dtype() == DType::Bool ? detail::truth(checked) : checked.as_type(s.whole.dtype());
}

}  // namespace rewriter
