// More element-wise functions, and NumPy's names of functions that have an operator or another
// name. Part of functions.hpp.
#pragma once

#include <optional>
#include <utility>

#include "gnumpy/garray.hpp"

namespace gnumpy {

// ---- whole numbers ----

/// Rounds to `decimals` places after the point, or before it if negative: rint of the array
/// multiplied or divided by a power of ten, as in NumPy.
garray round(operand a, int decimals = 0);
// mod (functions.hpp) is the remainder of a after whole multiples of b, with b's sign as in Python:
// mod(-1, 3) is 2, mod(1, -3) is -2, mod(3, -3) is -0, mod(-1, inf) is inf. NaN for b = 0 and for
// an infinite a. floor_divide is Python's a // b: a / b for b = 0.

// ---- others ----

/// minimum(maximum(a, least), greatest): arrays or numbers that broadcast; std::nullopt for no
/// bound. At least one bound is required.
garray clip(operand a, std::optional<operand> least, std::optional<operand> greatest);
/// np.power: C's pow of each pair. gnumpy::pow is `**`, which takes square roots for 0.5.
garray power(operand base, operand exponent);
/// Logical not: elements that are not 0, including NaN, are true.
garray logical_not(operand a);
garray logical_xor(operand a, operand b);

// ---- names ----

#define GNUMPY_SAME(name, same)   \
  inline garray name(operand a) { \
    return same(std::move(a));    \
  }
#define GNUMPY_SAME_2(name, same)            \
  inline garray name(operand a, operand b) { \
    return same(std::move(a), std::move(b)); \
  }
GNUMPY_SAME(absolute, abs)
GNUMPY_SAME(fabs, abs)
GNUMPY_SAME(fix, trunc)
GNUMPY_SAME_2(add, operator+)
GNUMPY_SAME_2(subtract, operator-)
GNUMPY_SAME_2(multiply, operator*)
GNUMPY_SAME_2(divide, operator/)
GNUMPY_SAME_2(true_divide, operator/)
GNUMPY_SAME_2(remainder, mod)
GNUMPY_SAME_2(float_power, power)
GNUMPY_SAME_2(less, operator<)
GNUMPY_SAME_2(less_equal, operator<=)
GNUMPY_SAME_2(greater, operator>)
GNUMPY_SAME_2(greater_equal, operator>=)
GNUMPY_SAME_2(equal, operator==)
GNUMPY_SAME_2(not_equal, operator!=)
GNUMPY_SAME_2(logical_and, operator&)
GNUMPY_SAME_2(logical_or, operator|)
#undef GNUMPY_SAME
#undef GNUMPY_SAME_2
inline garray around(operand a, int decimals = 0) {
  return round(std::move(a), decimals);
}
inline garray amax(operand a, const Axes& axis = {}, Keepdims keep = {}) {
  return max(std::move(a), axis, keep);
}
inline garray amin(operand a, const Axes& axis = {}, Keepdims keep = {}) {
  return min(std::move(a), axis, keep);
}

}  // namespace gnumpy
