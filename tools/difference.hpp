// How far two arrays lie apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "npmat/array.hpp"

namespace tools {

struct Difference {
  long double largest = 0;  ///< NaN-free; infinite where only one side is NaN, or infinities differ
  std::size_t differing = 0;  ///< elements; NaNs are alike, and so are zeros
};

/// Of arrays of the same shape.
template <class T>
Difference difference(const npmat::Array<T>& a, const npmat::Array<T>& b) {
  Difference result;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    const T x = a.data[i];
    const T y = b.data[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    ++result.differing;
    const long double delta = std::abs(static_cast<long double>(x) - y);
    result.largest =
        std::max(result.largest,
                 std::isfinite(delta) ? delta : std::numeric_limits<long double>::infinity());
  }
  return result;
}

}  // namespace tools
