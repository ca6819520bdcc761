// Numbers as Python prints them, in printed C++ programs.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "rewriter/emit/standalone/matrix.hpp"

namespace cudamat {

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

/// Aligned, filled and grouped as [<>^][+- ][0][width][, _] says; the number comes as text.
inline std::string placed(std::string body, char align, bool zeros, std::size_t width, char group) {
  const std::size_t first = body.find_first_of("0123456789");
  if (group != 0 && first != std::string::npos) {
    std::size_t end = std::min(body.find_first_not_of("0123456789", first), body.size());
    for (; end > first + 3; end -= 3) body.insert(end - 3, 1, group);
  }
  if (body.size() >= width) return body;
  const std::size_t room = width - body.size();
  if (zeros && align == 0 && first != std::string::npos) return body.insert(first, room, '0');
  const std::size_t before = align == '<' ? 0 : align == '^' ? room / 2 : room;
  return std::string(before, ' ') + body + std::string(room - before, ' ');
}

/// A float in Python's format [<>^][+- ][0][width][, _][.precision][d f F e E g G].
inline std::string text(T value, const std::string& format) {
  std::size_t at = 0;
  const auto take = [&](const char* among) {
    const bool taken =
        at < format.size() && std::string(among).find(format[at]) != std::string::npos;
    return taken ? format[at++] : '\0';
  };
  const char align = take("<>^"), sign = take("+- ");
  const bool zeros = at < format.size() && format[at] == '0';
  std::size_t width = 0;
  while (const char digit = take("0123456789"))
    width = 10 * width + static_cast<std::size_t>(digit - '0');
  const char group = take(",_");
  const std::string flag = sign == 0 || sign == '-' ? "" : std::string(1, sign);
  std::string rest = format.substr(at), body;
  const bool has_letter =
      !rest.empty() && std::string("dfFeEgG").find(rest.back()) != std::string::npos;
  if (rest.empty()) {
    body = python_float(value);
    if (!std::signbit(value)) body = flag + body;
  } else if (rest == "d") {
    body = formatted(std::trunc(value), "%" + flag + ".0Lf");
  } else {
    if (!has_letter) rest += 'g';
    body = formatted(value, "%" + flag + rest.substr(0, rest.size() - 1) + "L" + rest.back());
  }
  return placed(body, align, zeros, width, group);
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
