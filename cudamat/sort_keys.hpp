// Keys for radix sorts: whole numbers without a sign in the order that IEEE numbers have when they
// are sorted.
//
// IEEE numbers as bits are in order among the positive ones, and in the reverse order among the
// negative ones: with the sign flipped for the former and every bit for the latter they are in
// order throughout, but for NaNs of either sign at either end. Less the place of -infinity, around
// the end, all NaNs come last. The map is one to one, so that sorting changes no bit of a number.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cudamat/host_device.hpp"

namespace cudamat {

/// Whole numbers without a sign, as wide as T.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

namespace detail {

template <class T>
constexpr Bits<T> kSign = Bits<T>(1) << (8 * sizeof(T) - 1);

/// What -infinity is before the turn around the end: every bit of it flipped.
template <class T>
constexpr Bits<T> kFirst = (Bits<T>(1) << (std::numeric_limits<T>::digits - 1)) - 1;

}  // namespace detail

/// -0.0 is before 0.0, and every NaN after all numbers.
template <class T>
CUDAMAT_HD Bits<T> sort_key(T x) {
  const auto bits = std::bit_cast<Bits<T>>(x);
  return ((bits & detail::kSign<T>) != 0 ? ~bits : bits | detail::kSign<T>)-detail::kFirst<T>;
}

/// The number that has the key.
template <class T>
CUDAMAT_HD T sorted_number(Bits<T> key) {
  const Bits<T> flipped = key + detail::kFirst<T>;
  return std::bit_cast<T>((flipped & detail::kSign<T>) != 0 ? flipped ^ detail::kSign<T>
                                                            : Bits<T>(~flipped));
}

/// Equal ones where numbers compare as equal, and one for all NaNs.
template <class T>
CUDAMAT_HD Bits<T> equal_sort_key(T x) {
  return x != x ? ~Bits<T>(0) : sort_key(x == T(0) ? T(0) : x);
}

}  // namespace cudamat
