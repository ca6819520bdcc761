// Python's format of a number in two parts: what its letter makes of the number, and where that is
// put. C++17: printed programs have this text, too (emit/standalone.hpp).
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

namespace rewriter {

/// Of [<>^][+ -][0][width][, _][.precision][letter].
struct NumberPlace {
  std::string of_number;  ///< [+ -][.precision][letter]
  char align = 0;
  bool zeros = false;
  std::size_t width = 0;
  char group = 0;

  explicit NumberPlace(const std::string& format) {
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

  std::string put(std::string body) const {
    const std::size_t first = body.find_first_of("0123456789");
    if (group != 0 && first != std::string::npos) {
      std::size_t end = std::min(body.find_first_not_of("0123456789", first), body.size());
      for (; end > first + 3; end -= 3) body.insert(end - 3, 1, group);
    }
    if (body.size() >= width) return body;
    const std::size_t room = width - body.size();
    const std::size_t sign = std::min(body.find_first_not_of("+- "), body.size());
    if (zeros && align == 0) return body.insert(sign, room, '0');
    const std::size_t before = align == '<' ? 0 : align == '^' ? room / 2 : room;
    return std::string(before, ' ') + body + std::string(room - before, ' ');
  }
};

}  // namespace rewriter
