// What is None, or something else, known only at run time. Internal to the reader.
#pragma once

#include <optional>
#include <string>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/python/ast.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// What a Perhaps is where it is something; other values themselves.
Value if_set(const Value& value);
/// Whether a Perhaps is true, as Python says; other values themselves.
Value truth_if_set(const Value& value);
/// `value is None`, `==` and their negations, with None on one side and a Perhaps on the other.
std::optional<Value> compared_with_none(ast::Operator op, const Value& left, const Value& right);

/// Names that programs cannot have are those of run-time values: "<go 1>"; lists call that "go",
/// and "<part 0.1 of best 7>" as the program's name that it is a part of.
std::string printed_name(const std::string& name);
/// The text with words in place of such names.
std::string spoken(std::string text);

}  // namespace rewriter
