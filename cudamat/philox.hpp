// Philox4x32-10 and the layout of cuRAND's stream over it, for the host and for kernels.
//
// The generator: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2,
// 3", SC'11: a keyed bijection of 128-bit counters, ten rounds of two 32x32->64-bit products. Any
// counter can be computed by itself, so a stream needs no state but a position.
//
// The stream is that of cuRAND's host API, CURAND_RNG_PSEUDO_PHILOX4_32_10 with
// CURAND_ORDERING_PSEUDO_LEGACY. NVIDIA does not document its layout; this was measured with
// curandCreateGeneratorHost of CUDA 13.0 and is held by tests/npmat_random_curand_test.cpp.
//
//   The position p counts values, whatever their type. Four consecutive values, p = 4q .. 4q+3, are
//   quad q. There are 65536 subsequences; quad q belongs to subsequence s = q mod 65536 and is its
//   quad number q / 65536. The key is the seed (low word, high word).
//
//   Each subsequence has its own counter c, from 0. The words come from the 128-bit counters
//   (c low, c high, s, 0):
//     float, 32-bit words   one counter:  value j of the quad is word j of counter c
//     double                two counters: values 0, 1 are words (0,1), (2,3) of counter c,
//                                         values 2, 3 the same of counter c + 1
//   The call that takes a quad's last value moves c on, by 1 (float) or 2 (double). A call that
//   ends inside a quad leaves c; the next one reads the rest of that quad, in its own type.
//
//   Hence c = q / 65536 + (the number of earlier quads of subsequence s finished as doubles):
//   q / 65536 for a stream of floats, 2 (q / 65536) for a stream of doubles.
#pragma once

#include <bit>
#include <cstdint>

#include "cudamat/host_device.hpp"

namespace cudamat {

/// Four words: a counter, or the random words made of it. w[0] is the least significant.
struct PhiloxWords {
  std::uint32_t w[4];
};

/// The number of interleaved subsequences in cuRAND's legacy ordering.
inline constexpr std::uint32_t kPhiloxSubsequences = 65536;

/// Values in one round: a quad of every subsequence.
inline constexpr std::uint64_t kPhiloxRound = 4 * std::uint64_t{kPhiloxSubsequences};

/// `Rounds` rounds of Philox4x32 on `c` under the key (key0, key1). Pure.
template <int Rounds>
CUDAMAT_HD inline PhiloxWords philox4x32(PhiloxWords c, std::uint32_t key0, std::uint32_t key1) {
  if constexpr (Rounds == 0) {
    return c;
  } else {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c.w[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c.w[2];
    const PhiloxWords next{
        {static_cast<std::uint32_t>(p1 >> 32) ^ c.w[1] ^ key0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c.w[3] ^ key1, static_cast<std::uint32_t>(p0)}};
    return philox4x32<Rounds - 1>(next, key0 + 0x9E3779B9u, key1 + 0xBB67AE85u);
  }
}

/// The words of counter `counter` in subsequence `subsequence` of the stream with this seed.
CUDAMAT_HD inline PhiloxWords philox_words(std::uint64_t seed, std::uint64_t counter,
                                           std::uint32_t subsequence) {
  return philox4x32<10>({{static_cast<std::uint32_t>(counter),
                          static_cast<std::uint32_t>(counter >> 32), subsequence, 0}},
                        static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

/// The subsequence of a position's quad, the quad's first counter and the value within the quad,
/// for a stream drawn with one type alone. `counters_per_quad`: 1 for float, 2 for double.
struct PhiloxPlace {
  std::uint64_t counter;
  std::uint32_t subsequence;
  std::uint32_t value;  // 0 .. 3, within the quad
};
CUDAMAT_HD inline PhiloxPlace philox_place(std::uint64_t position, int counters_per_quad) {
  const std::uint64_t quad = position / 4;
  return {quad / kPhiloxSubsequences * static_cast<std::uint64_t>(counters_per_quad),
          static_cast<std::uint32_t>(quad % kPhiloxSubsequences),
          static_cast<std::uint32_t>(position % 4)};
}

/// A word as a float in (0, 1]: float(x) / 2^32 + 2^-33, each step rounded to nearest. The values
/// next to 1 round to 1; the smallest is 2^-33.
CUDAMAT_HD inline float philox_uniform_float(std::uint32_t x) {
  return static_cast<float>(x) * 0x1p-32f + 0x1p-33f;
}

/// Two words (the first in the lower half of `pair`) as a double in (0, 1]: z / 2^53 + 2^-54 with
/// the 53-bit z = first ^ (second << 21). The largest z round to 1; the smallest value is 2^-54.
CUDAMAT_HD inline double philox_uniform_double(std::uint64_t pair) {
  const std::uint64_t z = (pair & 0xFFFFFFFFu) ^ ((pair >> 32) << 21);
  // z as a double, exactly, by way of its halves as the low bits of 2^84 and 2^52: CPUs without
  // AVX-512 have no vector instruction for it.
  const double high = std::bit_cast<double>((z >> 32) | 0x4530000000000000u);
  const double low = std::bit_cast<double>((z & 0xFFFFFFFFu) | 0x4330000000000000u);
  return ((high - (0x1p84 + 0x1p52)) + low) * 0x1p-53 + 0x1p-54;
}

CUDAMAT_HD inline float philox_uniform(std::uint32_t word) {
  return philox_uniform_float(word);
}
CUDAMAT_HD inline double philox_uniform(std::uint64_t pair) {
  return philox_uniform_double(pair);
}

/// What a uniform is made of: a word, or a pair.
template <class T>
struct PhiloxBits {
  using Type = std::uint32_t;
};
template <>
struct PhiloxBits<double> {
  using Type = std::uint64_t;
};

/// Writes the words of the values that come of the same counter as the one at `position`, which is
/// number `position % 4` (float) or `position % 2` (double) of them.
CUDAMAT_HD inline void philox_counter(std::uint64_t seed, std::uint64_t position,
                                      std::uint32_t (&words)[4]) {
  const PhiloxPlace place = philox_place(position, 1);
  const PhiloxWords made = philox_words(seed, place.counter, place.subsequence);
  for (int i = 0; i < 4; ++i) words[i] = made.w[i];
}
CUDAMAT_HD inline void philox_counter(std::uint64_t seed, std::uint64_t position,
                                      std::uint64_t (&pairs)[2]) {
  const PhiloxPlace place = philox_place(position, 2);
  const PhiloxWords made = philox_words(seed, place.counter + place.value / 2, place.subsequence);
  for (int i = 0; i < 2; ++i)
    pairs[i] = made.w[2 * i] | static_cast<std::uint64_t>(made.w[2 * i + 1]) << 32;
}

/// The uniforms that come of the same counter as the one at `position`.
template <class T, int kAll>
CUDAMAT_HD inline void philox_uniforms_of_counter(std::uint64_t seed, std::uint64_t position,
                                                  T (&values)[kAll]) {
  static_assert(kAll == 16 / int{sizeof(T)});
  typename PhiloxBits<T>::Type bits[kAll];
  philox_counter(seed, position, bits);
  for (int i = 0; i < kAll; ++i) values[i] = philox_uniform(bits[i]);
}

/// first = those of (first, next) from number `begin` on, begin < kAll. No index is computed: in a
/// kernel all stay in registers. Changes `next`.
template <class V, int kAll>
CUDAMAT_HD inline void philox_join(V (&first)[kAll], V (&next)[kAll], int begin) {
  for (int by = kAll / 2; by > 0; by /= 2) {
    if ((begin & by) == 0) continue;
    for (int i = 0; i < kAll - by; ++i) first[i] = first[i + by];
    for (int i = 0; i < by; ++i) first[kAll - by + i] = next[i];
    for (int i = 0; i < kAll - by; ++i) next[i] = next[i + by];
  }
}

/// Where values are taken from a stream: from `position` on; or, with a `since` in the memory that
/// kernels read, from so many values after that place on, with its seed.
struct Drawn {
  std::uint64_t seed;
  std::uint64_t position;
  const Drawn* since;

  [[nodiscard]] CUDAMAT_HD Drawn place() const {
    if (since == nullptr) return *this;
    return {since->seed, since->position + position, nullptr};
  }
};

/// The uniforms from `position` on, of a stream drawn with T alone: all that one counter
/// gives (4 floats, 2 doubles), or one.
template <class T, int kCount>
CUDAMAT_HD inline void philox_uniforms(std::uint64_t seed, std::uint64_t position,
                                       T (&values)[kCount]) {
  using Bits = typename PhiloxBits<T>::Type;
  constexpr int kAll = 16 / int{sizeof(T)};
  static_assert(kCount == 1 || kCount == kAll);
  Bits first[kAll];
  philox_counter(seed, position, first);
  const auto behind = static_cast<int>(position % kAll);
  if constexpr (kCount == 1) {
    Bits bits = first[0];
    for (int i = 1; i < kAll; ++i)
      if (i == behind) bits = first[i];
    values[0] = philox_uniform(bits);
  } else {
    Bits next[kAll] = {};
    if (behind != 0) philox_counter(seed, position + kAll, next);
    philox_join(first, next, behind);
    for (int i = 0; i < kAll; ++i) values[i] = philox_uniform(first[i]);
  }
}

}  // namespace cudamat
