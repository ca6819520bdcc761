#include "rewriter/python/literals.hpp"

#include <clocale>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>

#include "rewriter/text/unicode.hpp"

namespace rewriter::ast {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool continues_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

/// 16 for the x of 0x, and so on; 0 for anything else.
int base_of(char c) {
  switch (c | 0x20) {
    case 'x':
      return 16;
    case 'o':
      return 8;
    case 'b':
      return 2;
    default:
      return 0;
  }
}

// The end of `digit (_? digit)*` at `i`; `i` itself if there is none.
std::size_t skip_digits(std::string_view text, std::size_t i, int base) {
  const auto digit_at = [&](std::size_t k) {
    return k < text.size() && digit_value(text[k]) < base;
  };
  if (!digit_at(i)) return i;
  while (digit_at(i) || (i < text.size() && text[i] == '_' && digit_at(i + 1))) ++i;
  return i;
}

// Keywords that Python lets follow a number without a space: 1or x.
bool is_operator_word(std::string_view word) {
  for (const std::string_view keyword : {"and", "else", "for", "if", "in", "is", "not", "or"}) {
    if (word == keyword) return true;
  }
  return false;
}

std::string malformed_number(std::string_view literal, std::size_t good) {
  const char next = literal[good];
  const bool last = good + 1 == literal.size();
  if (last && (next == 'l' || next == 'L')) {
    return fmt::format("integers have no suffix in Python 3; write {}", literal.substr(0, good));
  }
  if (last && (next == 'f' || next == 'F')) {
    return fmt::format("numbers have no suffix in Python; write {}", literal.substr(0, good));
  }
  return fmt::format("'{}' is not a number", literal);
}

// Correctly rounded, whatever the locale; infinite beyond the range, as in Python.
double to_double(const std::string& digits) {
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return strtod_l(digits.c_str(), nullptr, c_locale);
}

// Digits of base 2, 8 or 16 as a literal that strtod reads.
std::string as_hexadecimal(std::string_view digits, int base) {
  if (base == 16) return "0x" + std::string(digits);
  const int bits_per_digit = base == 8 ? 3 : 1;
  std::string bits;
  for (const char c : digits) {
    for (int bit = bits_per_digit - 1; bit >= 0; --bit) {
      bits += static_cast<char>('0' + (digit_value(c) >> bit & 1));
    }
  }
  bits.insert(0, (4 - bits.size() % 4) % 4, '0');
  std::string hexadecimal = "0x";
  for (std::size_t i = 0; i < bits.size(); i += 4) {
    int value = 0;
    for (std::size_t k = i; k < i + 4; ++k) value = 2 * value + (bits[k] - '0');
    hexadecimal += "0123456789abcdef"[value];
  }
  return hexadecimal;
}

}  // namespace

std::size_t scan_number(std::string_view text, std::string& error) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  std::size_t end = 0;
  bool integer = true;
  bool complete = true;
  if (const int base = at(0) == '0' ? base_of(at(1)) : 0; base != 0) {
    const std::size_t digits = at(2) == '_' ? 3 : 2;
    end = skip_digits(text, digits, base);
    complete = end > digits;
    if (!complete) end = 1;  // the letter is what is wrong
  } else {
    end = skip_digits(text, 0, 10);
    if (at(end) == '.') {
      integer = false;
      end = skip_digits(text, end + 1, 10);
    }
    if ((at(end) | 0x20) == 'e') {
      const std::size_t digits = end + (at(end + 1) == '+' || at(end + 1) == '-' ? 2 : 1);
      const std::size_t after = skip_digits(text, digits, 10);
      integer = integer && after == digits;
      if (after > digits) end = after;
    }
    const std::size_t significant = text.substr(0, end).find_first_not_of("0_");
    const bool imaginary = (at(end) | 0x20) == 'j';
    if (integer && at(0) == '0' && significant != std::string_view::npos && !imaginary) {
      error = fmt::format("an integer cannot start with 0; write {}, or octal as 0o{}",
                          text.substr(significant, end - significant),
                          text.substr(significant, end - significant));
      return end;
    }
  }
  if (complete && end > 0 && (at(end) | 0x20) == 'j' && (at(0) != '0' || base_of(at(1)) == 0))
    ++end;
  const std::size_t good = end;
  while (end < text.size() && continues_name(text[end])) ++end;
  if (complete && is_operator_word(text.substr(good, end - good))) return good;
  if (end > good) error = malformed_number(text.substr(0, end), good);
  return end;
}

Number number_value(std::string_view literal) {
  std::string digits;
  for (const char c : literal) {
    if (c != '_') digits += c;
  }
  if ((digits.back() | 0x20) == 'j') {
    digits.pop_back();
    return {Number::Kind::Imaginary, 0, to_double(digits)};
  }
  int base = digits.size() > 1 && digits[0] == '0' ? base_of(digits[1]) : 0;
  if (base == 0 && digits.find_first_of(".eE") != std::string::npos) {
    return {Number::Kind::Real, 0, to_double(digits)};
  }
  if (base != 0) digits.erase(0, 2);
  if (base == 0) base = 10;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t value = 0;
  for (const char c : digits) {
    const int digit = digit_value(c);
    if (value > (kMax - digit) / base) {
      return {Number::Kind::BigInteger, 0,
              to_double(base == 10 ? digits : as_hexadecimal(digits, base))};
    }
    value = value * base + digit;
  }
  return {Number::Kind::Integer, value, static_cast<double>(value)};
}

std::string normalized_name(std::string_view name) {
  std::string normalized;
  for (std::size_t i = 0; i < name.size();) {
    const Character character = decode_utf8(name, i);
    append_utf8(normalized, character.code < 0x80 ? character.code : name_letter(character.code));
    i += static_cast<std::size_t>(character.length);
  }
  return normalized;
}

namespace {

// Decodes the escapes of the body [begin, end) of a string literal into `value`.
class Unescape {
 public:
  Unescape(std::string_view literal, std::size_t begin, std::size_t end, StringValue& value)
      : literal_(literal), at_(begin), end_(end), value_(value) {}

  void run(bool raw) {
    while (at_ < end_ && value_.error.empty()) {
      const char c = literal_[at_];
      if (c == '\r') {  // Python reads every line end as \n
        at_ += literal_.substr(at_).starts_with("\r\n") ? 2 : 1;
        value_.text += '\n';
      } else if (c == '\\' && !raw) {
        escape();
      } else {
        value_.text += c;
        ++at_;
      }
    }
  }

 private:
  void escape() {
    static constexpr std::string_view kFrom = "\\'\"abfnrtv";
    static constexpr std::string_view kTo = "\\'\"\a\b\f\n\r\t\v";
    const char c = literal_[at_ + 1];
    if (const std::size_t i = kFrom.find(c); i != std::string_view::npos) {
      value_.text += kTo[i];
      at_ += 2;
    } else if (c == '\n' || c == '\r') {
      at_ += literal_.substr(at_ + 1).starts_with("\r\n") ? 3 : 2;
    } else if (c >= '0' && c <= '7') {
      code_point(at_ + 1, 1, 3, 8);
    } else if (c == 'x') {
      code_point(at_ + 2, 2, 2, 16);
    } else if (value_.is_bytes && (c == 'u' || c == 'U' || c == 'N')) {  // no escapes there
      value_.text += '\\';
      ++at_;
    } else if (c == 'u') {
      code_point(at_ + 2, 4, 4, 16);
    } else if (c == 'U') {
      code_point(at_ + 2, 8, 8, 16);
    } else if (c == 'N') {
      fail("characters by name are not supported; write the character itself", 2);
      value_.unsupported = literal_.substr(at_ + 2).starts_with('{');
    } else {  // as Python: an unknown escape is kept as it is
      value_.text += '\\';
      ++at_;
    }
  }

  void code_point(std::size_t digits, std::size_t least, std::size_t most, int base) {
    char32_t code = 0;
    std::size_t count = 0;
    while (count < most && digits + count < end_ && digit_value(literal_[digits + count]) < base) {
      code = code * static_cast<char32_t>(base) +
             static_cast<char32_t>(digit_value(literal_[digits + count]));
      ++count;
    }
    if (count < least) {
      fail(fmt::format("this escape needs {} hexadecimal digits", least), digits + count - at_);
    } else if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
      fail("this escape is not a Unicode character", digits + count - at_);
      value_.unsupported = code <= 0x10FFFF;
    } else {
      append_utf8(value_.text, code);
      at_ = digits + count;
    }
  }

  void fail(std::string error, std::size_t length) {
    value_.error = std::move(error);
    value_.error_begin = at_;
    value_.error_end = at_ + length;
  }

  std::string_view literal_;
  std::size_t at_;
  std::size_t end_;
  StringValue& value_;
};

}  // namespace

StringValue string_value(std::string_view literal) {
  StringValue value;
  const std::size_t quote = literal.find_first_of("'\"");
  const std::string_view prefix = literal.substr(0, quote);
  value.error_end = literal.size();
  if (prefix.find_first_of("fF") != std::string_view::npos) {
    value.error = "f-strings are not supported";
  }
  value.is_bytes = prefix.find_first_of("bB") != std::string_view::npos;
  value.unsupported = !value.error.empty();
  if (value.unsupported) return value;
  const bool triple = literal.size() >= quote + 6 && literal[quote + 1] == literal[quote] &&
                      literal[quote + 2] == literal[quote];
  const std::size_t width = triple ? 3 : 1;
  Unescape(literal, quote + width, literal.size() - width, value)
      .run(prefix.find_first_of("rR") != std::string_view::npos);
  return value;
}

}  // namespace rewriter::ast
