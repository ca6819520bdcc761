// The types of values by the names that Python's own messages have, and the TypeErrors that tell
// them. Internal to the reader.
#pragma once

#include <string>
#include <string_view>

#include "rewriter/python/ast.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// Whether the value is of one of Python's types that are no integers.
bool is_no_integer(const Value& value);

/// Whether Python gives no attribute to values of its type.
bool takes_no_attributes(const Value& value);

/// Whether Python makes no key of values of its type.
bool is_unhashable(const Value& value);

/// "int", "NoneType", "numpy.ndarray"; empty of objects of the program's classes, and of what
/// stands for values of more than one type.
std::string python_type(const Value& value);

/// Of a value of one of Python's types that has no such operation, Python's TypeError. They return
/// for all other values: those may be of another kind, or known only at run time.
void refuse_iteration(std::string_view operation, const Value& value);
void refuse_unpacking(const Value& value);
void refuse_length(const Value& value);
void refuse_call(const Value& value);
void refuse_subscript(const Value& value);
void refuse_item_assignment(const Value& value);
/// "list indices must be integers or slices, not str"
void refuse_place(std::string_view kind, const Value& index);
/// None, a text, a dictionary, a set or a function as an operand.
void refuse_operand(ast::Operator op, const Value& operand);
void refuse_operands(ast::Operator op, const Value& left, const Value& right);

}  // namespace rewriter
