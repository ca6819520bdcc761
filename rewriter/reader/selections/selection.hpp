// Masked selections, x[mask]. Their length is known only at run time. A selection is stored as the
// full array and its mask. Element-wise operations work on the full array; reductions ignore the
// elements that the mask excludes, and writes use the same mask. The elements are compacted
// only where their order or position matters (packed.hpp). Internal to the reader.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// In NumPy the axes of the mask become one axis, with as many elements as the mask has true
/// elements.
struct Selection {
  Array whole;
  Array mask;
  int first = 0;  ///< its axes of `whole` begin there

  /// The number of axes of `whole` after those of the mask.
  [[nodiscard]] int rest() const { return whole.ndim() - mask.ndim() - first; }
  /// The number of elements of `whole` for each element of the mask.
  [[nodiscard]] Index others() const;
  /// The number of selected elements, a run-time int.
  [[nodiscard]] Array count() const;
  /// `whole`, with `other` where the mask is false.
  [[nodiscard]] Array with(const Array& other) const;
};

/// x[..., mask, ...], after the other indices were applied to x.
Value select(const Selection& s);
Value select(const Array& whole, const Array& mask, int first);
/// np.nonzero(mask): the indices of the true elements, for each axis.
Value places_of(const Array& mask);
/// Replaces such indices in a subscript by their mask.
std::vector<Value> with_masks(const Value& object, const std::vector<Value>& index);
/// x[selection], where the selection has integers: elements of the first axis.
Value selected_from(const Value& object, const Selection& index);
/// selection[0], selection[-1]
Value selection_item(const Selection& selection, const std::vector<Value>& index);
/// The array after x[mask, ...] = value, where the axes of the mask begin at `first`.
Array with_selected(const Array& whole, const Array& mask, std::size_t first, const Value& value);

std::optional<Selection> selection_of(const Value& value);
inline bool is_selection(const Value& value) {
  return value.as<Selected>() != nullptr;
}
/// Whether it is `:`.
bool takes_all(const Slice& slice);
/// Whether two masks are equal whenever both are computed at the same point of the program.
bool is_same_mask(const Array& a, const Array& b);

/// The reduction over the mask's axes, and over all others if `everything`.
Array reduce_selection(Op op, const Selection& s, bool everything);

/// Converts an axis of the selection.
int axis_of(const Call& call, const Selection& s, const Value& axis);

/// The operator, if an operand is a selection.
std::optional<Value> selection_operator(ast::Operator op, const Value& operand);
std::optional<Value> selection_operator(ast::Operator op, const Value& left, const Value& right);
/// The call, if an argument is a selection.
std::optional<Value> selection_call(const Call& call);
/// selection.shape, .size, .ndim
[[noreturn]] void refuse_selection(const Call& call);
/// list(selection), and selection.tolist(), whose elements are Python's numbers.
Value list_of_selection(const Call& call, const Selection& s, bool is_python);

/// Whether it is a list or a tuple that broadcasts as an array does.
bool is_array_like(const Value& value);

}  // namespace rewriter
