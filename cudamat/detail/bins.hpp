// What counts and searches of all engines share: for the host and for kernels.
//
// Sums by key have one order on every engine, whatever the number of threads. The numbers of a
// key, in the order in which they stand, are cut into pieces of kPiece; each piece is added up from
// its first number to its last, beginning with 0; then the sums of the pieces are taken for the
// numbers, until one is left. So a key with up to kPiece numbers has the bits of a loop over them,
// and one with more is added up in parallel, with at most kPiece - 1 roundings a level: a loop's
// error grows with n, this one's with its logarithm. Ones are counted without an error up to the
// greatest number below which all whole numbers are the type's, and to the nearest number beyond:
// a loop would end there.
#pragma once

#include <cstdint>

#include "cudamat/host_device.hpp"
#include "cudamat/index.hpp"

namespace cudamat {

/// Which edges count as before a number.
enum class Side : std::uint8_t {
  Left,   ///< those that are less
  Right,  ///< those that are not greater
  Bins,   ///< the same, but the last one only if it is less: its bin includes it
};

namespace detail {

inline constexpr Index kPiece = 64;

/// Whether x is a whole number in [0, size).
template <class T>
CUDAMAT_HD bool is_place(T x, Index size) {
  constexpr T kFar = T(std::int64_t{1} << 62);
  if (!(x >= T(0)) || !(x < kFar)) return false;
  const Index place = static_cast<Index>(x);
  return place < size && static_cast<T>(place) == x;
}

/// Whether x comes before y in order: NaNs come after all numbers.
template <class T>
CUDAMAT_HD bool precedes(T x, T y) {
  return x < y || (x == x && y != y);
}

/// How many of `count` edges, in ascending order, are before x.
template <class T>
CUDAMAT_HD Index edges_before(Side side, const T* edges, Index count, T x) {
  Index before = 0;
  for (Index rest = side == Side::Bins && count > 0 ? count - 1 : count; rest > 0;) {
    const Index half = rest / 2;
    const T edge = edges[before + half];
    if (side == Side::Left ? precedes(edge, x) : !precedes(x, edge)) {
      before += half + 1;
      rest -= half + 1;
    } else {
      rest = half;
    }
  }
  const bool at_last = side == Side::Bins && count > 0 && before == count - 1;
  return at_last && (x != x || precedes(edges[before], x)) ? count : before;
}

}  // namespace detail
}  // namespace cudamat
