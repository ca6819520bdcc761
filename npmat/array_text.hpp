// Arrays as text, as NumPy 1.24 prints them with its default options. C++17, and part of printed
// programs.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace npmat {

/// What the elements of an array are in NumPy.
enum class Elements { Floats, Integers, Bools };

namespace array_texts {

using Index = std::int64_t;

constexpr int kPrecision = 8;
constexpr std::size_t kLineWidth = 75;
constexpr Index kThreshold = 1000;  // elements; more are summarised
constexpr Index kEdge = 3;          // elements at either end that a summary shows

/// The number with so many digits after the point, or with the fewest that tell it from others.
template <class T, class... Precision>
std::string written(T value, std::chars_format form, Precision... precision) {
  std::array<char, 6000> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, form, precision...).ptr;
  return {text.data(), end};
}

/// The fewest digits that tell the number from others, but at most kPrecision after the point, and
/// without the zeros at their end.
template <class T>
std::string digits(T value, std::chars_format form) {
  const auto fraction_of = [](const std::string& number) {
    const std::size_t point = number.find('.');
    const std::size_t end = std::min(number.find('e'), number.size());
    return point == std::string::npos ? std::string_view()
                                      : std::string_view(number).substr(point + 1, end - point - 1);
  };
  std::string number = written(value, form);
  if (fraction_of(number).size() > kPrecision) number = written(value, form, kPrecision);
  const std::size_t end = std::min(number.find('e'), number.size());
  const std::string exponent = number.substr(end);
  number.resize(end);
  if (number.find('.') == std::string::npos)
    number += '.';
  else
    number.erase(number.find_last_not_of('0') + 1);
  return number + exponent;
}

/// How the numbers of one array are written: all in one width.
template <class T>
class Format {
 public:
  explicit Format(const std::vector<T>& shown, Elements elements = Elements::Floats)
      : elements_(elements) {
    if (elements == Elements::Bools) left_ = 5;
    if (elements == Elements::Integers)
      for (const T value : shown) left_ = std::max(left_, whole(value).size());
    if (elements == Elements::Floats) fit(shown);
  }

  [[nodiscard]] std::string operator()(T value) const {
    if (elements_ == Elements::Floats) return number(value);
    const std::string text = elements_ == Elements::Integers ? whole(value)
                             : value != 0                    ? "True"
                                                             : "False";
    return std::string(left_ - text.size(), ' ') + text;
  }

 private:
  static std::string whole(T value) { return written(value, std::chars_format::fixed, 0); }

  void fit(const std::vector<T>& shown) {
    T least = std::numeric_limits<T>::infinity();
    T most = 0;
    for (const T value : shown) {
      if (!std::isfinite(value) || value == 0) continue;
      least = std::min(least, std::abs(value));
      most = std::max(most, std::abs(value));
    }
    using Bound = std::common_type_t<T, double>;  // NumPy compares float32 as float64
    scientific_ =
        most >= T(1e8) || (most > 0 && (Bound(least) < Bound(0.0001) || most / least > T(1000)));
    for (const T value : shown) {
      if (!std::isfinite(value)) continue;
      const Parts parts = split(value);
      left_ = std::max(left_, parts.whole.size());
      right_ = std::max(right_, parts.fraction.size());
      exponent_ = std::max(exponent_, parts.exponent.size());
    }
    for (const T value : shown)
      if (!std::isfinite(value))
        left_ = std::max(left_, name(value).size() - std::min(name(value).size(), behind()));
  }

  [[nodiscard]] std::string number(T value) const {
    const std::size_t width = left_ + behind();
    if (!std::isfinite(value)) {
      const std::string text = name(value);
      return std::string(width - std::min(width, text.size()), ' ') + text;
    }
    if (scientific_) {
      std::string text = written(value, std::chars_format::scientific, static_cast<int>(right_));
      if (right_ == 0) text.insert(text.find('e'), 1, '.');
      const std::size_t digits = text.find('e') + 2;
      text.insert(digits, exponent_ - (text.size() - digits + 2), '0');
      return std::string(width - text.size(), ' ') + text;
    }
    const Parts parts = split(value);
    return std::string(left_ - parts.whole.size(), ' ') + parts.whole + '.' + parts.fraction +
           std::string(right_ - parts.fraction.size(), ' ');
  }

  struct Parts {
    std::string whole, fraction, exponent;
  };

  /// Characters from the point on.
  [[nodiscard]] std::size_t behind() const { return 1 + right_ + exponent_; }

  static std::string name(T value) {
    if (std::isnan(value)) return "nan";
    return value < 0 ? "-inf" : "inf";
  }

  [[nodiscard]] Parts split(T value) const {
    const std::string text =
        digits(value, scientific_ ? std::chars_format::scientific : std::chars_format::fixed);
    const std::size_t point = text.find('.');
    const std::size_t end = std::min(text.find('e'), text.size());
    return {text.substr(0, point), text.substr(point + 1, end - point - 1), text.substr(end)};
  }

  Elements elements_;
  bool scientific_ = false;
  std::size_t left_ = 0;      // characters before the point, or of each element
  std::size_t right_ = 0;     // digits after it
  std::size_t exponent_ = 0;  // characters of an exponent, its `e` and sign among them
};

/// The elements of an axis that are shown; -1 represents what a summary omits.
inline std::vector<Index> shown_of(Index extent, bool summary) {
  std::vector<Index> shown;
  for (Index i = 0; i < extent; ++i) {
    if (summary && extent > 2 * kEdge && i == kEdge) {
      shown.push_back(-1);
      i = extent - kEdge;
    }
    shown.push_back(i);
  }
  return shown;
}

template <class T>
class Printer {
 public:
  Printer(const std::vector<Index>& shape, const std::vector<T>& data, Elements elements,
          std::string_view separator)
      : shape_(shape),
        data_(data),
        summary_(static_cast<Index>(data.size()) > kThreshold),
        separator_(separator),
        format_(shown(0, 0), elements) {}

  /// `before` characters precede its first line, and `after` follow the last one.
  std::string print(std::size_t before, std::size_t after) const {
    return axis(0, 0, before + 1, kLineWidth - after);
  }

 private:
  [[nodiscard]] Index extent(std::size_t axis) const { return shape_[axis]; }

  std::vector<T> shown(std::size_t axis, Index offset) const {
    if (axis == shape_.size()) return {data_[static_cast<std::size_t>(offset)]};
    std::vector<T> elements;
    for (const Index i : shown_of(extent(axis), summary_)) {
      if (i < 0) continue;
      const std::vector<T> inner = shown(axis + 1, offset * extent(axis) + i);
      elements.insert(elements.end(), inner.begin(), inner.end());
    }
    return elements;
  }

  /// The part at this offset, in brackets; `indent` spaces come before its lines but the first.
  std::string axis(std::size_t axis, Index offset, std::size_t indent, std::size_t width) const {
    const std::size_t left = shape_.size() - axis;
    const std::string margin(indent, ' ');
    const std::string comma(separator_.substr(0, separator_.size() - 1));
    std::string text;
    std::string line = margin;
    for (const Index i : shown_of(extent(axis), summary_)) {
      const Index at = offset * extent(axis) + i;
      if (left == 1) {
        const std::string word = i < 0 ? "..." : format_(data_[static_cast<std::size_t>(at)]);
        if (line.size() + word.size() > width - 1 && line.size() > indent) {
          text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
          line = margin;
        }
        line += word + std::string(separator_);
      } else {
        if (i != 0) text += comma + std::string(left - 1, '\n');
        text += margin + (i < 0 ? "..." : this->axis(axis + 1, at, indent + 1, width - 1));
      }
    }
    if (left == 1) text += line.substr(0, line.size() - separator_.size());
    return "[" + text.substr(indent) + "]";
  }

  const std::vector<Index>& shape_;
  const std::vector<T>& data_;
  bool summary_;
  std::string_view separator_;
  Format<T> format_;
};

/// The fewest digits that tell the number from others, in positional notation: zeros come after
/// them where to_chars would go on with the exact value.
template <class T>
std::string positional(T value) {
  const std::string text = written(value, std::chars_format::scientific);
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  std::string digits = text.substr(0, e);
  const std::string sign = digits[0] == '-' ? "-" : "";
  digits.erase(0, sign.size());
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0');
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

/// As Python prints a number: 3.0, 1e-05.
template <class T>
std::string number_text(T value) {
  if (!std::isfinite(value)) return Format<T>({value})(value);
  using Bound = std::common_type_t<T, double>;  // NumPy compares float32 as float64
  const Bound magnitude = std::abs(value);
  const bool fixed = value == 0 || (magnitude >= Bound(1e-4) && magnitude < Bound(1e16));
  std::string number = fixed ? positional(value) : written(value, std::chars_format::scientific);
  if (fixed && number.find('.') == std::string::npos) number += ".0";
  return number;
}

}  // namespace array_texts

/// str() of the NumPy array of this shape, its elements in C order: 8 digits after the point at
/// most, lines of 75 characters, of more than 1000 elements three at either end of every axis. T:
/// float, double, long double, whose shortest digits are shown.
template <class T>
std::string array_text(const std::vector<std::int64_t>& shape, const std::vector<T>& data,
                       Elements elements = Elements::Floats) {
  if (data.empty()) return "[]";
  if (shape.empty()) return array_texts::number_text(data[0]);
  return array_texts::Printer<T>(shape, data, elements, " ").print(0, 0);
}

/// repr() of the NumPy array, which is not empty: the same in `array(...)`, with commas.
template <class T>
std::string array_repr(const std::vector<std::int64_t>& shape, const std::vector<T>& data,
                       Elements elements = Elements::Floats) {
  const std::string begin = "array(";
  return begin + array_texts::Printer<T>(shape, data, elements, ", ").print(begin.size(), 1) + ")";
}

}  // namespace npmat
