// Writing to selections, and through selections of indices. Internal to the reader.
#pragma once

#include <string_view>
#include <vector>

#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// x[index] = value, where the index is a selection of ints.
void assign_at_selected(const ObjectPtr& array, const Selection& index, const Value& value);
/// selection[index...] = value
void assign_to_selection(const Selected& selected, const std::vector<Value>& index,
                         const Value& value);
/// Throws for in-place writes to an array or a selection that NumPy does not permit.
void check_in_place(std::string_view op, const Value& target, const Value& result);
/// The result of `selection op= ...`.
void write_selected(const Selected& selected, std::string_view op, const Value& result);

}  // namespace rewriter
