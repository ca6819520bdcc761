#include "rewriter/expr/text_format.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "rewriter/expr/number_place.hpp"

namespace rewriter {

template <class T>
std::string python_float(T value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

bool is_number_format(std::string_view format) {
  std::size_t at = 0;
  const auto skip = [&](std::string_view characters, std::size_t most) {
    std::size_t count = 0;
    for (; count < most && at < format.size() && characters.find(format[at]) != format.npos; ++at)
      ++count;
    return count;
  };
  constexpr std::string_view kDigits = "0123456789";
  skip("<>^", 1);
  skip("+- ", 1);
  const bool zeros = at < format.size() && format[at] == '0';
  skip(kDigits, 3);
  if (skip(",_", 1) == 1 && zeros) return false;
  const bool precise = skip(".", 1) == 1;
  if (precise && skip(kDigits, 2) == 0) return false;
  const bool integer = at < format.size() && format[at] == 'd';
  skip("dfFeEgG", 1);
  return at == format.size() && !(precise && integer);
}

std::string ArrayFormat::text() const {
  return (is_repr ? "r" : "") + to_string(dims);
}

std::optional<ArrayFormat> array_format(std::string_view format) {
  ArrayFormat made;
  made.is_repr = format.starts_with('r');
  const std::string text(format);
  Index extent = -1;
  for (const char c : format) {
    if (c >= '0' && c <= '9' && extent < Index{1} << 50)
      extent = std::max(extent, Index{0}) * 10 + (c - '0');
    else if ((c == ',' || c == ')') && extent >= 0)
      made.dims.push_back(std::exchange(extent, -1));
  }
  return made.dims.empty() || made.text() != text ? std::nullopt : std::optional(made);
}

std::string format_integer(Index value, const std::string& format) {
  if (format.empty()) return fmt::format("{}", value);
  if (const NumberPlace placed(format); placed.group != 0)
    return placed.put(format_integer(value, placed.of_number));
  const bool plain = format.back() == 'd' || std::isalpha(format.back()) == 0;
  if (plain && format.find('.') == std::string::npos)
    return fmt::format(fmt::runtime("{:" + format + "}"), value);
  return fmt::format(fmt::runtime("{:" + format + "}"), static_cast<double>(value));
}

template <class T>
std::string format_number(T value, DType dtype, const std::string& format) {
  if (std::isnan(value)) value = std::abs(value);  // Python prints no sign
  const bool finite = std::isfinite(value) && std::abs(value) < T(9.2e18);
  const bool integer = dtype != DType::Float || (!format.empty() && format.back() == 'd');
  if (dtype == DType::Bool && format.empty()) return value != 0 ? "True" : "False";
  if (integer && finite) return format_integer(static_cast<Index>(value), format);
  if (format.empty() || format.back() == 'd') return python_float(value);
  const NumberPlace placed(format);
  const bool has_letter = std::isalpha(static_cast<unsigned char>(format.back())) != 0;
  if (!has_letter && format.find('.') == std::string::npos) {
    const std::string& sign = placed.of_number;
    const bool is_negative = std::signbit(value) && !std::isnan(value);
    const bool has_sign = !is_negative && !sign.empty() && sign != "-";
    return placed.put((has_sign ? sign : "") + python_float(value));
  }
  if (placed.group != 0 || !std::isfinite(value))
    return placed.put(fmt::format(fmt::runtime("{:" + placed.of_number + "}"), value));
  return fmt::format(fmt::runtime("{:" + format + "}"), value);
}

#define FORMATS_OF(T)                   \
  template std::string python_float(T); \
  template std::string format_number(T, DType, const std::string&);
FORMATS_OF(float)
FORMATS_OF(double)
FORMATS_OF(long double)
#undef FORMATS_OF

}  // namespace rewriter
