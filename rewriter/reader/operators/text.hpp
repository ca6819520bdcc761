// Texts that hold run-time numbers, and what is printed. Internal to the reader.
#pragma once

#include <optional>
#include <string>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/python/ast.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// Represents a string chosen at run time: prints of it are ignored, and nothing else is done
/// with it but making other strings.
Value chosen_text();
bool is_chosen_text(const Value& value);
/// Whether it is a text: known, with numbers of the run, or one that the run chooses.
bool is_text(const Value& value);

/// A number in what is printed that is an int or a float, known only at run time: its text differs.
std::optional<ObjectPtr> number_of_either_kind(const Value& printed);
/// What is printed, with this value of the number.
Value with_number(const Value& printed, const ObjectPtr& number, const Array& as);

/// What raises an exception of this type with the text. Throws CUDAMatException as print does.
NodePtr raise_node(const std::string& type, const Value& text);
bool is_raise(const Node& node);
/// `left + right` of texts; `format % values`.
constexpr std::size_t kMostText = 1 << 20;  ///< letters that a program may put together
Value joined_texts(const Value& left, const Value& right);
Value formatted_text(const std::string& format, const Value& values);
/// `{value!conversion:format}` of an f-string.
Value formatted_value(const Value& value, const std::string& conversion, const std::string& format);

/// text.format(...)
Value formatted_by_braces(const std::string& format, const Call& call);

}  // namespace rewriter
