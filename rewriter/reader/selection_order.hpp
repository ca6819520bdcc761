// What stands where in a selection: its elements one behind the other, and what needs them so.
// Internal to the reader.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rewriter/reader/selection.hpp"

namespace rewriter {

/// All rows of an array.
Selection all_of(const Array& array);
/// The first `count` places of so many.
Array first_places(Index size, const Array& count);
/// The same selection by a mask of one dimension.
Selection in_one_axis(const Selection& s);
/// The same elements, one behind the other: the first ones of an array as long as the mask.
Selection packed(const Selection& s);
/// The selected elements, if they are so many: else the run fails.
Array exactly(const Selection& s, Index count);
/// The number, an int, if that holds: else the run fails.
Array checked(const Array& number, const Array& holds);
/// The selections by one mask: as they are where they are that already, or else packed, if they
/// have as many elements when the program runs.
std::vector<Selection> by_one_mask(std::vector<Selection> selections);

/// Whether a loop goes through it, as often as only the run knows.
bool has_run_length(const Value& iterable);
/// range(...) of ints that the run computes; zip(...) and enumerate(...) of what they are to go
/// through: each an Iteration::Kind::Selected.
Value range_at_run(const Call& call);
Value zipped_at_run(const std::vector<Value>& parts);
Value enumerated_at_run(const Value& iterable, Index start);
/// An element of the first part of one of these, which may not be there, beside the mask: its
/// places are numbers of the run, which stay below the number of elements, so that an index which
/// would be out of bounds is one only where it is computed.
Value perhaps_element(const Value& element, const Value& iterable, const Array& mask);

/// Where in the whole the elements of these indices are; out of bounds where they are not below
/// the selection's length.
Array places_in_whole(const Selection& s, const Array& indices);
/// selection[index], of an index without dimensions.
Value element_at(const Selection& s, const Array& index);
/// selection[indices], which are out of bounds where they are not below its length; where `wanted`
/// is false it does not matter what they are.
Array elements_at(const Selection& s, const Array& indices, const Array* wanted = nullptr);
/// selection[::-1]
Selection reversed(const Selection& s);
/// For each place of the mask what of `source` belongs there: its first row where the mask is true
/// for the first time, and so on. The run fails unless that holds, or the mask selects as many as
/// it has.
Array dealt(const Array& source, const Array& mask, const Array& holds);
Array dealt(const Array& source, const Array& mask);
/// x[index] = value, where the index is a selection of ints.
void assign_at_selected(const ObjectPtr& array, const Selection& index, const Value& value);

/// selection[index...] = value
void assign_to_selection(const Selected& selected, const std::vector<Value>& index,
                         const Value& value);
/// What `selection op= ...` leaves in it.
void write_selected(const Selected& selected, std::string_view op, const Value& result);
/// np.zeros(shape) and its kin, where the run computes the first extent.
std::optional<Value> filled_at_run(const Call& call, const Value& shape, const Array& value,
                                   DType dtype);

/// The call, if it is one of these of a selection: np.sort, np.argsort, np.median ...
std::optional<Value> order_call(const Call& call);
/// sorted(selection, reverse=...)
Value sorted_selection(const Call& call);
/// np.concatenate, np.column_stack and their kin of a list that has selections.
std::optional<Value> joined_selections(const Call& call);
/// Whether the function takes selections as they are: np.unique, np.bincount ...
bool takes_selections(std::string_view name);

}  // namespace rewriter
