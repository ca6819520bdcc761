// Numbers of a program, which Python has in double or as integers, in the precision of a run.
#pragma once

#include <algorithm>
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

/// Up to 2 to this power the integers are numbers of T, and of int64.
template <class T>
inline constexpr int kIntegerBits = std::min(std::numeric_limits<T>::digits, 63);

/// Whether an integer that a run in T computed is the exact one: from 2^kIntegerBits on it may have
/// been rounded, unless it is what NumPy makes of NaN.
template <class T>
bool is_exact_integer(T number) {
  return std::abs(number) < std::ldexp(T(1), kIntegerBits<T>) || number == T(-0x1p31) ||
         number == T(-0x1p63);
}

}  // namespace rewriter
