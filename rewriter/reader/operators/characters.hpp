// Arrays of characters, np.array([list("ab"), list("cd")]): a tuple of the kind "characters" with
// the array of their numbers. Internal to the reader.
#pragma once

#include <optional>

#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// Of lists of texts of one letter; nothing of other values.
std::optional<Value> characters_of(const Value& list);

/// What operators, subscripts and calls give, where an operand is such an array.
std::optional<Value> characters_operator(ast::Operator op, const Value& left, const Value& right);
Value characters_item(const Value& array, const std::vector<Value>& index);
void assign_characters(const Value& array, const std::vector<Value>& index, const Value& value);
std::optional<Value> characters_call(const Call& call);
std::optional<Value> characters_attribute(const Value& array, const std::string& name);

}  // namespace rewriter
