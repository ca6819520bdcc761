// x[...]: NumPy's basic indexing, on arrays and tuples.
#include <algorithm>

#include "rewriter/reader/value.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// An index as NumPy reads it: a range for each axis of the array, and the shape with None's axes
/// in.
struct BasicIndex {
  std::vector<Range> ranges;
  Dims shape;             ///< of the result
  bool new_axes = false;  ///< shape has axes that None made
  bool ellipsis = false;
};

Affine position(const Value& index) {
  const auto* object = index.as<ObjectPtr>();
  if (object != nullptr && (*object)->shape().empty())
    misuse("index", "an index must be known when the program is read; got an element of an array");
  if (object != nullptr)
    misuse("index",
           "indexing by an array is outside the notation; for a mask, np.where(mask, a, b) or a "
           "product "
           "with the mask does it");
  if (index.as<bool>() != nullptr)
    misuse("index", "indexing by a truth value is outside the notation; an index is an int");
  if (index.as<Sequence>() != nullptr)
    misuse("index", "indexing by a list is outside the notation; concatenate slices instead");
  return index.affine("an index");
}

/// Some iterations would count from the end and others from the start.
void refuse_both_ends(const Affine& at, Index extent) {
  if (at.least() < 0 && at.least() >= -extent && at.greatest() >= 0 && at.greatest() <= extent)
    misuse("index",
           "{} takes values from {} to {}: negative ones count from the end and others from the "
           "start, and one loop does only one of these here; write the iterations in which it is "
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
           "{} takes values from {} to {}, which is not within 0 to {}; in a loop the parts of an "
           "axis lie within it in every iteration",
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

Range axis_range(const Value& index, Index extent, int axis) {
  const auto* slice = index.as<Slice>();
  if (slice == nullptr) {
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
  if (slice->step.value_or(Affine{1, {}}) != Affine{1, {}})
    misuse("index", "a slice with a step is outside the notation; got a step of {}",
           to_string(*slice->step));
  const auto known = [](const std::optional<Affine>& bound) { return !bound || bound->known(); };
  if (!known(slice->start) || !known(slice->stop)) return moving_range(*slice, extent);
  const auto constant = [](const std::optional<Affine>& bound) {
    return bound ? std::optional<Index>(bound->constant) : std::nullopt;
  };
  return slice_range(constant(slice->start), constant(slice->stop), extent);
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
  const auto take = [&](const Range& range) {
    result.ranges.push_back(range);
    if (!range.drops_axis) result.shape.push_back(range.stop - range.start);
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
      take(axis_range(item, dims[axis], static_cast<int>(axis)));
    }
  }
  take_whole(dims.size() - result.ranges.size());
  check_dimensions("index", result.shape);
  return result;
}

bool whole(const std::vector<Range>& ranges, const Dims& dims) {
  for (std::size_t axis = 0; axis < ranges.size(); ++axis)
    if (ranges[axis].drops_axis || ranges[axis].start != 0 || ranges[axis].stop != dims[axis] ||
        !ranges[axis].shift.empty())
      return false;
  return true;
}

/// Rows of a C-ordered array are contiguous; so are parts of a vector.
bool stays_contiguous(const std::vector<Range>& ranges, const Dims& dims) {
  return ranges.size() < 2 || ranges[0].stop - ranges[0].start <= 1 ||
         (ranges[1].start == 0 && ranges[1].stop == dims[1]);
}

/// Refuses what is not among `size` items of a list or tuple.
void check_item(Index at, Index size, std::string_view kind) {
  if (at >= -size && at < size) return;
  if (size == 0) misuse("index", "{} index out of range: the {} is empty; got {}", kind, kind, at);
  misuse("index", "{} index out of range: the {} has {} item{}; got {}", kind, kind, size,
         size == 1 ? "" : "s", at);
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

Value sequence_item(const Sequence& sequence, const std::vector<Value>& index) {
  const std::string kind = sequence.list ? "list" : "tuple";
  const auto size = static_cast<Index>(sequence.items.size());
  if (index.size() != 1) misuse("index", "a {} takes one index; got {}", kind, index.size());
  if (const auto* slice = index[0].as<Slice>())
    return new_sequence(sequence.list, sliced(sequence.items, *slice));
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
        std::make_shared<ArrayObject>(result, ViewStep{ViewStep::Kind::Slice, index.ranges, {}},
                                      object->contiguous() && stays_contiguous(index.ranges, dims));
  }
  if (index.new_axes) {
    result = std::make_shared<ArrayObject>(
        result, ViewStep{ViewStep::Kind::Reshape, {}, index.shape}, result->contiguous());
  }
  return result;
}

}  // namespace

Value subscript(const Value& object, const std::vector<Value>& index) {
  if (const auto* list = object.as<NumberList>()) {
    if (const auto* slice = index.size() == 1 ? index[0].as<Slice>() : nullptr;
        slice != nullptr && list->length.known())
      return new_sequence(true, sliced(Items(elements_of(object)), *slice));
    if (index.size() != 1 || index[0].as<Slice>() != nullptr)
      misuse("index", "one index takes an element of a list; np.array(list) makes an array");
    if (const auto* at = index[0].as<std::int64_t>(); at != nullptr && list->length.known())
      check_item(*at, list->length.constant, "list");
    const Value element = subscript(new_array(to_array(object, "the list")), index);
    const bool from_python = list->type && list->type->is_python;
    return from_python ? python_number((*element.as<ObjectPtr>())->read()) : element;
  }
  if (const auto* sequence = object.as<Sequence>()) return sequence_item(*sequence, index);
  if (const auto item = container_item(object, index)) return *item;
  if (const auto* text = object.as<std::string>(); text != nullptr && index.size() == 1) {
    std::vector<Value> letters = elements_of(object);
    const Value part = sequence_item(Sequence{false, std::move(letters)}, index);
    std::string result;
    for (const Value& letter :
         part.as<Sequence>() != nullptr ? elements_of(part) : std::vector<Value>{part})
      result += *letter.as<std::string>();
    return {result};
  }
  if (const auto* range = object.as<RangeValue>(); range != nullptr && index.size() == 1)
    return sequence_item(Sequence{false, elements_of(object)}, index);
  if (const auto* ignored = object.as<Ignored>()) return {Ignored{ignored->name + "[...]"}};
  const ObjectPtr array = array_object(object);
  const BasicIndex basic = basic_index(array->shape(), index);
  if (basic.shape.empty() && !basic.ellipsis) return new_array(array->read().slice(basic.ranges));
  if (basic.shape.empty() && !basic.ranges.empty())
    misuse("index",
           "with '...' NumPy gives a view without dimensions, which is outside the notation; "
           "without it, the element's value");
  if (array->is_scalar()) return new_array(array->read().reshape(basic.shape));
  return {view(array, basic)};
}

void assign_subscript(const Value& object, const std::vector<Value>& index, const Array& value) {
  if (list_number(object))
    misuse("index",
           "lists do not change in place here but by append; an array does: np.array(list)");
  const ObjectPtr array = array_object(object);
  const BasicIndex basic = basic_index(array->shape(), index);
  if (array->is_scalar())
    misuse("assignment", "a NumPy scalar does not take an assignment to its elements");
  if (basic.new_axes) {
    const ObjectPtr part = view(array, basic);
    const std::vector<Range> all = basic_index(part->shape(), {}).ranges;
    part->write(set_slice(part->read(), all, value));
    return;
  }
  array->write(set_slice(array->read(), basic.ranges, value));
}

}  // namespace rewriter
