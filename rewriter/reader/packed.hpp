// Compacted selections: their elements are the first ones of an array as long as the mask.
// Combining two of them, or one with an array of static length, is an error at run time unless the
// lengths match. Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "rewriter/reader/selection.hpp"

namespace rewriter {

/// The first `count` places of so many.
Array first_places(Index size, const Array& count);
/// Of a mask that selects the first places, how many these are.
std::optional<Array> first_count(const Array& mask);
/// The last place of so many, or 0.
Array last_of(const Array& count);

/// All rows of an array.
Selection all_of(const Array& array);
/// The same selection by a mask of one dimension.
Selection in_one_axis(const Selection& s);
/// The same elements, one behind the other.
Selection packed(const Selection& s);
/// selection[::-1]
Selection reversed(const Selection& s);

/// The number, an int, if that holds: else the run fails.
Array checked(const Array& number, const Array& holds);
/// The selected elements, if they are so many.
Array exactly(const Selection& s, Index count);
/// The selections by one mask: as they are where they are that already, or else packed, if they
/// have as many elements.
std::vector<Selection> by_one_mask(std::vector<Selection> selections);
/// For each place of the mask what of `source` belongs there: its first row where the mask is true
/// for the first time, and so on. The run fails unless the mask selects as many as it has.
Array dealt(const Array& source, const Array& mask);
Array dealt(const Selection& source, const Array& mask);

/// Python's indices counted from the start, and `out` where they are not below `count`.
Array places_below(const Array& indices, const Array& count, const Array& out);
/// Where in the whole the elements of these indices are; out of bounds where they are not below
/// the selection's length.
Array places_in_whole(const Selection& s, const Array& indices);
/// selection[index], of an index without dimensions.
Value element_at(const Selection& s, const Array& index);
/// selection[indices], which are out of bounds where they are not below its length; where `wanted`
/// is false it does not matter what they are.
Array elements_at(const Selection& s, const Array& indices, const Array* wanted = nullptr);

}  // namespace rewriter
