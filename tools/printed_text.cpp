#include "tools/printed_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>
#include <string_view>

namespace symdump {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A number at the beginning of a text.
struct Printed {
  std::size_t length = 0;  ///< 0: there is none
  double value = 0;
  double unit = 0;  ///< of the last place; 0: an int

  explicit Printed(std::string_view text) {
    std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
    const auto digits = [&] {
      const std::size_t first = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return static_cast<int>(at - first);
    };
    if (digits() == 0) return;
    int decimals = 0, exponent = 0;
    bool is_float = false;
    if (at < text.size() && text[at] == '.') {
      ++at;
      decimals = digits();
      is_float = true;
    }
    if (at + 2 < text.size() && text[at] == 'e' && (text[at + 1] == '-' || text[at + 1] == '+') &&
        is_digit(text[at + 2])) {
      exponent = std::atoi(std::string(text.substr(at + 1, 5)).c_str());
      at += 2;
      digits();
      is_float = true;
    }
    length = at;
    value = std::strtod(std::string(text.substr(0, at)).c_str(), nullptr);
    if (is_float) unit = std::pow(10.0, exponent - decimals);
  }
};

std::size_t spaces(std::string_view text) {
  return std::min(text.find_first_not_of(' '), text.size());
}

bool agree(std::string_view got, std::string_view wanted, double tolerance, double scale) {
  while (!got.empty() && !wanted.empty()) {
    const Printed a(got), b(wanted);
    if (a.length != 0 && b.length != 0) {
      const bool is_float = a.unit != 0 && b.unit != 0;
      const double most =
          std::max(tolerance * std::max(std::abs(b.value), scale), 1.01 * std::max(a.unit, b.unit));
      if (is_float ? !(std::abs(a.value - b.value) <= most)
                   : got.substr(0, a.length) != wanted.substr(0, b.length))
        return false;
      got.remove_prefix(a.length);
      wanted.remove_prefix(b.length);
    } else if (got[0] == ' ' && wanted[0] == ' ') {
      got.remove_prefix(spaces(got));
      wanted.remove_prefix(spaces(wanted));
    } else {
      if (got[0] != wanted[0]) return false;
      got.remove_prefix(1);
      wanted.remove_prefix(1);
    }
  }
  return spaces(got) == got.size() && spaces(wanted) == wanted.size();
}

}  // namespace

std::optional<std::string> difference_of_texts(const std::string& got, const std::string& wanted,
                                               double tolerance, double scale) {
  std::istringstream ours(got), theirs(wanted);
  std::string a, b;
  for (int line = 1;; ++line) {
    const bool more = bool(std::getline(ours, a)), has = bool(std::getline(theirs, b));
    if (!more && !has) return std::nullopt;
    if (more && has && agree(a, b, tolerance, scale)) continue;
    const auto said = [](bool is_there, const std::string& text) {
      return is_there ? fmt::format("'{}'", text) : std::string("nothing");
    };
    return fmt::format("line {} is {}, in NumPy {}", line, said(more, a), said(has, b));
  }
}

}  // namespace symdump
