// Functions of masked selections for which the order of elements or the other operands matter.
// Internal to the reader.
#pragma once

#include <optional>
#include <string_view>

#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// The call, if it is one of these of a selection: np.sort, np.argsort, np.median ...
std::optional<Value> order_call(const Call& call);
/// sorted(selection, reverse=...)
Value sorted_selection(const Call& call);
/// np.concatenate, np.column_stack and other joins of a list that has selections.
std::optional<Value> joined_selections(const Call& call);

/// np.sum, np.mean and other reductions of a masked selection; nothing of other calls.
std::optional<Value> selection_reduction(const Call& call, const Selection& s);

/// Python's sum, max and min, which iterate over the first axis.
std::optional<Value> python_reduction(const Call& call, const Selection& given);

}  // namespace rewriter
