// What is written into selections, and at places that are one. Internal to the reader.
#pragma once

#include <string_view>
#include <vector>

#include "rewriter/reader/selection.hpp"

namespace rewriter {

/// x[index] = value, where the index is a selection of ints.
void assign_at_selected(const ObjectPtr& array, const Selection& index, const Value& value);
/// selection[index...] = value
void assign_to_selection(const Selected& selected, const std::vector<Value>& index,
                         const Value& value);
/// Refuses what NumPy does not write in place into an array or a selection, which `target` may be.
void check_in_place(std::string_view op, const Value& target, const Value& result);
/// What `selection op= ...` leaves in it.
void write_selected(const Selected& selected, std::string_view op, const Value& result);

}  // namespace rewriter
