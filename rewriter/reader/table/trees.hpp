// Building blocks for NumPy functions that the tree has no node for. Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

/// The elements along one axis, in C order; also of a number.
Array raveled(const Array& a);

/// np.where; a scalar for scalars.
Array choice(const Array& condition, const Array& a, const Array& b);

/// Elements [start, stop) of an axis.
Array part(const Array& a, int axis, Index start, Index stop);

/// With an additional axis of extent 1.
Array with_axis(const Array& a, int axis);

/// Running results of add, mult, maximum or minimum along an axis.
Array running(Op op, const Array& a, int axis);

/// A reduction over these axes, counted from the start and sorted.
Array over(Op op, const Array& a, const std::vector<int>& axes, bool keepdims = false);

/// The axes that are reduced as the last one, and the shape that has an element for each of them.
std::pair<Array, Dims> merged(const Array& a, const std::vector<int>& axes);

/// A reduction of one axis or all, f, over what the call says: several axes, too.
template <class F>
Array over_axes(const Call& call, const Array& a, const Value* axis, bool keepdims, const F& f) {
  if (axis == nullptr || axis->as<Sequence>() == nullptr)
    return f(a, axis_argument(call, axis), keepdims);
  const std::vector<int> axes = axes_argument(call, axis, a.ndim());
  if (axes.empty() && a.size() == 0)
    misuse(Exception::ValueError, call.name,
           "cannot reshape an array of size 0: an empty array needs an axis");
  const auto [rows, kept] = merged(a, axes);
  const Array found = f(rows, std::optional(-1), false);
  return keepdims ? found.reshape(kept) : found;
}

/// Each element repeated `count` times.
Array repeated(const Array& a, Index count, int axis);

/// The whole axis repeated `count` times.
Array tiled(const Array& a, Index count, int axis);

}  // namespace rewriter
