// Compacted selections: their elements are the first ones of an array as long as the mask.
// Combining two of them, or one with an array of static length, is an error at run time unless the
// lengths match. Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// A mask of `size` places that is true for the first `count`.
Array first_places(Index size, const Array& count);
/// The count of such a mask; nothing for other masks.
std::optional<Array> first_count(const Array& mask);
/// count - 1, or 0 if the count is 0.
Array last_of(const Array& count);

/// A selection of all rows of an array.
Selection all_of(const Array& array);
/// The same selection with a 1-D mask.
Selection in_one_axis(const Selection& s);
/// The same elements, compacted.
Selection packed(const Selection& s);
/// selection[::-1]
Selection reversed(const Selection& s);

/// The int `number` if `holds` is true; otherwise an error at run time.
Array checked(const Array& number, const Array& holds);
/// A float without dimensions as an int; an error at run time if it is NaN or too large for one.
Array whole_number(const Array& number);
/// What an assignment writes to a part of `target`: where elements are ints, a number that is none,
/// or which NumPy 2 finds too large for the type, is an error at run time; so is an array that
/// becomes one element. Those of other arrays are converted, whatever they are.
Array assignable(const Array& target, const Value& assigned, bool to_element);
/// The selected elements, if there are exactly `count`.
Array exactly(const Selection& s, Index count);
/// The same as an operand combined with `count` elements: one selected element is repeated.
Array repeated_to(const Selection& s, Index count);
/// Brings the selections to one mask: unchanged if they have one already, otherwise compacted,
/// which requires equal lengths.
std::vector<Selection> by_one_mask(std::vector<Selection> selections);
/// Distributes the rows of `source` to the places at which the mask is true, in order. It is an
/// error at run time unless the mask selects as many places as `source` has rows.
Array dealt(const Array& source, const Array& mask);
Array dealt(const Selection& source, const Array& mask);

/// Python's indices counted from the start; `out` for those that are not below `count`.
Array places_below(const Array& indices, const Array& count, const Array& out);
/// The places in the full array of these indices of the selection; out of bounds if they are not
/// below the length of the selection.
Array places_in_whole(const Selection& s, const Array& indices);
/// selection[index], for an index without dimensions.
Value element_at(const Selection& s, const Array& index);
/// selection[indices], out of bounds if they are not below its length; indices at which `wanted` is
/// false are ignored.
Array elements_at(const Selection& s, const Array& indices, const Array* wanted = nullptr);

}  // namespace rewriter
