// Numbers of a program, which Python has in double, in the precision of a run.
#pragma once

#include <cmath>
#include <limits>

namespace rewriter {

/// In the precision T. What is finite stays finite: beyond T's range it is T's largest.
template <class T>
T number_in(double number) {
  constexpr T kMost = std::numeric_limits<T>::max();
  if (std::isinf(number) || !(std::abs(number) > static_cast<double>(kMost)))
    return static_cast<T>(number);
  return number < 0 ? -kMost : kMost;
}

}  // namespace rewriter
