// The functions of C++20's <bit> that the code of printed programs, C++17, needs.
#pragma once

namespace cudamat {

template <class To, class From>
constexpr To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

constexpr unsigned bit_floor(unsigned x) {
  unsigned power = 1;
  while (power <= x / 2) power *= 2;
  return power;
}

}  // namespace cudamat
