// x[...]: NumPy's basic indexing, on arrays and tuples.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/complex.hpp"
#include "rewriter/reader/objects.hpp"
#include "rewriter/reader/packed.hpp"
#include "rewriter/reader/promotion.hpp"
#include "rewriter/reader/run_slices.hpp"
#include "rewriter/reader/selection_writes.hpp"
#include "rewriter/reader/table.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// An index as NumPy reads it: a range for each axis of the array, then steps on axes of what the
/// ranges leave, and the shape with None's axes in.
struct BasicIndex {
  std::vector<Range> ranges;
  std::vector<std::pair<int, Steps>> steps;
  Dims shape;             ///< of the result
  bool new_axes = false;  ///< shape has axes that None made
  bool ellipsis = false;
};

Affine position(const Value& index) {
  if (index.as<bool>() != nullptr)
    misuse("index", "indexing by a boolean is not supported; an index must be an int");
  if (index.as<ObjectPtr>() != nullptr)
    misuse("index", "the index of a list or tuple must be known when the program is read");
  return index.affine("an index");
}

/// Some iterations would count from the end and others from the start.
void refuse_both_ends(const Affine& at, Index extent) {
  if (at.least() < 0 && at.least() >= -extent && at.greatest() >= 0 && at.greatest() <= extent)
    misuse("index",
           "{} takes values from {} to {}: negative ones count from the end and others from the "
           "start, and one loop can do only one of these; write the iterations in which it is "
           "negative as a loop of their own, or before the loop",
           to_string(at), at.least(), at.greatest());
}

/// A position that depends on loops, counted from the start: not negative in some iterations and
/// positive in others.
Affine from_start(const Affine& at, Index extent) {
  if (at.known())
    return {std::clamp<Index>(at.constant < 0 ? at.constant + extent : at.constant, 0, extent), {}};
  refuse_both_ends(at, extent);
  const Affine counted = at.greatest() < 0 ? at + Affine{extent, {}} : at;
  if (counted.least() < 0 || counted.greatest() > extent)
    misuse("index",
           "{} takes values from {} to {}, which is not within 0 to {}; in a loop a slice must lie "
           "within the axis in every iteration",
           to_string(at), at.least(), at.greatest(), extent);
  return counted;
}

Range moving_range(const Slice& slice, Index extent) {
  const Affine start = from_start(slice.start.value_or(Affine{}), extent);
  const Affine stop = from_start(slice.stop.value_or(Affine{extent, {}}), extent);
  const Affine count = stop - start;
  if (!count.known())
    misuse("index",
           "the slice {}:{} has {} elements; the extent of a slice must be the same in every "
           "iteration",
           to_string(start), to_string(stop), to_string(count));
  return {start.constant, start.constant + std::max<Index>(count.constant, 0), false, start.terms};
}

Range index_position(const Value& index, Index extent, int axis) {
  const Affine at = position(index);
  if (at.known()) return index_range(at.constant, extent, axis);
  const Affine counted = at.greatest() < 0 ? at + Affine{extent, {}} : at;
  if (at.greatest() < extent) refuse_both_ends(at, extent);
  if (counted.least() < 0 || counted.greatest() >= extent)
    misuse("index",
           "index {}, which takes values from {} to {}, is out of bounds for axis {} "
           "with size {}",
           to_string(at), at.least(), at.greatest(), axis, extent);
  return {counted.constant, counted.constant + 1, true, counted.terms};
}

bool is_known(const std::optional<Affine>& bound) {
  return !bound || bound->known();
}

Index ceiling(Index count, Index step) {
  return std::max<Index>((count + step - 1) / step, 0);
}

/// A slice with a negative step, its bounds dependent on loops.
Steps moving_backwards(const Slice& slice, Index step, Index extent) {
  const Affine start = from_start(slice.start.value_or(Affine{extent - 1, {}}), extent);
  const Affine stop = slice.stop ? from_start(*slice.stop, extent) : Affine{-1, {}};
  const Affine count = start - stop;
  if (!count.known() || start.greatest() >= extent)
    misuse("index", "the extent of a slice must be the same in every iteration, within the axis");
  return {start, step, ceiling(count.constant, -step)};
}

/// What start:stop:step takes of an axis, as Python's slice.indices() has it.
Steps steps_of(const Slice& slice, Index extent) {
  const Affine by = slice.step.value_or(Affine{1, {}});
  if (!by.known())
    misuse("index", "the step of a slice must be the same in every iteration; got {}",
           to_string(by));
  const Index step = by.constant;
  if (step == 0) misuse("index", "slice step cannot be zero");
  if (!is_known(slice.start) || !is_known(slice.stop)) {
    if (step < 0) return moving_backwards(slice, step, extent);
    const Range range = moving_range(slice, extent);
    return {{range.start, range.shift}, step, ceiling(range.extent(), step)};
  }
  const Index low = step < 0 ? -1 : 0, high = step < 0 ? extent - 1 : extent;
  const auto bound = [&](const std::optional<Affine>& at, Index otherwise) {
    if (!at) return otherwise;
    const Index index = at->constant;
    return std::clamp<Index>(index < 0 ? index + extent : index, low, high);
  };
  const Index start = bound(slice.start, step < 0 ? high : low);
  const Index stop = bound(slice.stop, step < 0 ? low : high);
  const Index count = step < 0 ? ceiling(start - stop, -step) : ceiling(stop - start, step);
  return {{start, {}}, step, count};
}

BasicIndex basic_index(const Dims& dims, const std::vector<Value>& index) {
  std::size_t given = 0;
  std::size_t ellipses = 0;
  for (const Value& item : index) {
    if (item.as<EllipsisValue>() != nullptr)
      ++ellipses;
    else if (!item.is_none())
      ++given;
  }
  if (ellipses > 1) misuse("index", "an index can only have one ellipsis ('...')");
  if (given > dims.size())
    misuse("index", "too many indices: the array is {}-dimensional, but {} were indexed",
           dims.size(), given);

  BasicIndex result;
  result.ellipsis = ellipses > 0;
  int kept = 0;  // axes that the ranges leave
  const auto take = [&](const Range& range) {
    result.ranges.push_back(range);
    if (range.drops_axis) return;
    result.shape.push_back(range.extent());
    ++kept;
  };
  const auto take_steps = [&](const Steps& steps, Index extent) {
    const auto& [start, step, count] = steps;
    if (step == 1 || count <= 1) {
      const Affine first = count == 0 ? Affine{} : start;
      return take({first.constant, first.constant + count, false, first.terms});
    }
    result.steps.emplace_back(kept, steps);
    take({0, extent});
    result.shape.back() = count;
  };
  const auto take_whole = [&](std::size_t count) {
    for (; count > 0; --count) take({0, dims[result.ranges.size()], false});
  };
  for (const Value& item : index) {
    if (item.as<EllipsisValue>() != nullptr) {
      take_whole(dims.size() - given);
    } else if (item.is_none()) {
      result.shape.push_back(1);
      result.new_axes = true;
    } else {
      const std::size_t axis = result.ranges.size();
      if (const auto* slice = item.as<Slice>())
        take_steps(steps_of(*slice, dims[axis]), dims[axis]);
      else
        take(index_position(item, dims[axis], static_cast<int>(axis)));
    }
  }
  take_whole(dims.size() - result.ranges.size());
  return result;
}

bool whole(const std::vector<Range>& ranges, const Dims& dims) {
  for (std::size_t axis = 0; axis < ranges.size(); ++axis)
    if (ranges[axis].drops_axis || ranges[axis].start != 0 || ranges[axis].stop != dims[axis] ||
        !ranges[axis].shift.empty())
      return false;
  return true;
}

/// Whether the part of an array in C order is in C order.
bool stays_contiguous(const std::vector<Range>& ranges, const Dims& dims) {
  bool in_part = false;  // of an axis so far, from the last
  for (std::size_t axis = ranges.size(); axis-- > 0;) {
    const Index extent = ranges[axis].extent();
    if (extent == 0) return true;
    if (in_part && extent > 1) return false;
    in_part = in_part || extent != dims[axis];
  }
  return true;
}

/// Raises an error for what is not among `size` items of a list or tuple.
void check_item(Index at, Index size, std::string_view kind) {
  if (at >= -size && at < size) return;
  throw PythonError("IndexError", "index",
                    size == 0
                        ? fmt::format("{0} index out of range: the {0} is empty; got {1}", kind, at)
                        : fmt::format("{0} index out of range: the {0} has {1} item{2}; got {3}",
                                      kind, size, size == 1 ? "" : "s", at),
                    {{fmt::format("{} index out of range", kind)}});
}

/// Python's slice of a list or a tuple.
std::vector<Value> sliced(const Items& items, const Slice& slice) {
  const auto size = static_cast<Index>(items.size());
  const auto known = [](const std::optional<Affine>& bound, Index standard) {
    if (bound && !bound->known())
      misuse("index", "a slice of a list must be the same in every iteration; got the bound {}",
             to_string(*bound));
    return bound ? bound->constant : standard;
  };
  const Index step = known(slice.step, 1);
  if (step == 0) misuse("index", "slice step cannot be zero");
  const auto bound = [&](const std::optional<Affine>& given, Index standard) {
    if (!given) return standard;
    const Index at = known(given, 0);
    return std::clamp<Index>(at < 0 ? at + size : at, step > 0 ? 0 : -1,
                             step > 0 ? size : size - 1);
  };
  const Index stop = bound(slice.stop, step > 0 ? size : -1);
  std::vector<Value> result;
  for (Index i = bound(slice.start, step > 0 ? 0 : size - 1); step > 0 ? i < stop : i > stop;
       i += step)
    result.push_back(items[static_cast<std::size_t>(i)]);
  return result;
}

}  // namespace

std::optional<ElementType> element_type_of(const Value& item) {
  const auto* object = item.as<ObjectPtr>();
  if (object != nullptr ? !(*object)->shape().empty() : !item.is_number() && !item.is_integer())
    return std::nullopt;
  return ElementType{to_array(item, "an item").dtype(), is_python_number(item)};
}

namespace {

/// The item at a run-time index, of numbers of one type or of tuples of such.
Value chosen_item(const Items& items, const Value& place) {
  const std::optional<ElementType> type = items.empty() ? std::nullopt : element_type_of(items[0]);
  const bool alike = type && std::all_of(items.begin(), items.end(), [&](const Value& item) {
                       return element_type_of(item) == type;
                     });
  if (alike) {
    const Array all = to_array(new_sequence(false, {items.begin(), items.end()}), "the items");
    const Array item = to_array(subscript(new_array(all), {place}), "an item");
    return type->is_python ? python_number(item) : new_array(item);
  }
  if (!items.empty() && std::all_of(items.begin(), items.end(), is_text)) return chosen_text();
  const auto* first = items.empty() ? nullptr : items[0].as<Sequence>();
  const bool are_tuples =
      first != nullptr && std::all_of(items.begin(), items.end(), [&](const Value& item) {
        const auto* tuple = item.as<Sequence>();
        return tuple != nullptr && !tuple->list && !tuple->is_set &&
               tuple->items.size() == first->items.size();
      });
  if (!are_tuples)
    misuse("index",
           "an index that is known only at run time can select from a list or a tuple of strings, "
           "of numbers of one type, or of tuples of these; np.array(list) makes an array");
  std::vector<Value> parts;
  for (std::size_t k = 0; k < first->items.size(); ++k) {
    std::vector<Value> column;
    for (const Value& item : items) column.push_back(item.as<Sequence>()->items[k]);
    parts.push_back(chosen_item(Items(std::move(column)), place));
  }
  return new_sequence(false, std::move(parts));
}

Value sequence_item(const Sequence& sequence, const std::vector<Value>& index) {
  const std::string kind = sequence.list ? "list" : "tuple";
  const auto size = static_cast<Index>(sequence.items.size());
  if (index.size() != 1) misuse("index", "a {} takes one index; got {}", kind, index.size());
  if (const auto* slice = index[0].as<Slice>())
    return new_sequence(sequence.list, sliced(sequence.items, *slice));
  const auto* place = index[0].as<ObjectPtr>();
  if (place != nullptr && (*place)->shape().empty() && is_integer((*place)->read().dtype()))
    return chosen_item(sequence.items, index[0]);
  const Index at = index[0].integer("an index of a " + kind);
  check_item(at, size, kind);
  return sequence.items[static_cast<std::size_t>(at < 0 ? at + size : at)];
}

ObjectPtr array_object(const Value& object) {
  const auto* array = object.as<ObjectPtr>();
  if (array != nullptr && !(*array)->is_python()) return *array;
  misuse("index", "{} cannot be indexed", object.description());
}

/// The part of the array that the index names; the array itself where that is all of it.
ObjectPtr view(const ObjectPtr& object, const BasicIndex& index) {
  const Dims dims = object->shape();
  ObjectPtr result = object;
  if (!whole(index.ranges, dims)) {
    result =
        std::make_shared<ArrayObject>(result, ViewStep{ViewStep::Kind::Slice, index.ranges},
                                      object->contiguous() && stays_contiguous(index.ranges, dims));
  }
  for (const auto& [axis, steps] : index.steps) {
    ViewStep step{ViewStep::Kind::Steps};
    step.axis = axis;
    step.steps = steps;
    result = std::make_shared<ArrayObject>(result, std::move(step), false);
  }
  if (index.new_axes) {
    result = std::make_shared<ArrayObject>(
        result, ViewStep{ViewStep::Kind::Reshape, {}, index.shape}, result->contiguous());
  }
  return result;
}

// ---- arrays as subscripts

/// A mask or an array of integers; nothing of other indices.
std::optional<Array> array_index(const Value& item) {
  const auto* sequence = item.as<Sequence>();
  const auto* object = item.as<ObjectPtr>();
  if (object == nullptr && sequence == nullptr && item.as<NumberList>() == nullptr)
    return std::nullopt;
  if (sequence != nullptr && sequence->items.empty()) return counting(0, 1, 0);
  Array array = to_array(item, "an index");
  if (array.dtype() == DType::Float)
    misuse("index",
           "arrays used as indices must be of integer (or boolean) type; got floats. An input of "
           "integers comes from a .npy file of them");
  if (array.dtype() == DType::Bool && array.ndim() == 0)
    misuse("index", "indexing by a boolean is not supported; an index must be an int");
  return array;
}

/// One subscript with arrays in it: the same with the arrays' axes whole, and where they go.
struct ArrayIndex {
  struct Pick {
    int axis;  ///< of what the others leave
    Array indices;
  };
  std::vector<Value> others;
  std::vector<Pick> picks;
  std::optional<Array> mask;
  std::size_t mask_axis = 0;  ///< the first one, of what the others leave
  bool goes_first = false;    ///< NumPy puts the arrays' axes first: others stand between them
};

ArrayIndex array_index_of(const Dims& dims, const std::vector<Value>& index) {
  std::vector<std::optional<Array>> arrays;
  std::size_t given = 0;
  for (const Value& item : index) {
    arrays.push_back(array_index(item));
    if (item.as<EllipsisValue>() != nullptr || item.is_none()) continue;
    const bool is_mask = arrays.back() && arrays.back()->dtype() == DType::Bool;
    given += is_mask ? static_cast<std::size_t>(arrays.back()->ndim()) : 1;
  }
  if (given > dims.size())
    misuse("index", "too many indices: the array is {}-dimensional, but {} were indexed",
           dims.size(), given);
  ArrayIndex result;
  int at = 0;  // axes that the others leave so far
  std::optional<std::size_t> first, last;
  for (std::size_t k = 0; k < index.size(); ++k) {
    const Value& item = index[k];
    const bool drops = item.is_integer() && item.as<bool>() == nullptr;
    if (arrays[k] || drops) {
      result.goes_first = result.goes_first || (last && *last + 1 != k);
      if (!first) first = k;
      last = k;
    }
    if (!arrays[k]) {
      result.others.push_back(item);
      if (item.as<EllipsisValue>() != nullptr)
        at += static_cast<int>(dims.size() - given);
      else
        at += drops ? 0 : 1;
      continue;
    }
    const bool is_mask = arrays[k]->dtype() == DType::Bool;
    if (result.mask || (is_mask && !result.picks.empty()))
      misuse(
          "index",
          "a mask and another array in one subscript are not supported; apply one after the other");
    const int axes = is_mask ? arrays[k]->ndim() : 1;
    result.others.insert(result.others.end(), static_cast<std::size_t>(axes), Value{Slice{}});
    if (is_mask) {
      result.mask = arrays[k];
      result.mask_axis = static_cast<std::size_t>(at);
    } else {
      result.picks.push_back({at, *arrays[k]});
    }
    at += axes;
  }
  return result;
}

bool has_arrays(const std::vector<Value>& index) {
  return std::any_of(index.begin(), index.end(),
                     [](const Value& item) { return array_index(item).has_value(); });
}

void check_mask(const Array& mask, const Dims& dims, std::size_t first) {
  for (std::size_t axis = 0; axis < mask.shape().size(); ++axis)
    if (dims[first + axis] != mask.shape()[axis])
      misuse("index",
             "boolean index did not match indexed array along dimension {}; dimension is {} but "
             "corresponding boolean dimension is {}",
             first + axis, dims[first + axis], mask.shape()[axis]);
}

/// What arrays of integers pick: the axes that they index, brought together and made one.
class Picks {
 public:
  Picks(const Dims& dims, const ArrayIndex& index) : dims_(dims) {
    std::optional<Dims> shape = Dims{};
    for (const ArrayIndex::Pick& pick : index.picks) {
      shape = broadcast(*shape, pick.indices.shape());
      if (!shape)
        misuse("index", "shape mismatch: indexing arrays could not be broadcast together");
      axes_.push_back(pick.axis);
    }
    shape_ = *std::move(shape);
    first_ = axes_.front();
    for (int axis = 0; axis < static_cast<int>(dims.size()); ++axis) {
      if (axis == first_) order_.insert(order_.end(), axes_.begin(), axes_.end());
      if (std::count(axes_.begin(), axes_.end(), axis) == 0) order_.push_back(axis);
    }
    for (const int axis : order_) turned_.push_back(dims[static_cast<std::size_t>(axis)]);
    merged_ = turned_;
    const auto at = merged_.begin() + first_;
    for (std::size_t k = 1; k < axes_.size(); ++k) *at *= *(at + static_cast<std::ptrdiff_t>(k));
    merged_.erase(at + 1, at + static_cast<std::ptrdiff_t>(axes_.size()));
    flat_ = flat_index(index);
    place_ = index.goes_first ? 0 : first_;
  }

  /// The elements of `a`, of the shape that NumPy gives them.
  Array read(const Array& a) const {
    const Array taken = take(one_axis(a), flat_, first_);
    if (shape_.empty()) {
      std::vector<Range> ranges;
      for (const Index extent : taken.shape()) ranges.push_back({0, extent});
      ranges[static_cast<std::size_t>(first_)] = {0, 1, true};
      return taken.slice(std::move(ranges));
    }
    Dims dims = taken.shape();
    dims.erase(dims.begin() + first_);
    dims.insert(dims.begin() + first_, shape_.begin(), shape_.end());
    return moved(taken.reshape(std::move(dims)), first_, place_);
  }

  /// `a` with the value there.
  Array write(const Array& a, const Array& value) const {
    Dims result = merged_;
    result.erase(result.begin() + first_);
    Dims wanted = result;
    wanted.insert(wanted.begin() + place_, shape_.begin(), shape_.end());
    Array source = value;
    Dims dims = value.shape();
    while (dims.size() > wanted.size() && dims[0] == 1) dims.erase(dims.begin());
    if (dims != value.shape()) source = source.reshape(dims);
    if (broadcast(dims, wanted) != wanted)
      misuse("setitem", "shape mismatch: value array of shape {} could not be broadcast to {}",
             to_string(value.shape()), to_string(wanted));
    if (!source.is_number() && !source.shape().empty()) {
      source = moved(broadcast_to(source, wanted), place_, first_);
      result.insert(result.begin() + first_, flat_.size());
      source = source.reshape(std::move(result));
    }
    const Array all = put(one_axis(a), flat_, source, first_).reshape(turned_);
    std::vector<int> back(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k)
      back[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
    return all.transpose(back);
  }

 private:
  Array one_axis(const Array& a) const { return a.transpose(order_).reshape(merged_); }

  /// The axes of shape_, from one place to another.
  Array moved(const Array& a, int from, int to) const {
    if (from == to) return a;
    std::vector<int> axes(a.shape().size());
    for (std::size_t k = 0; k < axes.size(); ++k) axes[k] = static_cast<int>(k);
    const auto count = static_cast<std::ptrdiff_t>(shape_.size());
    if (from < to)
      std::rotate(axes.begin() + from, axes.begin() + from + count, axes.begin() + to + count);
    else
      std::rotate(axes.begin() + to, axes.begin() + from, axes.begin() + from + count);
    return a.transpose(axes);
  }

  /// The place along the one axis: from 0, and checked, where there are several.
  Array flat_index(const ArrayIndex& index) const {
    const auto one_dimension = [&](const Array& indices) {
      return broadcast_to(indices, shape_).reshape({npmat::element_count(shape_)});
    };
    if (const auto known = known_index(index)) return *known;
    if (axes_.size() == 1) return one_dimension(index.picks[0].indices);
    std::optional<Array> sum;
    Index stride = 1;
    for (std::size_t k = axes_.size(); k-- > 0;) {
      const Index extent = dims_[static_cast<std::size_t>(axes_[k])];
      const Array checked = take(counting(0, 1, extent), index.picks[k].indices.reshape({-1}))
                                .reshape(index.picks[k].indices.shape());
      const Array part = stride == 1 ? checked : checked * Array(stride);
      sum = sum ? *sum + part : part;
      stride *= extent;
    }
    return one_dimension(*sum);
  }

  std::optional<Array> known_index(const ArrayIndex& index) const {
    const Index count = npmat::element_count(shape_);
    npmat::Array<double> flat{{count}, std::vector<double>(static_cast<std::size_t>(count))};
    Index stride = 1;
    for (std::size_t k = axes_.size(); k-- > 0;) {
      const Node& node = *index.picks[k].indices.node();
      const bool is_number = node.kind == Kind::Number || node.kind == Kind::Fill;
      if (node.data == nullptr && !is_number) return std::nullopt;
      const Index extent = dims_[static_cast<std::size_t>(axes_[k])];
      for (Index i = 0; i < count; ++i) {
        Index source = 0, inner = 1, rest = i;
        for (std::size_t axis = shape_.size(), own = node.dims.size(); axis-- > 0;) {
          const Index place = rest % shape_[axis];
          rest /= shape_[axis];
          if (own == 0) continue;
          const Index has = node.dims[--own];
          source += has == 1 ? 0 : place * inner;
          inner *= has;
        }
        const auto at = [&] {
          if (is_number) return static_cast<Index>(node.number);
          return std::visit(
              [&](const auto& data) {
                return static_cast<Index>(data.data[static_cast<std::size_t>(source)]);
              },
              *node.data);
        }();
        const Range range = index_range(at, extent, axes_[k]);
        flat.data[static_cast<std::size_t>(i)] += static_cast<double>(range.start * stride);
      }
      stride *= extent;
    }
    std::string text;
    for (const double number : flat.data)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
    return constant(std::move(flat), "np.array([" + text + "])", DType::Int);
  }

  Dims dims_;
  std::vector<int> axes_;   ///< that the arrays index
  std::vector<int> order_;  ///< of the axes, with those together
  Dims turned_, merged_;    ///< the shape then; the same with those as one
  Dims shape_;              ///< of the arrays, broadcast
  int first_ = 0;           ///< the one axis
  int place_ = 0;           ///< where the axes of shape_ are in the result
  Array flat_{0.0};
};

/// The array, as a whole if nothing else is indexed.
ObjectPtr others_of(const ObjectPtr& array, const ArrayIndex& index) {
  return view(array, basic_index(array->shape(), index.others));
}

Value array_subscript(const ObjectPtr& array, const std::vector<Value>& index) {
  const ArrayIndex parsed = array_index_of(array->shape(), index);
  const ObjectPtr part = others_of(array, parsed);
  if (parsed.mask) {
    check_mask(*parsed.mask, part->shape(), parsed.mask_axis);
    Array whole = part->read();
    auto first_axis = static_cast<int>(parsed.mask_axis);
    if (first_axis != 0 && parsed.goes_first) {
      std::vector<int> axes;
      const int first = static_cast<int>(parsed.mask_axis), ndim = parsed.mask->ndim();
      for (int axis = 0; axis < ndim; ++axis) axes.push_back(first + axis);
      for (int axis = 0; axis < whole.ndim(); ++axis)
        if (axis < first || axis >= first + ndim) axes.push_back(axis);
      whole = whole.transpose(axes);
      first_axis = 0;
    }
    return select(whole, *parsed.mask, first_axis);
  }
  const Array result = Picks(part->shape(), parsed).read(part->read());
  const bool of_rows = parsed.picks.size() == 1 && parsed.picks[0].axis == 0;
  const Value value = new_array(result, result.ndim() < 2 || (of_rows && part->contiguous()));
  const bool is_view = std::all_of(parsed.picks.begin(), parsed.picks.end(), [](const auto& pick) {
    return pick.indices.shape().empty() && is_numpy_scalar(pick.indices);
  });
  if (is_view && result.ndim() > 0) (*value.as<ObjectPtr>())->stands_for_part_of(array);
  return value;
}

void assign_array_subscript(const ObjectPtr& array, const std::vector<Value>& index,
                            const Value& value) {
  const ArrayIndex parsed = array_index_of(array->shape(), index);
  const ObjectPtr part = others_of(array, parsed);
  const Array old = part->read();
  const bool is_whole = parsed.mask && parsed.mask->ndim() == old.ndim();
  if (const auto* source = value.as<ObjectPtr>();
      !is_whole && source != nullptr &&
      ArrayObject::root_of(*source) == ArrayObject::root_of(array))
    misuse("assignment",
           "NumPy reads this array while it writes to it, element by element; assign a copy");
  if (parsed.mask) {
    check_mask(*parsed.mask, part->shape(), parsed.mask_axis);
    const Array changed = with_selected(old, *parsed.mask, parsed.mask_axis, value);
    part->write(set_slice(old, {}, changed));
    return;
  }
  const bool is_basic = std::all_of(parsed.picks.begin(), parsed.picks.end(),
                                    [](const auto& pick) { return pick.indices.ndim() == 0; });
  const Array written = is_basic
                            ? assignable(old, value, parsed.picks.size() == array->shape().size())
                            : to_array(value, "the value assigned");
  part->write(Picks(part->shape(), parsed).write(old, written));
}

}  // namespace

/// Whether np.nonzero gave it.
static bool is_place(const Value& value) {
  const auto* selected = value.as<Selected>();
  return selected != nullptr && selected->axis >= 0;
}

/// A range among the indices is an array of its numbers.
static std::vector<Value> with_arrays(std::vector<Value> index) {
  for (Value& each : index)
    if (each.as<RangeValue>() != nullptr) each = new_array(to_array(each, "an index"));
  return index;
}
static bool has_ranges(const std::vector<Value>& index) {
  return std::any_of(index.begin(), index.end(),
                     [](const Value& each) { return each.as<RangeValue>() != nullptr; });
}

namespace {

/// The element of an array of ints that the program wrote out, where its place is known: what may
/// be the bound of a slice or a shift.
std::optional<std::int64_t> known_integer(const Array& array, const std::vector<Range>& ranges) {
  const Node& node = *array.node();
  if ((node.kind != Kind::Constant && node.kind != Kind::Input) || node.dtype != DType::Int ||
      node.data == nullptr)
    return std::nullopt;
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
    if (!ranges[axis].shift.empty()) return std::nullopt;
    at = at * static_cast<std::size_t>(node.dims[axis]) +
         static_cast<std::size_t>(ranges[axis].start);
  }
  return static_cast<std::int64_t>(std::get<npmat::Array<double>>(*node.data).data[at]);
}

}  // namespace

Value subscript(const Value& object, const std::vector<Value>& given) {
  const bool is_data = object.is_data() || object.as<Selected>() != nullptr;
  const auto* tuple = given.size() == 1 && is_data ? given[0].as<Sequence>() : nullptr;
  if (tuple != nullptr && !tuple->list)
    return subscript(object, {tuple->items.begin(), tuple->items.end()});
  if (const auto* z = object.as<Complex>())
    return {Complex{Items({subscript(z->parts[0], given), subscript(z->parts[1], given)})}};
  if (has_run_slices(given)) return run_slice_of(object, given);
  if (const auto* selected = object.as<Selected>()) {
    if (given.empty()) return object;
    Value item = selection_item(*selection_of(object), given);
    if (const auto* part = item.as<Selected>();
        part != nullptr && std::any_of(given.begin(), given.end(), [](const Value& index) {
          return index.as<Slice>() != nullptr;
        }))
      part->whole->stands_for_part_of(selected->whole);
    return item;
  }
  if (given.size() == 1 && object.as<ObjectPtr>() != nullptr)
    if (const auto index = selection_of(given[0]); index && is_integer(index->whole.dtype())) {
      const Dims& dims = (*object.as<ObjectPtr>())->shape();
      if (!is_place(given[0]) || index->mask.ndim() > 1 || dims.empty() ||
          dims[0] != index->mask.size())
        return selected_from(object, *index);
    }
  if (std::any_of(given.begin(), given.end(), is_place))
    return subscript(object, with_masks(object, given));
  if (object.as<ObjectPtr>() != nullptr && has_ranges(given))
    return subscript(object, with_arrays(given));
  const std::vector<Value>& index = given;
  if (const auto* list = object.as<RunList>()) return element_at(*list, index);
  if (const auto* list = object.as<NumberList>()) {
    if (const auto* slice = index.size() == 1 ? index[0].as<Slice>() : nullptr;
        slice != nullptr && list->length.known())
      return new_sequence(true, sliced(Items(elements_of(object)), *slice));
    if (index.size() != 1 || index[0].as<Slice>() != nullptr)
      misuse("index", "a list takes one index; np.array(list) makes an array");
    if (const auto* at = index[0].as<std::int64_t>(); at != nullptr && list->length.known())
      check_item(*at, list->length.constant, "list");
    const Value element = subscript(new_array(to_array(object, "the list")), index);
    const bool from_python = list->type && list->type->is_python;
    return from_python ? python_element(element) : element;
  }
  if (const auto* sequence = object.as<Sequence>()) return sequence_item(*sequence, index);
  if (const auto item = container_item(object, index)) return *item;
  if (const auto* text = object.as<std::string>(); text != nullptr && index.size() == 1) {
    std::vector<Value> letters = elements_of(object);
    Value part = sequence_item(Sequence{false, std::move(letters)}, index);
    if (is_chosen_text(part)) return part;
    std::string result;
    for (const Value& letter :
         part.as<Sequence>() != nullptr ? elements_of(part) : std::vector<Value>{part})
      result += *letter.as<std::string>();
    return {result};
  }
  if (const auto* range = object.as<RangeValue>(); range != nullptr && index.size() == 1)
    return sequence_item(Sequence{false, elements_of(object)}, index);
  if (const auto* ignored = object.as<Ignored>())
    return {Ignored{ignored->name + "[...]", ignored->is_text}};
  const ObjectPtr array = array_object(object);
  if (has_arrays(index)) return array_subscript(array, index);
  const BasicIndex basic = basic_index(array->shape(), index);
  if (basic.shape.empty() && !basic.ellipsis) {
    if (const auto number = known_integer(array->read(), basic.ranges)) return {*number, true};
    return new_array(array->read().slice(basic.ranges));
  }
  if (basic.shape.empty() && !basic.ranges.empty() && !array->is_scalar()) {
    BasicIndex whole = basic;  // a view without dimensions
    for (Range& range : whole.ranges) {
      range.drops_axis = false;
      whole.shape.push_back(1);
    }
    return with_shape(view(array, whole), {});
  }
  if (array->is_scalar()) return new_array(array->read().reshape(basic.shape));
  const ObjectPtr part = view(array, basic);
  return array->is_flat() ? new_array(part->read().copy()) : Value{part};
}

void assign_subscript(const Value& object, const std::vector<Value>& given, const Value& assigned) {
  const auto* complex = assigned.as<Complex>();
  if (complex == nullptr && holds_complex(assigned))
    return assign_subscript(object, given, complex_array(assigned));
  if (const auto* z = object.as<Complex>()) {
    assign_subscript(z->parts[0], given, complex != nullptr ? complex->parts[0] : assigned);
    return assign_subscript(z->parts[1], given,
                            complex != nullptr ? complex->parts[1] : Value{0.0});
  }
  if (const auto* array = object.as<ObjectPtr>())
    check_fits(assigned, (*array)->read().dtype());
  else if (const auto* selected = object.as<Selected>())
    check_fits(assigned, selected->whole->read().dtype());
  if (has_run_slices(given) && object.as<Selected>() == nullptr)
    return assign_run_slice(object, given, assigned);
  if (complex != nullptr)
    misuse("assignment",
           "complex numbers cannot be assigned to an array of real numbers; assign their .real or "
           ".imag");
  if (std::any_of(given.begin(), given.end(), is_place) && object.as<Selected>() == nullptr)
    return assign_subscript(object, with_masks(object, given), assigned);
  if (list_number(object))
    misuse("index",
           "in-place changes of this list other than append are not supported; make it an array: "
           "np.array(list)");
  if (const auto* selected = object.as<Selected>())
    return assign_to_selection(*selected, given, assigned);
  const ObjectPtr array = array_object(object);
  if (has_ranges(given)) return assign_subscript(object, with_arrays(given), assigned);
  if (given.size() == 1)
    if (const auto places = selection_of(given[0]); places && is_integer(places->whole.dtype()))
      return assign_at_selected(array, *places, assigned);
  if (given.size() == 1)
    if (const auto* tuple = given[0].as<Sequence>(); tuple != nullptr && !tuple->list)
      return assign_subscript(object, {tuple->items.begin(), tuple->items.end()}, assigned);
  const std::vector<Value>& index = given;
  if (array->is_scalar()) misuse("assignment", "a NumPy scalar does not support item assignment");
  if (has_arrays(index)) return assign_array_subscript(array, index, assigned);
  const BasicIndex basic = basic_index(array->shape(), index);
  const Array value = assignable(array->read(), assigned, basic.shape.empty() && !basic.ellipsis);
  if (basic.new_axes || !basic.steps.empty()) {
    const ObjectPtr part = view(array, basic);
    const std::vector<Range> all = basic_index(part->shape(), {}).ranges;
    part->write(set_slice(part->read(), all, value));
    return;
  }
  array->write(set_slice(array->read(), basic.ranges, value));
}

}  // namespace rewriter
