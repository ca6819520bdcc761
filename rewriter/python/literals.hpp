// The values of Python's literals.
#pragma once

#include <string>
#include <string_view>

#include "rewriter/python/ast.hpp"

namespace rewriter::ast {

/// The length of the number literal at the start of `text`, which starts with a digit or with a
/// point and a digit. If it is malformed or not of this notation, `error` is set, and the length
/// covers what is wrong.
std::size_t scan_number(std::string_view text, std::string& error);

/// The value of a literal that scan_number() accepts.
Number number_value(std::string_view literal);

/// The value of a string literal, prefix and quotes included, whose quotes are known to match. If
/// it is not of this notation, sets `error` and the offending part [error_begin, error_end) of the
/// literal.
struct StringValue {
  std::string text;
  std::string error;
  bool unsupported = false;  // Python takes what the error is at
  bool is_bytes = false;     // b"...": each letter of the text is a byte
  std::size_t error_begin = 0;
  std::size_t error_end = 0;
};
StringValue string_value(std::string_view literal);

/// The name as Python compares it: normalised if it has letters outside of ASCII.
std::string normalized_name(std::string_view name);

}  // namespace rewriter::ast
