// Sums and products of sizes that stop at the largest number: no machine has so much memory, and
// nothing overflows.
#pragma once

#include <limits>

#include "cudamat/engine.hpp"

namespace rewriter {

using cudamat::Index;

/// a + b; where 64 bits do not hold it, the largest or the smallest Index.
inline Index saturating_add(Index a, Index b) {
  Index sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<Index>::min() : std::numeric_limits<Index>::max();
}

/// a * b, neither of which is negative.
inline Index saturating_multiply(Index a, Index b) {
  Index product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<Index>::max() : product;
}

}  // namespace rewriter
