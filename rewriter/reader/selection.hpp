// x[mask]: the elements of an array that a mask selects. How many they are is known only when the
// program runs, so that they are never gathered: a selection is the whole array beside the mask.
// Element-wise work is done on all of it, and what the mask leaves out is left out where the
// selection is reduced, or written back through the same mask. Internal to the reader.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rewriter/reader/functions.hpp"

namespace rewriter {

/// In NumPy one axis, as long as the mask has true elements, stands in place of the mask's axes.
struct Selection {
  Array whole;
  Array mask;
  int first = 0;  ///< its axes of `whole` begin there

  /// How many axes of `whole` come after the mask's.
  [[nodiscard]] int rest() const { return whole.ndim() - mask.ndim() - first; }
  /// As many elements `whole` has for each element of the mask.
  [[nodiscard]] Index others() const;
  /// As an int, known when the program runs.
  [[nodiscard]] Array count() const;
  /// `whole`, with `other` where the mask is false.
  [[nodiscard]] Array with(const Array& other) const;
};

/// x[..., mask, ...] of what the other indices leave of x.
Value select(const Array& whole, const Array& mask, int first);
/// What x[mask, ...] = value leaves in that, where the mask's axes are the ones from `first` on.
Array with_selected(const Array& whole, const Array& mask, std::size_t first, const Value& value);

std::optional<Selection> selection_of(const Value& value);

/// The operator, if an operand is a selection.
std::optional<Value> selection_operator(ast::Operator op, const Value& operand);
std::optional<Value> selection_operator(ast::Operator op, const Value& left, const Value& right);
/// The call, if an argument is a selection.
std::optional<Value> selection_call(const Call& call);
/// selection.shape, .size, .ndim
std::optional<Value> selection_attribute(const Selection& selection, std::string_view name);

}  // namespace rewriter
