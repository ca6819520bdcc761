// Numbers as Python prints them, in printed C++ programs.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "npmat/array_text.hpp"
#include "rewriter/emit/standalone/matrix.hpp"
#include "rewriter/expr/number_place.hpp"

namespace cudamat {

/// The elements of an array of up to two dimensions, and of more, in NumPy's order.
inline std::vector<T> rows_of(Matrix a) {
  std::vector<T> elements(static_cast<std::size_t>(a.size()));
  write_rows(a, elements.data());
  return elements;
}
inline std::vector<T> columns_of(Matrix a) {
  std::vector<T> elements(static_cast<std::size_t>(a.size()));
  download(a, elements.data());
  return elements;
}

/// str() of a float: the shortest decimal that reads back as the same number.
inline std::string python_float(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[64];
  const char* const end = std::to_chars(text, text + 64, value, std::chars_format::scientific).ptr;
  std::string digits(text, static_cast<std::size_t>(end - text));
  const std::size_t e = digits.find('e');
  const int exponent = std::atoi(digits.c_str() + e + 1);
  if (exponent < -4 || exponent >= 16) return digits;
  const bool negative = digits[0] == '-';
  digits = digits.substr(negative ? 1 : 0, e - (negative ? 1 : 0));
  if (digits.size() > 1) digits.erase(1, 1);  // the point
  if (exponent < 0) {
    digits = "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  } else {
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= whole) digits.append(whole - digits.size() + 1, '0');
    digits.insert(whole, 1, '.');
  }
  return (negative ? "-" : "") + digits;
}

/// What snprintf makes of the number: `sign` and precision as in its format.
inline std::string formatted(T value, const std::string& format) {
  char text[512];
  std::snprintf(text, sizeof text, format.c_str(), static_cast<long double>(value));
  return text;
}

/// A float in Python's format [<>^][+- ][0][width][, _][.precision][d f F e E g G].
inline std::string text(T value, const std::string& format) {
  if (std::isnan(value)) value = std::abs(value);  // Python prints no sign
  const rewriter::NumberPlace place(format);
  const std::string& of = place.of_number;
  const bool has_sign = !of.empty() && (of[0] == '+' || of[0] == '-' || of[0] == ' ');
  const std::string flag = has_sign && of[0] != '-' ? of.substr(0, 1) : "";
  std::string rest = of.substr(has_sign ? 1 : 0);
  if (rest.empty()) return place.put((std::signbit(value) ? "" : flag) + python_float(value));
  if (rest == "d") return place.put(formatted(std::trunc(value) + 0, "%" + flag + ".0Lf"));
  if (std::string("dfFeEgG").find(rest.back()) == std::string::npos) rest += 'g';
  return place.put(
      formatted(value, "%" + flag + rest.substr(0, rest.size() - 1) + "L" + rest.back()));
}
/// An integer in it, and a boolean.
inline std::string integer_text(Index value, std::string format) {
  const bool plain =
      format.empty() || std::string("dfFeEgG").find(format.back()) == std::string::npos;
  if (plain && format.find('.') == std::string::npos) format += 'd';
  return text(T(value), format);
}
inline std::string boolean_text(T value) {
  return value != 0 ? "True" : "False";
}

}  // namespace cudamat
