// Masks that select places next to each other, x[i:j] with run-time bounds. Reductions of such
// selections look at these places only: a loop takes them from the arrays, some at a time, so that
// its work is proportional to their number, not to the mask's. Internal to the reader.
#pragma once

#include <optional>

#include "rewriter/reader/selections/selection.hpp"

namespace rewriter {

/// The places [first, last) of an axis, within its extent; none if last <= first.
struct Window {
  Array first;
  Array last;

  /// How many, a run-time int.
  [[nodiscard]] Array count() const;
};

/// The window of such a selection along one axis; nothing if it is small, or by another mask.
std::optional<Window> window_of(const Selection& s);
/// The reduction of the elements over the mask's axis, or over all if `everything`. op: sum, prod,
/// max, min, any, all; `neutral` changes no result of it.
Array reduce_window(Op op, const Selection& s, const Window& window, const Array& neutral,
                    bool everything);

}  // namespace rewriter
