// Functions of masked selections for which the order of elements or the other operands matter.
// Internal to the reader.
#pragma once

#include <optional>
#include <string_view>

#include "rewriter/reader/selection.hpp"

namespace rewriter {

/// The call, if it is one of these of a selection: np.sort, np.argsort, np.median ...
std::optional<Value> order_call(const Call& call);
/// sorted(selection, reverse=...)
Value sorted_selection(const Call& call);
/// np.concatenate, np.column_stack and their kin of a list that has selections.
std::optional<Value> joined_selections(const Call& call);

}  // namespace rewriter
