// Functions of the notation that take elements by their places, and those that make such places.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/selections/selection_calls.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

// ---- np.c_[...] and its kin ----

/// What start:stop:step of numbers counts, as np.r_ and np.mgrid have it.
struct Counted {
  Value start{std::int64_t{0}}, stop, step{std::int64_t{1}};
  std::optional<Index> count{};

  Counted(const std::string& name, const Slice& slice) {
    const std::optional<Affine>* const bounds[] = {&slice.start, &slice.stop, &slice.step};
    Value* const parts[] = {&start, &stop, &step};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!slice.numbers.empty()) {
        if (!slice.numbers[i].is_none()) *parts[i] = slice.numbers[i];
      } else if (*bounds[i]) {
        *parts[i] = integer_value(**bounds[i]);
      }
      if (i == 2) take_count(*parts[i]);
      if (!parts[i]->is_number())
        misuse(name,
               "its start, stop and step must be numbers that are known when the program is read");
    }
    if (step.real() == 0) misuse(Exception::ZeroDivisionError, name, "the step must not be 0");
  }

  [[nodiscard]] DType dtype() const {
    return count || start.is_real() || stop.is_real() || step.is_real() ? DType::Float : DType::Int;
  }
  /// How many; below 0 where the stop is before the start.
  [[nodiscard]] Index steps() const {
    if (count) return *count;
    return static_cast<Index>(std::ceil((stop.real() - start.real()) / step.real()));
  }
  [[nodiscard]] Array array() const {
    if (count) return linspace(start.real(), stop.real(), *count);
    return arange(start.real(), stop.real(), step.real(), dtype());
  }
  /// As np.mgrid computes them.
  [[nodiscard]] Array grid(DType type) const {
    const double apart = stop.real() - start.real();
    const auto points = [&](double by, Index of) {
      npmat::Array<double> data{{of}, {}};
      for (Index i = 0; i < of; ++i)
        data.data.push_back(static_cast<double>(i) * by + start.real());
      return written_out(std::move(data), type);
    };
    if (count) return points(*count > 1 ? apart / static_cast<double>(*count - 1) : apart, *count);
    return points(step.real(), std::max<Index>(steps(), 0));
  }

 private:
  /// A step of 5j means 5 numbers from the start to the stop.
  void take_count(Value& step_given) {
    const auto* z = step_given.as<Complex>();
    if (z == nullptr || !z->parts[1].is_number()) return;
    count = static_cast<Index>(std::abs(z->parts[1].real()));
    step_given = {std::int64_t{1}};
  }
};

/// The index, of which a tuple is its items.
std::vector<Value> items_of(const Call& call) {
  const auto* tuple = call.arguments.size() == 1 ? call.arguments[0].as<Sequence>() : nullptr;
  const std::vector<Value> items =
      tuple != nullptr && !tuple->list ? elements_of(Value{*tuple}) : call.arguments;
  if (items.empty()) misuse(call.name, "needs an index");
  return items;
}

/// np.c_ and np.r_ of masked selections.
Value joined_selections(const Call& call, bool columns, std::vector<Value> items) {
  for (Value& item : items)
    if (!columns && item.is_data() &&
        (item.as<ObjectPtr>() == nullptr || (*item.as<ObjectPtr>())->shape().empty()))
      item = new_array(to_array(item, "an element").reshape({1}));
  return call_function({columns ? "np.column_stack" : "np.concatenate",
                        {new_sequence(false, std::move(items))},
                        {},
                        call.steps});
}

Value joined_by_index(const Call& call, bool columns) {
  const std::string& name = call.name;
  const std::vector<Value> index = items_of(call);
  if (std::any_of(index.begin(), index.end(), is_selection))
    return joined_selections(call, columns, index);
  if (std::any_of(index.begin(), index.end(), holds_complex)) {
    const auto of = [&](const char* part) {
      Call real = call;
      real.arguments.clear();
      for (const Value& item : index)
        real.arguments.push_back(
            item.as<Slice>() != nullptr ? item : call_function({part, {item}, {}, call.steps}));
      return joined_by_index(real, columns);
    };
    return new_complex(of("np.real"), of("np.imag"));
  }
  std::vector<Array> parts;
  bool has_numbers = false;
  for (const Value& item : index) {
    const auto* slice = item.as<Slice>();
    if (item.as<std::string>() != nullptr)
      misuse(name,
             "strings as items of np.r_ and np.c_ are not supported; np.concatenate takes an axis");
    Array part =
        slice != nullptr ? Counted(name, *slice).array() : to_array(item, "a part to join");
    const bool is_number = part.ndim() == 0;
    has_numbers = has_numbers || is_number;
    if (part.is_number()) part = full({}, part.node()->number, part.dtype());
    if (is_number)
      part = part.reshape(columns ? Dims{1, 1} : Dims{1});
    else if (columns && part.ndim() == 1)
      part = part.reshape({-1, 1});
    parts.push_back(part);
  }
  for (const Array& part : parts)
    if (has_numbers) detail::refuse_narrow(name, part.dtype());
  const bool ordered =
      std::all_of(index.begin(), index.end(), [](const Value& item) { return contiguous(&item); });
  return new_array(
      concatenate(parts, parts[0].ndim() - 1 < 0 || !columns ? 0 : parts[0].ndim() - 1), ordered);
}

Value grid_of(const Call& call, bool is_open) {
  const std::string& name = call.name;
  const std::vector<Value> index = items_of(call);
  std::vector<Counted> ranges;
  DType type = DType::Int;
  for (const Value& item : index) {
    if (item.as<Slice>() == nullptr)
      misuse(name, "takes ranges, as in {}[0:3, 0:4]; got {}", name, item.description());
    ranges.emplace_back(name, *item.as<Slice>());
    type = std::max(type, ranges.back().dtype());
  }
  if (ranges.size() == 1) return new_array(ranges[0].array());
  std::vector<Array> axes;
  Dims all;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!is_open && ranges[i].steps() < 0)
      misuse(Exception::ValueError, name, "negative dimensions are not allowed");
    axes.push_back(ranges[i].grid(type));
    all.push_back(axes[i].size());
  }
  std::vector<Array> parts;
  Sequence open{numpy_version() < 2, {}};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    Dims own(ranges.size(), 1);
    own[i] = all[i];
    const Array laid = axes[i].reshape(own);
    open.items.push_back(new_array(laid));
    parts.push_back(with_axis(broadcast_to(laid, all), 0));
  }
  if (is_open) return {std::move(open)};
  return new_array(concatenate(parts));
}

/// np.s_ and np.index_exp: the index itself, or a tuple of its items.
Value index_of(const Call& call, bool is_bare) {
  return is_bare && call.arguments.size() == 1 ? call.arguments[0]
                                               : new_sequence(false, call.arguments);
}

// ---- places ----

/// The values of an array that is known; nothing of others.
std::optional<std::vector<double>> known_numbers(const Array& a) {
  const Node& node = *a.node();
  if (a.size() == 0) return std::vector<double>{};
  if (node.kind == Kind::Number || node.kind == Kind::Fill)
    return std::vector<double>(static_cast<std::size_t>(a.size()), node.number);
  if (node.data == nullptr) return std::nullopt;
  std::vector<double> numbers;
  std::visit([&](const auto& data) { numbers.assign(data.data.begin(), data.data.end()); },
             *node.data);
  return numbers;
}

Array written_places(const std::vector<Index>& places) {
  npmat::Array<double> data{{std::ssize(places)}, {}};
  for (const Index place : places) data.data.push_back(static_cast<double>(place));
  return written_out(std::move(data), DType::Int);
}

/// Where a known mask holds.
Array places_of(const Call& call, const Array& mask) {
  const auto known = known_numbers(mask);
  if (!known) misuse(call.name, "the number of indices of a mask is known only at run time");
  std::vector<Index> places;
  for (std::size_t i = 0; i < known->size(); ++i)
    if ((*known)[i] != 0) places.push_back(static_cast<Index>(i));
  return written_places(places);
}

Array indices_argument(const Call& call, const Value* value) {
  Value given = *value;
  if (given.as<RangeValue>() != nullptr || given.as<Sequence>() != nullptr)
    given = new_sequence(true, elements_of(given));
  if (const auto* list = given.as<Sequence>(); list != nullptr && list->items.empty())
    return counting(0, 1, 0);
  const Array indices = to_array(given, "the indices");
  if (indices.dtype() == DType::Float)
    misuse(call.name, "the indices must be integers; got floats");
  return indices;
}

/// The index tuples of an array of this shape, the last axis fastest.
std::vector<std::vector<Value>> all_places(const Call& call, const Dims& dims) {
  constexpr Index kMost = 1'000'000;
  for (const Index extent : dims)
    if (extent < 0) misuse(Exception::ValueError, call.name, "negative dimensions are not allowed");
  const Index count = npmat::element_count(dims);
  if (count > kMost) misuse(call.name, "{} indices are too many to be unrolled", count);
  std::vector<std::vector<Value>> places;
  for (Index i = 0; i < count; ++i) {
    std::vector<Value> place(dims.size());
    Index rest = i;
    for (std::size_t axis = dims.size(); axis-- > 0; rest /= dims[axis])
      place[axis] = {rest % dims[axis]};
    places.push_back(std::move(place));
  }
  return places;
}

Value np_ndindex(const Call& call) {
  std::vector<Value> items;
  const Dims dims = call.arguments.empty() ? Dims{} : dims_of_rest(call, 0);
  for (std::vector<Value>& place : all_places(call, dims))
    items.push_back(new_sequence(false, std::move(place)));
  return gone_through(std::move(items));
}

Value np_ndenumerate(const Call& call) {
  const Value array{object_argument(call, call.bind()[0])};
  std::vector<Value> items;
  for (std::vector<Value>& place : all_places(call, (*array.as<ObjectPtr>())->shape())) {
    const Value element = subscript(array, place);
    items.push_back(new_sequence(false, {new_sequence(false, std::move(place)), element}));
  }
  return gone_through(std::move(items));
}

/// The same, where the run raises an error for what is not among `count` places.
Array checked_places(const Array& places, Index count) {
  Array ints = converted(places, DType::Int);
  const Node& node = *ints.node();
  const bool finds = node.kind == Kind::Reduce && (node.op == Op::argmax || node.op == Op::argmin);
  if (known_numbers(ints) || (finds && node.args[0]->size() <= count)) return ints;
  const Array none_below = choice(ints < Array(0), ints - Array(count), ints);
  return take(counting(0, 1, count), none_below.reshape({-1})).reshape(ints.shape());
}

void check_known(const Call& call, const Array& places, Index count) {
  if (const auto known = known_numbers(places))
    for (const double place : *known)
      if (place < 0 || place >= static_cast<double>(count))
        misuse(Exception::ValueError, call.name, "index {} is out of bounds for array with size {}",
               place, count);
}

Value np_unravel_index(const Call& call) {
  const auto bound = call.bind();
  const Dims dims = dims_of(call, *bound[1]);
  const Index count = npmat::element_count(dims);
  const Array given = indices_argument(call, bound[0]);
  check_known(call, given, count);
  std::vector<Value> parts(dims.size());
  if (bound[0]->is_number()) {
    Index rest = bound[0]->integer("the index");
    for (std::size_t axis = dims.size(); axis-- > 0; rest /= dims[axis])
      parts[axis] = {rest % dims[axis], true};
    return new_sequence(false, std::move(parts));
  }
  Array rest = checked_places(given, count);
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    const bool first = axis == 0;
    parts[axis] = new_array(first ? rest * Array(1) : mod(rest, Array(dims[axis])));
    if (!first) rest = floor_divide(rest, Array(dims[axis]));
  }
  return new_sequence(false, std::move(parts));
}

Value np_ravel_multi_index(const Call& call) {
  const auto bound = call.bind();
  const Dims dims = dims_of(call, *bound[1]);
  const std::vector<Value> given = elements_of(*bound[0]);
  if (given.size() != dims.size())
    misuse(Exception::ValueError, call.name,
           "parameter multi_index must be a sequence of length {}", dims.size());
  std::optional<Array> sum;
  bool known = true;
  Index stride = 1;
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    const Array places = indices_argument(call, &given[axis]);
    known = known && given[axis].is_number();
    check_known(call, places, dims[axis]);
    const Array part = checked_places(places, dims[axis]) * Array(stride);
    sum = sum ? *sum + part : part;
    stride *= dims[axis];
  }
  if (!sum) misuse(call.name, "needs a dimension or more");
  if (known) return {static_cast<std::int64_t>(sum->node()->number), true};
  return new_array(*sum);
}

Value np_diag_indices_from(const Call& call) {
  const Array a = array_argument(call, call.bind()[0], "arr");
  if (a.ndim() < 2) misuse(Exception::ValueError, call.name, "input array must be at least 2-d");
  for (const Index extent : a.shape())
    if (extent != a.shape(0))
      misuse(Exception::ValueError, call.name, "All dimensions of input must be of equal length");
  return call_function({"np.diag_indices", {{a.shape(0)}, {Index{a.ndim()}}}, {}, call.steps});
}

// ---- taking ----

/// Indices within the axis, as np.take's mode makes them.
Array indices_in_mode(const Call& call, const Array& indices, const Value* mode, Index extent) {
  if (mode == nullptr) return indices;
  const auto* text = mode->as<std::string>();
  if (text != nullptr && *text == "raise") return indices;
  if (text != nullptr && *text == "wrap" && extent > 0) return mod(indices, Array(extent));
  if (text != nullptr && *text == "clip")
    return clip(indices, Array(0), Array(std::max<Index>(extent - 1, 0)));
  misuse(call.name, "mode must be 'raise', 'wrap' or 'clip'");
}

Value np_take(const Call& call) {
  const auto bound = call.bind();
  const ObjectPtr object = object_argument(call, bound[0]);
  Array a = object->read();
  if (bound[2] == nullptr || a.ndim() == 0) a = a.reshape({-1});
  const int axis = one_axis(call, bound[2], a.ndim());
  const Array given = converted(indices_argument(call, bound[1]), DType::Int);
  Array indices = indices_in_mode(call, given, bound[4], a.shape(axis));
  a = as_out(a, bound[3]);
  if (indices.is_number() || (indices.ndim() == 0 && known_numbers(indices))) {
    const auto at = static_cast<Index>(indices.node()->number);
    std::vector<Value> place(static_cast<std::size_t>(axis), Value{Slice{}});
    place.push_back({at});
    const Value part = subscript(new_array(a), place);
    const Array taken = to_array(part, "an element");
    return give(call, taken.ndim() == 0 ? taken : taken.copy(), bound[3]);
  }
  Dims dims(a.shape().begin(), a.shape().begin() + axis);
  dims.insert(dims.end(), indices.shape().begin(), indices.shape().end());
  dims.insert(dims.end(), a.shape().begin() + axis + 1, a.shape().end());
  const bool flat = indices.ndim() == 1;
  const Array taken = take(a, flat ? indices : indices.reshape({-1}), axis);
  if (dims.empty()) return give(call, taken.slice({Range{0, 1, true}}), bound[3]);
  return give(call, flat ? taken : taken.reshape(dims), bound[3]);
}

/// The elements where a condition holds: gathered where that is known, else a selection.
Value compressed(const Call& call, const Value* of, const Value* by) {
  const auto bound = call.bind();
  Array a = array_argument(call, of, "a");
  const Array condition = array_argument(call, by, "condition");
  if (condition.ndim() != 1) misuse(call.name, "condition must be a 1-d array");
  if (bound[2] == nullptr) a = a.reshape({-1});
  const int axis = one_axis(call, bound[2], a.ndim());
  if (condition.size() > a.shape(axis))
    misuse(call.name, "the condition has {} elements, the axis {}", condition.size(),
           a.shape(axis));
  std::vector<Value> index(static_cast<std::size_t>(axis), Value{Slice{}});
  const auto known = known_values(condition.node());
  if (!known) {
    index.push_back(new_array(detail::truth(condition)));
    return subscript(new_array(part(a, axis, 0, condition.size()).copy()), index);
  }
  npmat::Array<double> places{{0}, {}};
  for (std::size_t i = 0; i < known->data.size(); ++i)
    if (known->data[i] != 0) places.data.push_back(static_cast<double>(i));
  if (places.data.empty()) return new_array(part(a, axis, 0, 0).copy());
  places.shape = {std::ssize(places.data)};
  return new_array(take(a, written_out(std::move(places), DType::Int), axis));
}

Value np_compress(const Call& call) {
  const auto bound = call.bind();
  return compressed(call, bound[1], bound[0]);
}

Value compress_method(const Call& call) {
  const auto bound = call.bind();
  return compressed(call, bound[0], bound[1]);
}

// ---- values ----

/// Whether each element is one of the others.
Value np_isin(const Call& call, bool flat) {
  const auto bound = call.bind();
  if (const auto* kind = bound[4] == nullptr ? nullptr : bound[4]->as<std::string>();
      kind != nullptr && *kind != "sort" && *kind != "table")
    misuse(Exception::ValueError, call.name,
           "Invalid kind: '{}'. Please use None, 'sort' or 'table'.", *kind);
  Array a = array_argument(call, bound[0], "element");
  const Array among = array_argument(call, bound[1], "test_elements");
  constexpr Index kMost = Index{1} << 27;
  if (among.size() > 0 && a.size() > kMost / among.size())
    misuse(call.name, "compares each of {} elements with each of {}, which needs too much memory",
           a.size(), among.size());
  if (a.is_number()) a = full({}, a.node()->number, a.dtype());
  const Array others = among.is_number() ? full({1, 1}, among.node()->number, among.dtype())
                                         : among.reshape({1, -1});
  Array found = reduce(Op::any, equal(a.reshape({-1, 1}), others), 1);
  if (flag(bound[3])) found = logical_not(found);
  return new_array(flat || a.ndim() == 1 ? found : found.reshape(a.shape()));
}

Value np_delete(const Call& call) {
  const auto bound = call.bind();
  Array a = array_argument(call, bound[0], "arr");
  if (bound[2] == nullptr) a = a.reshape({-1});
  const int axis = one_axis(call, bound[2], a.ndim());
  const Index extent = a.shape(axis);
  if (bound[1]->is_integer()) {
    const Range gone = index_range(bound[1]->integer("the indices to delete"), extent, axis);
    return new_array(
        concatenate({part(a, axis, 0, gone.start), part(a, axis, gone.stop, extent)}, axis),
        contiguous(bound[0]));
  }
  const Value places =
      bound[1]->as<Slice>() == nullptr
          ? *bound[1]
          : subscript(new_sequence(true, elements_of({RangeValue{0, extent, 1}})), {*bound[1]});
  Array gone = indices_argument(call, &places);
  if (gone.dtype() == DType::Bool && gone.shape() != Dims{extent})
    misuse(Exception::ValueError, call.name,
           "boolean array argument obj to delete must be one dimensional and match "
           "the axis length of {}",
           extent);
  if (gone.dtype() == DType::Bool) gone = places_of(call, gone);
  const auto known = known_numbers(gone);
  if (!known) misuse(call.name, "the indices to delete must be known when the program is read");
  std::vector<bool> keep(static_cast<std::size_t>(extent), true);
  for (const double index : *known)
    keep[static_cast<std::size_t>(index_range(static_cast<Index>(index), extent, axis).start)] =
        false;
  std::vector<Index> kept;
  for (Index i = 0; i < extent; ++i)
    if (keep[static_cast<std::size_t>(i)]) kept.push_back(i);
  return new_array(take(a, written_places(kept), axis),
                   a.ndim() < 2 || (axis == 0 && contiguous(bound[0])));
}

}  // namespace

std::optional<Value> index_trick(const Value& object, const std::vector<Value>& index) {
  const auto* function = object.as<Function>();
  const Row* const row = function == nullptr || function->self ? nullptr : row_of(function->name);
  if (row == nullptr || !row->has(kIsIndexed)) return std::nullopt;
  std::vector<NodePtr> steps;
  return row->handler({function->name, index, {}, steps, nullptr, nullptr, row});
}

void enter_places(FunctionTable& table) {
  enter(table, Topic::Creation,
        {{"np.c_", "*args", with(joined_by_index, true), kIsIndexed},
         {"np.r_", "*args", with(joined_by_index, false), kIsIndexed},
         {"np.mgrid", "*args", with(grid_of, false), kIsIndexed},
         {"np.ogrid", "*args", with(grid_of, true), kIsIndexed}});
  enter(table, Topic::Places,
        {{"np.s_", "*args", with(index_of, true), kIsIndexed},
         {"np.index_exp", "*args", with(index_of, false), kIsIndexed},
         {"np.ndindex", "*shape", np_ndindex},
         {"np.ndenumerate", "arr", np_ndenumerate},
         {"np.unravel_index", "indices, shape", np_unravel_index},
         {"np.ravel_multi_index", "multi_index, dims", np_ravel_multi_index},
         {"np.diag_indices_from", "arr", np_diag_indices_from},
         {"np.take .take", "a, indices, axis=None, out=None, mode=None", np_take,
          kInOrder | kAlongAxis | kEachPart},
         {"np.compress", "condition, a, axis=None", np_compress, kEachPart},
         {".compress", "a, condition, axis=None", compress_method, kEachPart},
         {"np.delete", "arr, obj, axis=None", np_delete, kAlongAxis | kEachPart}});
  const char* const of_set = "assume_unique=False, invert=False, kind=None";
  enter(table, Topic::Order,
        {{"np.isin", fmt::format("element, test_elements, {}", of_set), with(np_isin, false),
          kInOrder},
         {"np.in1d", fmt::format("ar1, ar2, {}", of_set), with(np_isin, true)}});
}

}  // namespace rewriter
