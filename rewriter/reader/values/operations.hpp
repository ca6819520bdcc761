// Python's operations on values of every kind: operators, subscripts, attributes and methods.
// Which form an operand has, e.g. a masked selection, they find out: these functions call each
// other, so they are declared below the rooms that define them. Internal to the reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/python/ast.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// An attribute of an array, a masked selection or a complex array; nothing if none has that name.
std::optional<Value> array_attribute(const Value& self, std::string_view name);
/// The method of a list, a dictionary, a set, a text or an int; nothing if it has none of that
/// name.
std::optional<Value> container_method(const Value& self, std::string_view name);

/// A unary operator; a binary one but `and` and `or`, or a comparison; on numbers, arrays, and
/// lists of numbers combined with an array.
Value unary_operator(ast::Operator op, const Value& operand);
Value binary_operator(ast::Operator op, const Value& left, const Value& right);

/// x[index...]: a view or, for one element, its value.
Value subscript(const Value& object, const std::vector<Value>& index);
/// np.c_[index...], np.r_[index...] and the like; nothing for other values.
std::optional<Value> index_trick(const Value& object, const std::vector<Value>& index);
/// x[index...] = value.
void assign_subscript(const Value& object, const std::vector<Value>& index, const Value& value);

/// Throws CUDAMatException for arguments that do not fit.
Value call_function(Call call);
/// The result for masked selections, complex arrays and lists of data-dependent length, but for
/// those that the function takes as they are (facts of rows); nothing if none is an argument.
std::optional<Value> call_of_other_form(const Call& call, unsigned takes = 0);

/// Whether two items of containers are one object or equal, as a container's methods ask.
Value equal_items(const Value& a, const Value& b);
/// Of booleans: whether both of two hold, one of them, or one does not.
Value both_hold(const Value& a, const Value& b);
Value either_holds(const Value& a, const Value& b);
Value negated(const Value& a);

/// The call by the function of that name in a file; nothing if the file has none.
std::optional<Value> call_library_file(std::string_view file, const std::string& name,
                                       const Call& call);

/// Raises Python's error for the truth of an array which does not have one element.
void check_has_truth(const Value& value);

}  // namespace rewriter
