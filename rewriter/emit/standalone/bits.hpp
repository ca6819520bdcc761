// The functions of C++20's <bit> that the code of printed programs, C++17, needs.
#pragma once

#include "cudamat/host_device.hpp"

namespace cudamat {

template <class To, class From>
CUDAMAT_HD constexpr To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

CUDAMAT_HD constexpr unsigned bit_floor(unsigned x) {
  unsigned power = 1;
  while (power <= x / 2) power *= 2;
  return power;
}

CUDAMAT_HD constexpr int bit_width(unsigned long x) {
  int width = 0;
  for (; x > 0; x /= 2) ++width;
  return width;
}

}  // namespace cudamat
