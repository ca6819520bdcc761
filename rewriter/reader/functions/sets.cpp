// Functions of the notation that find, choose and write by masks and places, and sets of elements.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Array as_truth(const Array& a) {
  return a.dtype() == DType::Bool ? a : not_equal(a, Array(0));
}

// ---- places ----

/// Where the elements are that are not 0: a row of places for each.
Value np_argwhere(const Call& call) {
  const Array a = array_argument(call, call.bind()[0], "a");
  if (a.ndim() == 0) misuse(call.name, "takes an array of one dimension or more");
  std::vector<Array> columns;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    Dims own(a.shape().size(), 1);
    own[static_cast<std::size_t>(axis)] = a.shape(axis);
    const Array counted = counting(0, 1, a.shape(axis));
    columns.push_back(broadcast_to(own.size() == 1 ? counted : counted.reshape(own), a.shape())
                          .reshape({a.size(), 1}));
  }
  return subscript(new_array(columns.size() == 1 ? columns[0] : concatenate(columns, 1)),
                   {new_array(as_truth(raveled(a)))});
}

// ---- choices ----

/// Each element of the array of that number; the run raises an error for other numbers.
Value np_choose(const Call& call) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "a");
  if (a.dtype() == DType::Float) misuse(call.name, "the indices of the choices must be ints");
  const std::vector<Array> choices = arrays_argument(call, *bound[1]);
  if (choices.empty()) misuse(call.name, "needs choices");
  const auto count = static_cast<Index>(choices.size());
  Array at = a.as_type(DType::Int);
  if (at.is_number()) at = full({}, at.node()->number, DType::Int);
  const detail::Bounds values = detail::bounds(*a.node());
  if (values.least < 0 || values.greatest >= static_cast<double>(count)) {
    const Array inside =
        where(at < Array(0), Array(count), at);  // NumPy raises an error for those below 0
    const Array flat = inside.reshape({inside.size()});
    at = take(counting(0, 1, count), flat).reshape(at.shape());
  }
  Array result = choices.back();
  for (std::size_t k = choices.size() - 1; k-- > 0;)
    result = where(equal(at, Array(static_cast<std::int64_t>(k))), choices[k], result);
  if (choices.size() == 1) result = where(equal(at, at), result, result);
  return new_array(result);
}

// ---- writes ----

/// As many of the values, one after the other, again and again.
Array repeated_to(const Call& call, const Array& values, Index count) {
  Array flat = raveled(values);
  const Index size = flat.size();
  if (size == 0) misuse(call.name, "v must not be empty");
  if (size == count) return flat;
  npmat::Array<double> places{{count}, {}};
  for (Index i = 0; i < count; ++i) places.data.push_back(static_cast<double>(i % size));
  return take(flat, written_out(std::move(places), DType::Int));
}

/// a.flat[indices] = values
Value np_put(const Call& call) {
  const auto bound = call.bind();
  if (const auto* mode = bound[3]->as<std::string>(); mode == nullptr || *mode != "raise")
    misuse(call.name, "only mode='raise' is supported");
  const Array a = array_argument(call, bound[0], "a");
  const Array at = raveled(array_argument(call, bound[1], "ind"));
  const Array values = array_argument(call, bound[2], "v");
  if (at.size() == 0) return {};
  const Value flat = new_array(raveled(a).copy());
  assign_subscript(
      flat, {new_array(at)},
      new_array(values.size() == 1 ? values.reshape({}) : repeated_to(call, values, at.size())));
  write_whole(call, *bound[0], (*flat.as<ObjectPtr>())->read().reshape(a.shape()));
  return {};
}

// ---- windows ----

/// In NumPy a view of all windows, which may not be written to.
Value sliding_windows(const Call& call) {
  const auto bound = call.bind();
  if (flag(bound[4])) misuse(call.name, "writeable=True is not supported");
  const ObjectPtr object = object_argument(call, bound[0]);
  Array a = object->read();
  const Dims windows = dims_of(call, *bound[1]);
  std::vector<int> axes;
  if (bound[2] != nullptr) {
    const auto* several = bound[2]->as<Sequence>();
    for (const Value& each : several != nullptr ? several->items : Items({*bound[2]}))
      axes.push_back(
          detail::normalize_axis(call.name, static_cast<int>(each.integer("an axis")), a.ndim()));
  } else {
    for (int axis = 0; axis < a.ndim(); ++axis) axes.push_back(axis);
  }
  if (axes.size() != windows.size())
    misuse(Exception::ValueError, call.name,
           "Must provide matching length window_shape and axis; got {} and {}", windows.size(),
           axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const int axis = axes[k];
    const Index width = windows[k], count = a.shape(axis) - width + 1;
    if (width < 0)
      misuse(Exception::ValueError, call.name,
             "values in `window_shape` cannot contain negative values");
    if (count < 1)
      misuse(Exception::ValueError, call.name,
             "window shape cannot be larger than input array shape");
    npmat::Array<double> places{{count * width}, {}};
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < width; ++j) places.data.push_back(static_cast<double>(i + j));
    if (places.data.empty()) misuse(call.name, "an empty window is not supported");
    Dims dims = a.shape();
    dims[static_cast<std::size_t>(axis)] = count;
    dims.insert(dims.begin() + axis + 1, width);
    a = take(a, written_out(std::move(places), DType::Int), axis).reshape(std::move(dims));
    std::vector<int> order;
    for (int other = 0; other < a.ndim(); ++other)
      if (other != axis + 1) order.push_back(other);
    order.push_back(axis + 1);
    if (axis + 2 < a.ndim()) a = a.transpose(order);
  }
  const std::string why =
      "these windows are a view of the array in NumPy; writing to it is not supported; take a copy "
      "of them";
  const Value view = new_array_unless_shared(a, object, why, false);
  (*view.as<ObjectPtr>())->refuse_writes(why);  // NumPy's is read-only
  return view;
}

/// The elements in the order of memory, which are not written to.
Value np_nditer(const Call& call) {
  const auto bound = call.bind();
  const ObjectPtr object = object_argument(call, bound[0]);
  const auto* flags = bound[1] == nullptr ? nullptr : bound[1]->as<Sequence>();
  const auto* named =
      flags == nullptr || flags->items.size() != 1 ? nullptr : flags->items[0].as<std::string>();
  if (named != nullptr && *named == "multi_index" && object->contiguous()) {
    Sequence shape;
    for (const Index extent : object->shape()) shape.items.push_back({extent});
    Dict places;
    places.type = kPlaces;
    set_key(places, {std::string("shape")}, {std::move(shape)});
    set_key(places, {std::string("at")}, {std::int64_t{0}});
    return {std::move(places)};
  }
  if (bound[1] != nullptr || bound[2] != nullptr)
    misuse(call.name,
           "iterates over the elements of an array, or with flags=['multi_index'] over indices; "
           "np.ndindex iterates over indices");
  if (!object->contiguous())
    misuse(call.name,
           "iterates in the order of memory, which is not known; np.ravel(x) is in C order");
  return {Iteration{Iteration::Kind::Rows, Items({new_array(raveled(object->read()))})}};
}

}  // namespace

void enter_sets(FunctionTable& table) {
  enter(table, Topic::Places,
        {{"np.argwhere", "a", np_argwhere},
         {"np.choose .choose", "a, choices", np_choose, kEachPart},
         {"np.put .put", "a, ind, v, mode='raise'", np_put},
         {"np.nditer", "op, flags=None, op_flags=None", np_nditer},
         {"np.lib.stride_tricks.sliding_window_view",
          "x, window_shape, axis=None, subok=False, writeable=False", sliding_windows}});
}

}  // namespace rewriter
