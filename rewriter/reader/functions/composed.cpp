// Methods of NumPy's functions, np.add.outer and its kin, and running results.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// np.add.outer(a, b): each element of a with each of b.
Value outer_of(const Call& call, const std::string& function) {
  const auto bound = call.bind();
  const Value ndim = call_function({"np.ndim", {*bound[1]}, {}, call.steps});
  std::vector<Value> index{{EllipsisValue{}}};
  index.resize(1 + static_cast<std::size_t>(ndim.integer("an array's dimensions")));
  const auto* object = bound[0]->as<ObjectPtr>();
  const bool is_array = is_selection(*bound[0]) || bound[0]->as<Complex>() != nullptr ||
                        (object != nullptr && !(*object)->shape().empty());
  const Value a = is_array ? *bound[0] : new_array(array_argument(call, bound[0], "A"));
  const auto operand = [&](const Value& value) {  // NumPy 2 makes arrays of numbers
    return value.is_number() && numpy_version() >= 2
               ? call_function({"np.asarray", {value}, {}, call.steps})
               : value;
  };
  const Value left = operand(index.size() == 1 ? *bound[0] : subscript(a, index));
  const Value right = operand(*bound[1]);
  if (function == "np.power" && call.caller != nullptr) call.caller->check_power(left, right);
  return call_function({function, {left, right}, {}, call.steps});
}

/// is_flat: of all elements where no axis is given.
Value running_of(const Call& call, Op op, bool is_flat) {
  const auto bound = call.bind();
  Array a = array_argument(call, bound[0], call.row->signature[0].name);
  if (!is_flat && a.ndim() == 0)
    misuse(Exception::TypeError, call.name, "cannot accumulate on a scalar");
  if (!is_flat && bound[1] == nullptr && a.ndim() > 1)
    misuse(call.name, "accumulate does not allow multiple axes");
  const auto dtype = dtype_argument(bound[2]);
  if (dtype) a = converted(a, *dtype);
  if (op == Op::add || op == Op::mult) a = a.as_type(detail::sum_type(a.dtype()));
  if (is_flat && (bound[1] == nullptr || a.ndim() == 0)) a = a.reshape({-1});
  const Index axis = bound[1] == nullptr ? 0 : bound[1]->integer("the axis");
  Array result =
      running(op, a, detail::normalize_axis(call.name, static_cast<int>(axis), a.ndim()));
  if (dtype) result = converted(result, *dtype);
  return give(call, as_out(result.node() == a.node() ? a.copy() : result, bound[3]), bound[3],
              (is_flat && bound[1] == nullptr) || contiguous(bound[0]));
}

/// From each place up to the next; where that is not after it, the element there.
Value reduced_at(const Call& call, Op op) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "array");
  const Array at = array_argument(call, bound[1], "indices");
  const auto places = known_values(at.node());
  if (a.ndim() != 1 || at.ndim() != 1 || at.size() == 0 || !places)
    misuse(call.name,
           "takes an array of one dimension, and indices that are known when the program is read");
  std::vector<Array> parts;
  for (std::size_t i = 0; i < places->data.size(); ++i) {
    const auto begin = static_cast<Index>(places->data[i]);
    const bool is_last = i + 1 == places->data.size();
    const Index end = is_last ? a.size() : static_cast<Index>(places->data[i + 1]);
    if (begin < 0 || begin >= a.size())
      misuse(Exception::IndexError, call.name, "index {} out-of-bounds in {} [0, {})", begin,
             call.name, a.size());
    parts.push_back(reduce(op, part(a, 0, begin, std::max(end, begin + 1)), 0, true));
  }
  return new_array(concatenate(parts));
}

}  // namespace

void enter_composed(FunctionTable& table) {
  for (const std::string_view name :
       {"add",       "subtract",      "multiply",    "divide",     "true_divide",
        "power",     "maximum",       "minimum",     "less",       "less_equal",
        "greater",   "greater_equal", "equal",       "not_equal",  "mod",
        "remainder", "floor_divide",  "logical_and", "logical_or", "logical_xor",
        "arctan2",   "hypot",         "logaddexp",   "fmax",       "fmin"})
    enter(table, Topic::Elementwise,
          {{fmt::format("np.{}.outer", name), "A, B", with(outer_of, fmt::format("np.{}", name)),
            kAnyForm}});
  const char* const by_places = "array, indices, axis=0";
  const char* const of_first = "array, axis=0, dtype=None, out=None";
  constexpr unsigned along = kOfOneAxis | kAlongAxis;
  const char* const of_all = "a, axis=None, dtype=None, out=None";
  enter(table, Topic::Reduction,
        {{"np.add.reduceat", by_places, with(reduced_at, Op::sum), kOfOneAxis | kEachPart},
         {"np.maximum.reduceat", by_places, with(reduced_at, Op::max), kOfOneAxis},
         {"np.minimum.reduceat", by_places, with(reduced_at, Op::min), kOfOneAxis},
         {"np.cumsum .cumsum", of_all, with(running_of, Op::add, true), kAlongAxis | kEachPart},
         {"np.cumprod .cumprod", of_all, with(running_of, Op::mult, true), kAlongAxis},
         {"np.add.accumulate", of_first, with(running_of, Op::add, false), along | kEachPart},
         {"np.multiply.accumulate", of_first, with(running_of, Op::mult, false), along},
         {"np.maximum.accumulate", of_first, with(running_of, Op::maximum, false), along},
         {"np.minimum.accumulate", of_first, with(running_of, Op::minimum, false), along}});
}

}  // namespace rewriter
