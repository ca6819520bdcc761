// Functions of the notation that make arrays which are known when the program is read.
#include <algorithm>
#include <array>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/run_slices.hpp"
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

DType type_of_number(const Value& value) {
  return value.is_real() ? DType::Float : DType::Int;
}

Value made(const Array& array, const Value* dtype) {
  const std::optional<DType> type = dtype_argument(dtype);
  return new_array(type ? converted(array, *type) : array);
}

/// Of ints that depend on loops, where their number does not: the first one and how many follow.
void check_truths(DType dtype, Index count) {
  if (dtype == DType::Bool && count > 2)
    misuse(Exception::TypeError, "arange",
           "is only supported for booleans when the result has at most length 2; got {}", count);
}

Value np_arange_of_loop(const Call& call, const Value& start, const Value& stop,
                        const Value* dtype) {
  const Affine first = start.affine("arange's start");
  const Affine count = stop.affine("arange's stop") - first;
  if (!count.known())
    misuse(call.name, "the array has {} elements; it must be the same in every iteration",
           to_string(count));
  return made(loop_value(first) + arange(0, static_cast<double>(count.constant)), dtype);
}

/// An int of the run whose value follows from what is known is that.
Value known_number(const Value& number) {
  const auto* object = number.as<ObjectPtr>();
  const bool is_int =
      object != nullptr && (*object)->shape().empty() && (*object)->read().dtype() == DType::Int;
  const auto known = is_int ? known_values((*object)->read().node()) : std::nullopt;
  return known ? Value{static_cast<std::int64_t>(known->data[0])} : number;
}

Value np_arange(const Call& call) {
  const auto bound = call.bind();
  const bool lone = bound[1] == nullptr;
  const Value start = lone ? Value{std::int64_t{0}} : known_number(*bound[0]);
  const Value stop = known_number(lone ? *bound[0] : *bound[1]);
  const Value step = known_number(*bound[2]);
  if (start.as<Affine>() != nullptr || stop.as<Affine>() != nullptr) {
    if (!start.is_integer() || !stop.is_integer() || !step.is_number() || step.real() != 1)
      misuse(call.name, "the step must be 1 where the start or the stop depends on a loop");
    return np_arange_of_loop(call, start, stop, bound[3]);
  }
  if (is_run_bound(stop) && start.is_integer() && step.is_number() && bound[3] == nullptr) {
    const Value all = call_function({"range", {start, stop, step}, {}, call.steps});
    const Items& parts = all.as<Iteration>()->parts;
    return select(to_array(parts[0], "np.arange"), to_array(parts[1], "a mask"), 0);
  }
  DType dtype = DType::Int;
  for (const Value* number : {&start, &stop, &step}) {
    if (!number->is_number())
      misuse(
          call.name,
          "the number of elements must be known when the program is read: expects numbers; got {}",
          number->description());
    dtype = std::max(dtype, type_of_number(*number));
  }
  const std::optional<DType> type = dtype_argument(bound[3]);
  if (is_integer(type.value_or(DType::Float)) && dtype == DType::Float)
    misuse(call.name, "NumPy truncates the start and the step; write np.arange of ints");
  const Array array = arange(start.real(), stop.real(), step.real(), dtype);
  check_truths(type.value_or(dtype), array.size());
  return new_array(type ? converted(array, *type) : array);
}

Array along_axis(const Call& call, const Array& array, const Value* axis) {
  if (axis != nullptr && axis->integer(call.name + "'s axis") != 0)
    misuse(call.name, "axis must be 0");
  return array;
}

/// start and stop of linspace: numbers, or arrays that broadcast.
Array spaced(const Call& call, const Value& start, const Value& stop, Index count, bool endpoint) {
  if (start.is_number() && stop.is_number())
    return linspace(start.real(), stop.real(), count, endpoint);
  if (count < 0)
    misuse(Exception::ValueError, call.name, "Number of samples, {}, must be non-negative.", count);
  const Array first = array_argument(call, &start, "start") * Array(1.0);
  const Array last = array_argument(call, &stop, "stop") * Array(1.0);
  const Index parts = endpoint ? count - 1 : count;
  const Array delta = last - first;
  Dims column(1 + delta.shape().size(), 1);
  column[0] = count;
  const Array steps = arange(0, static_cast<double>(count)).as_float().reshape(column);
  const Array step = delta / Array(static_cast<double>(std::max<Index>(parts, 1)));
  Array inner = steps * step + first;
  if (!endpoint || count < 2) return inner;
  Dims row = delta.shape();
  row.insert(row.begin(), 1);
  return concatenate(
      {part(inner, 0, 0, count - 1), broadcast_to(last, delta.shape()).reshape(row)});
}

/// Of a number of elements known only at run time.
Value linspace_at_run(const Call& call, const Value& start, const Value& stop, const Value& num) {
  const Value places = call_function({"np.arange", {num}, {}, call.steps});
  const Selection all = *selection_of(places);
  const Array first = to_array(start, "start").as_float(), last = to_array(stop, "stop").as_float();
  const Array end = to_array(num, "num") - Array(std::int64_t{1});
  const Array step = (last - first) / maximum(end, Array(std::int64_t{1}));
  const Array is_last = logical_and(equal(all.whole, end), end > 0);
  return select(where(is_last, last, all.whole * step + first), all.mask, 0);
}

Value np_linspace(const Call& call) {
  const auto bound = call.bind();
  if (is_run_bound(*bound[2]) && call.arguments.size() == 3 && call.keywords.empty())
    return linspace_at_run(call, *bound[0], *bound[1], *bound[2]);
  const Index count = bound[2]->integer("linspace's num");
  const bool endpoint = flag(bound[3]);
  const Array array =
      along_axis(call, spaced(call, *bound[0], *bound[1], count, endpoint), bound[6]);
  if (is_integer(dtype_argument(bound[5]).value_or(DType::Float)))
    misuse(call.name, "NumPy rounds down; write np.floor(...).astype(int)");
  if (bound[5] == nullptr && numpy_version() >= 2)
    asked_float_bits = joint_width(std::array{*bound[0], *bound[1]});
  Value result = made(array, bound[5]);
  if (!flag(bound[4])) return result;
  const double step =
      (number_argument(call, bound[1], "stop", 0) - number_argument(call, bound[0], "start", 0)) /
      static_cast<double>(endpoint ? count - 1 : count);
  return {Sequence{false, {result, Value{step, true}}}};
}

/// Each of a known array's elements, as `f` makes it.
template <class F>
Array each(const Array& array, const F& f) {
  if (array.node()->data == nullptr) return array;  // empty
  npmat::Array<double> data = std::get<npmat::Array<double>>(*array.node()->data);
  for (double& number : data.data) number = f(number);
  return written_out(std::move(data), DType::Float);
}

Value np_logspace(const Call& call) {
  const auto bound = call.bind();
  const Index count = bound[2]->integer("logspace's num");
  const bool endpoint = flag(bound[3]);
  const double base = number_argument(call, bound[4], "base", 10);
  const Array exponents = linspace(number_argument(call, bound[0], "start", 0),
                                   number_argument(call, bound[1], "stop", 0), count, endpoint);
  return made(each(exponents, [&](double x) { return std::pow(base, x); }), bound[5]);
}

Value np_geomspace(const Call& call) {
  const auto bound = call.bind();
  const double start = number_argument(call, bound[0], "start", 0);
  const double stop = number_argument(call, bound[1], "stop", 0);
  if (start == 0 || stop == 0)
    misuse(Exception::ValueError, call.name, "Geometric sequence cannot include zero");
  if ((start < 0) != (stop < 0)) misuse(call.name, "start and stop must have the same sign");
  const Index count = bound[2]->integer("geomspace's num");
  const bool endpoint = flag(bound[3]);
  const double sign = start < 0 ? -1 : 1;
  const Array exponents =
      linspace(std::log10(sign * start), std::log10(sign * stop), count, endpoint);
  Index at = 0;
  return made(each(exponents,
                   [&](double x) {
                     const Index i = at++;
                     if (i == 0) return start;
                     if (i == count - 1 && endpoint) return stop;
                     return sign * std::pow(10.0, x);
                   }),
              bound[4]);
}

Value np_tri(const Call& call) {
  const auto bound = call.bind();
  std::optional<Index> columns;
  if (bound[1] != nullptr) columns = bound[1]->integer("tri's M");
  const Array ones = tri(bound[0]->integer("tri's N"), columns, bound[2]->integer("tri's k"));
  const auto dtype = dtype_argument(bound[3]);
  if (dtype != DType::Bool) return new_array(dtype ? converted(ones, *dtype) : ones);
  const auto truths = detail::make_like(*ones.node(), ones.shape(), {});
  truths->dtype = DType::Bool;
  return new_array(detail::to_array(truths));
}

Value np_diag_indices(const Call& call) {
  const auto bound = call.bind();
  const Index count = bound[0]->integer("n");
  const Index ndim = bound[1]->integer("ndim");
  Sequence all{false, {}};
  for (Index i = 0; i < ndim; ++i)
    all.items.push_back(new_array(arange(0, static_cast<double>(count))));
  return {std::move(all)};
}

/// Where the elements of a triangle of rows x cols are: two arrays of ints.
Value triangle(Index rows, Index cols, Index k, bool lower) {
  std::vector<double> at[2];
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      if (lower ? j - i <= k : j - i >= k) {
        at[0].push_back(static_cast<double>(i));
        at[1].push_back(static_cast<double>(j));
      }
  Sequence both{false, {}};
  for (std::vector<double>& numbers : at) {
    const auto count = std::ssize(numbers);
    both.items.push_back(new_array(written_out({{count}, std::move(numbers)}, DType::Int)));
  }
  return {std::move(both)};
}

Value triangle_indices(const Call& call, bool lower) {
  const auto bound = call.bind();
  const Index rows = bound[0]->integer("n");
  const Index cols = bound[2] == nullptr ? rows : bound[2]->integer("m");
  return triangle(rows, cols, bound[1]->integer("k"), lower);
}

Value triangle_indices_from(const Call& call, bool lower) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "arr");
  if (a.ndim() != 2) misuse(Exception::ValueError, call.name, "input array must be 2-d");
  return triangle(a.shape(0), a.shape(1), bound[1]->integer("k"), lower);
}

Value np_indices(const Call& call) {
  const auto bound = call.bind();
  const DType dtype = dtype_argument(bound[1]).value_or(DType::Int);
  const std::vector<Value> each = index_arrays(call, *bound[0], dtype);
  if (flag(bound[2])) misuse(call.name, "sparse=True is not supported");
  std::vector<Array> parts;
  for (const Value& index : each) parts.push_back(with_axis(to_array(index, "an index"), 0));
  if (parts.empty()) misuse(call.name, "expects one dimension or more");
  return new_array(concatenate(parts));
}

}  // namespace

std::vector<Value> index_arrays(const Call& call, const Value& shape, DType type) {
  const Dims dims = dims_of(call, shape);
  std::vector<Value> result;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    Dims own(dims.size(), 1);
    own[axis] = dims[axis];
    check_truths(type, dims[axis]);
    const Array counted = arange(0, static_cast<double>(dims[axis]), 1, type);
    result.push_back(
        new_array(broadcast_to(own.size() == 1 ? counted : counted.reshape(own), dims)));
  }
  return result;
}

void enter_known(FunctionTable& table) {
  enter(table, Topic::Creation,
        {{"np.arange", "start, stop=None, step=1, dtype=None", np_arange, kMakesDoubles},
         {"np.linspace", "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0",
          np_linspace, kMakesDoubles | kOfOneAxis | kEachPart},
         {"np.logspace", "start, stop, num=50, endpoint=True, base=10, dtype=None", np_logspace,
          kMakesDoubles},
         {"np.geomspace", "start, stop, num=50, endpoint=True, dtype=None", np_geomspace,
          kMakesDoubles},
         {"np.tri", "N, M=None, k=0, dtype=None", np_tri, kMakesDoubles},
         {"np.indices", "dimensions, dtype=None, sparse=False", np_indices}});
  enter(table, Topic::Places,
        {{"np.tril_indices", "n, k=0, m=None", with(triangle_indices, true)},
         {"np.triu_indices", "n, k=0, m=None", with(triangle_indices, false)},
         {"np.tril_indices_from", "arr, k=0", with(triangle_indices_from, true)},
         {"np.triu_indices_from", "arr, k=0", with(triangle_indices_from, false)},
         {"np.diag_indices", "n, ndim=2", np_diag_indices}});
}

}  // namespace rewriter
