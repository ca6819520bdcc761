// Complex numbers and arrays, as pairs of real ones: what is computed of them are statements on
// their parts. Internal to the reader. What is not here is refused, not taken for real.
#pragma once

#include <optional>
#include <string_view>

#include "rewriter/reader/functions.hpp"

namespace rewriter {

/// Of parts that are numbers or arrays; the smaller one is broadcast to the other's shape.
Value new_complex(const Value& real, const Value& imag);

/// Whether it is complex, or a list or tuple of which an item is.
bool holds_complex(const Value& value);
/// np.array(list)
Value complex_array(const Value& list);

/// The operator, if an operand is complex.
std::optional<Value> complex_operator(ast::Operator op, const Value& operand);
std::optional<Value> complex_operator(ast::Operator op, const Value& left, const Value& right);
/// The call, if an argument is complex or asks for complex numbers.
std::optional<Value> complex_call(const Call& call);

}  // namespace rewriter
