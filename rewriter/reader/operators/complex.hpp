// Complex numbers and arrays as pairs of real ones; operations become statements on their parts.
// Operations that are not supported throw, and never use the real part alone. Internal to the
// reader.
#pragma once

#include <optional>
#include <string_view>

#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// From numbers or arrays; the smaller part is broadcast to the shape of the other.
Value new_complex(const Value& real, const Value& imag);

/// Whether it is complex, or a list or tuple with a complex item.
bool holds_complex(const Value& value);
/// np.array(list)
Value complex_array(const Value& list);

/// The operator, if an operand is complex.
std::optional<Value> complex_operator(ast::Operator op, const Value& operand);
std::optional<Value> complex_operator(ast::Operator op, const Value& left, const Value& right);
/// The call, if an argument is complex or asks for complex numbers.
std::optional<Value> complex_call(const Call& call);

}  // namespace rewriter
