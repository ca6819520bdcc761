#include "rewriter/expr/text_format.hpp"

#include <cctype>
#include <cmath>
#include <fmt/format.h>

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

namespace {

/// A format in two parts: what its letter makes of a number, and where that is put.
struct Placed {
  std::string of_number;  ///< [+ -][.precision][letter]
  char align = 0;
  bool zeros = false;
  std::size_t width = 0;
  char group = 0;

  explicit Placed(const std::string& format) {
    std::size_t at = 0;
    if (at < format.size() && std::string_view("<>^").find(format[at]) != std::string_view::npos)
      align = format[at++];
    if (at < format.size() && std::string_view("+- ").find(format[at]) != std::string_view::npos)
      of_number = format[at++];
    zeros = at < format.size() && format[at] == '0';
    for (; at < format.size() && std::isdigit(static_cast<unsigned char>(format[at])) != 0; ++at)
      width = 10 * width + static_cast<std::size_t>(format[at] - '0');
    if (at < format.size() && (format[at] == ',' || format[at] == '_')) group = format[at++];
    of_number += format.substr(at);
  }

  [[nodiscard]] std::string put(std::string body) const {
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
};

}  // namespace

std::string format_integer(Index value, const std::string& format) {
  if (format.empty()) return fmt::format("{}", value);
  if (const Placed placed(format); placed.group != 0)
    return placed.put(format_integer(value, placed.of_number));
  const bool plain = format.back() == 'd' || std::isalpha(format.back()) == 0;
  if (plain && format.find('.') == std::string::npos)
    return fmt::format(fmt::runtime("{:" + format + "}"), value);
  return fmt::format(fmt::runtime("{:" + format + "}"), static_cast<double>(value));
}

template <class T>
std::string format_number(T value, DType dtype, const std::string& format) {
  const bool finite = std::isfinite(value) && std::abs(value) < T(9.2e18);
  const bool integer = dtype != DType::Float || (!format.empty() && format.back() == 'd');
  if (dtype == DType::Bool && format.empty()) return value != 0 ? "True" : "False";
  if (integer && finite) return format_integer(static_cast<Index>(value), format);
  if (format.empty() || format.back() == 'd') return python_float(value);
  const Placed placed(format);
  const bool has_letter = std::isalpha(static_cast<unsigned char>(format.back())) != 0;
  if (!has_letter && format.find('.') == std::string::npos) {
    const std::string& sign = placed.of_number;
    const bool is_negative = std::signbit(value) && !std::isnan(value);
    const bool has_sign = !is_negative && !sign.empty() && sign != "-";
    return placed.put((has_sign ? sign : "") + python_float(value));
  }
  if (placed.group != 0)
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
