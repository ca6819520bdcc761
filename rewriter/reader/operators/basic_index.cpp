// NumPy's basic indexing: ints, slices, None and ... of an index, and the views that they make.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/indexing.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Affine position(const Value& index) {
  if (index.as<bool>() != nullptr)
    misuse("index", "indexing by a boolean is not supported; an index must be an int");
  if (index.as<ObjectPtr>() != nullptr)
    misuse("index", "the index of a list or tuple must be known when the program is read");
  if (index.is_real() || index.as<std::string>() != nullptr || index.as<Dict>() != nullptr)
    throw PythonError("IndexError", "index",
                      "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                      "integer or boolean arrays are valid indices");
  return index.affine("an index");
}

/// Some iterations would count from the end and others from the start.
void refuse_both_ends(const Affine& at, Index extent) {
  if (at.least() < 0 && at.least() >= -extent && at.greatest() >= 0 && at.greatest() <= extent)
    throw OverEdge({at, extent},
                   fmt::format("{} takes values from {} to {}: negative ones count from the end "
                               "and others from the start, and one loop can do only one of these; "
                               "write the iterations in which it is negative as a loop of their "
                               "own, or before the loop",
                               to_string(at), at.least(), at.greatest()));
}

/// A position that depends on loops, counted from the start: not negative in some iterations and
/// positive in others.
Affine from_start(const Affine& at, Index extent) {
  if (at.known())
    return {std::clamp<Index>(at.constant < 0 ? at.constant + extent : at.constant, 0, extent), {}};
  refuse_both_ends(at, extent);
  const Affine counted = at.greatest() < 0 ? at + Affine{extent, {}} : at;
  if (counted.least() < 0 || counted.greatest() > extent)
    throw OverEdge({at, extent},
                   fmt::format("{} takes values from {} to {}, which is not within 0 to {}; in a "
                               "loop a slice must lie within the axis in every iteration",
                               to_string(at), at.least(), at.greatest(), extent));
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

}  // namespace

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

namespace {

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
  if (step == 0) misuse(Exception::ValueError, "index", "slice step cannot be zero");
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

}  // namespace

BasicIndex basic_index(const Dims& dims, const std::vector<Value>& index) {
  std::size_t given = 0;
  std::size_t ellipses = 0;
  for (const Value& item : index) {
    if (item.as<EllipsisValue>() != nullptr)
      ++ellipses;
    else if (!item.is_none())
      ++given;
  }
  if (ellipses > 1)
    misuse(Exception::IndexError, "index", "an index can only have one ellipsis ('...')");
  if (given > dims.size())
    misuse(Exception::IndexError, "index",
           "too many indices: the array is {}-dimensional, but {} were indexed", dims.size(),
           given);

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

namespace {

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

}  // namespace

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

}  // namespace rewriter
