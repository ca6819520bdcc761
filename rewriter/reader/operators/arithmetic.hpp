// Parts of the operators. Internal to the reader.
#pragma once

#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// An operator on two arrays, element by element; `@` is the product.
Array array_arithmetic(ast::Operator op, const Array& a, const Array& b);

/// Whether both are one object: booleans, types, arrays, lists.
std::optional<bool> known_identical(const Value& left, const Value& right);

/// Integers, one of them at least dependent on loops; nothing where that has no affine form.
std::optional<Value> affine_arithmetic(ast::Operator op, const Value& left, const Value& right);

/// A Python number as an operand of Python's arithmetic, where booleans are integers.
Array arithmetic_operand(const Value& value);

/// Two of Python's numbers, at least one of them known only at run time.
Value python_arithmetic(ast::Operator op, const Value& left, const Value& right);

/// Of two bytes: whether the one has the other within it; nothing of other values.
std::optional<bool> bytes_within(const Value& container, const Value& item);

/// Of two dictionaries, or two Counters; nothing of what they have no operator for.
std::optional<Value> dict_arithmetic(ast::Operator op, const Value& left, const Value& right);

/// Two tuples or lists joined, or one repeated: Python's meaning, not NumPy's.
Value sequence_arithmetic(ast::Operator op, const Value& left, const Value& right);

}  // namespace rewriter
