// Parts of texts. Internal to the reader.
#pragma once

#include <utility>
#include <vector>

#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// Python's repr() of what is known when the program is read.
std::optional<std::string> known_repr(const Value& value);

/// The text of a value that is known when the program is read; nothing of others.
std::optional<std::string> known_text(const Value& value);

/// Appends the text of a value in this format, as str() and format() give it.
void append(Text& text, const Value& value, const std::string& format);

/// A plain string where the text holds no run-time number.
Value simplified(Text text);

/// What has no text: whole arrays and lists, and what is ignored.
bool has_no_text(const Value& value);

/// What NumPy 2 writes around the text of a scalar of its own in repr(), "np.float64(" and ")";
/// empty around other values.
std::pair<std::string, std::string> around_scalar(const Value& value);

/// Whether Python's repr() has the text as it is, in single quotes.
bool is_plain(std::string_view text);

/// `%6s`, `%-8s`, `%r`: the value's text, put to the right or to the left of so much room.
void append_text(Text& text, const Value& value, const std::string& how);

/// Of bytes: b'abc'.
std::string bytes_repr(const Sequence& bytes);
/// The functions and methods of bytes.
std::vector<Row> bytes_rows();

/// Python's repr() of a string.
std::string quoted(const std::string& text);

}  // namespace rewriter
