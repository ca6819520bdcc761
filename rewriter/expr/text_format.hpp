// Numbers as Python prints them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rewriter/expr/node.hpp"

namespace rewriter {

/// Python's str() of a float: the shortest decimal that reads back as the same number, with a point
/// or an exponent. T: float, double, long double.
template <class T>
std::string python_float(T value);

/// Whether the format, what follows the colon of `{x:.4f}`, is one of those that
/// format_number() takes: [<>^][+ -][0][width][, _][.precision][d f F e E g G].
bool is_number_format(std::string_view format);

/// A number as NumPy holds it, in Python's format; as str() if that is empty. `d` cuts to an
/// integer, as `%d` does.
template <class T>
std::string format_number(T value, DType dtype, const std::string& format);

/// What of an array is printed: str(), or in a list repr(). The format of it is `(2, 3)`, its
/// shape, or `r(2, 3)`.
struct ArrayFormat {
  Dims dims;
  bool is_repr = false;
  [[nodiscard]] std::string text() const;
};
/// Nothing of the format of a number.
std::optional<ArrayFormat> array_format(std::string_view format);

/// An integer in the format.
std::string format_integer(Index value, const std::string& format);

}  // namespace rewriter
