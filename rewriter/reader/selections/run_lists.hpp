// Lists whose length is known only at run time. Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/python/ast.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// A list whose length is known only at run time, as a selection.
Value selected_elements(const RunList& list);
/// Whether it is an int known only at run time.
bool is_run_place(const Value& index);
/// The items, numbers of one type, after one was set at an index known only at run time.
std::vector<Value> items_with(const Sequence& list, const Value& index, const Value& value);
/// Of a number, known or not; nothing of what is none.
std::optional<ElementType> element_type_of(const Value& item);
/// A list of the numbers at which the mask is true, both 1-D: Python's numbers or NumPy's.
Value run_list_of(const Array& numbers, const Array& mask, bool is_python);
/// A list of the items whose condition is true at run time; an item without a condition is always
/// in it.
Value run_list_of(const std::vector<Value>& items, const std::vector<std::optional<Array>>& taken);
/// list[index]
Value element_at(const RunList& list, const std::vector<Value>& index);

/// The call with lists of data-dependent length replaced by their elements as selections.
Call of_selected_elements(const Call& call);

/// Python's + of two lists of numbers, one of which at least is a RunList.
Value joined_run_lists(const Value& left, const Value& right);
/// Python's == of two of these, likewise.
Value equal_run_lists(const Value& left, const Value& right);

/// Of np.array(list).
DType dtype_of(const RunList::Form& form);

/// The form of an item of such a list. Throws for an item that no such list can hold.
RunList::Form form_of(const Value& value, bool is_new, bool may_be_written);

/// The form of a list that holds items of both forms. Throws if there is none.
RunList::Form joined_forms(const std::optional<RunList::Form>& a, const RunList::Form& b);

/// Of the elements that a list has before.
std::optional<RunList::Form> form_of_items(const Value& list);

/// How many numbers an array or a tuple has.
Index count_in(const RunList::Form& form);

/// cell[place] of numbers, or the column.
std::vector<Value> place_in(const RunList::Form& form, const Value& place);

}  // namespace rewriter
