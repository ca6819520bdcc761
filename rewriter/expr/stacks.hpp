// Symbolic arrays: what is computed of each matrix of a stack. Internal to the rewriter.
#pragma once

#include <functional>

#include "rewriter/expr/symbolic.hpp"

namespace rewriter::detail {

/// The extents before the last two.
Dims batch_of(const Array& a);
/// The extents of `first`, then those of `second`.
Dims joined(Dims first, const Dims& second);

/// The arrays of a stack: those of its last axes, broadcast to the others.
class Stack {
 public:
  /// Of arrays with the last `axes` axes of `a`.
  Stack(const Array& a, const Dims& batch, int axes = 2);
  /// One of them: `at` is an index of the stack's only axis.
  Array operator()(const Range& at) const { return all_.slice({at}); }

 private:
  Array all_;
};

/// An array with the extents `batch`, then `shape`, and each(at) at every index of the batch. Of
/// more than a few it is a loop, whose iterations write their own parts. `each` has no effects; it
/// is asked for the first one as well, for its type.
Array stacked(const Dims& batch, const Dims& shape, const std::function<Array(const Range&)>& each);

}  // namespace rewriter::detail
