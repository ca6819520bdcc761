#include "npmat/random_words.hpp"

#include "cudamat/philox.hpp"
#include "npmat/target_clones.hpp"

#if CUDAMAT_MULTIVERSION
#include <immintrin.h>
#endif

// The vector forms keep each 32-bit word in a 64-bit lane, where one multiplication gives both
// halves of the product; the upper half of a lane is garbage that nothing reads. The lanes are
// numbered so that the last interleaving, which works within 128-bit pairs, stores in stream order.
// Two vectors go side by side: each is one long chain of dependent instructions.
namespace npmat::detail {
namespace {

#if CUDAMAT_MULTIVERSION

/// Where the lanes of a vector start. `order[l]` is the unit that lane l computes.
template <int Lanes>
struct Lane {
  alignas(64) std::uint64_t counter_low[Lanes];
  alignas(64) std::uint64_t counter_high[Lanes];
  alignas(64) std::uint64_t subsequence[Lanes];

  Lane(const int (&order)[Lanes], std::uint64_t counter, std::uint32_t first, int per_quad) {
    for (int l = 0; l < Lanes; ++l) {
      const std::uint64_t c = counter + static_cast<std::uint64_t>(order[l] % per_quad);
      counter_low[l] = c & 0xFFFFFFFFu;
      counter_high[l] = c >> 32;
      subsequence[l] = first + static_cast<std::uint32_t>(order[l] / per_quad);
    }
  }
};

__attribute__((target("avx512f"))) void run(std::uint32_t* out, std::int64_t units,
                                            std::uint64_t seed, std::uint64_t counter,
                                            std::uint32_t subsequence, int per_quad) {
  constexpr __mmask8 all = 0xFF;  // the plain forms of these intrinsics warn falsely in GCC 12
  const Lane<8> lane({0, 4, 1, 5, 2, 6, 3, 7}, counter, subsequence, per_quad);
  const __m512i low = _mm512_load_si512(lane.counter_low);
  const __m512i high = _mm512_load_si512(lane.counter_high);
  __m512i sub = _mm512_load_si512(lane.subsequence);
  const __m512i step = _mm512_set1_epi64(8 / per_quad);
  const __m512i m0 = _mm512_set1_epi64(0xD2511F53), m1 = _mm512_set1_epi64(0xCD9E8D57);
  for (std::int64_t t = 0; t < units; t += 16) {
    __m512i c0[2] = {low, low}, c1[2] = {high, high}, c2[2] = {sub, sub + step}, c3[2] = {};
    auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const __m512i k0 = _mm512_set1_epi64(key0), k1 = _mm512_set1_epi64(key1);
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        const __m512i p0 = _mm512_maskz_mul_epu32(all, c0[v], m0);
        const __m512i p1 = _mm512_maskz_mul_epu32(all, c2[v], m1);
        c0[v] = _mm512_maskz_srli_epi64(all, p1, 32) ^ (c1[v] ^ k0);
        c2[v] = _mm512_maskz_srli_epi64(all, p0, 32) ^ (c3[v] ^ k1);
        c1[v] = p1;
        c3[v] = p0;
      }
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      const __m512i w01 =
          _mm512_mask_blend_epi32(0xAAAA, c0[v], _mm512_maskz_slli_epi64(all, c1[v], 32));
      const __m512i w23 =
          _mm512_mask_blend_epi32(0xAAAA, c2[v], _mm512_maskz_slli_epi64(all, c3[v], 32));
      _mm512_storeu_si512(out + 4 * t + 32 * v, _mm512_maskz_unpacklo_epi64(all, w01, w23));
      _mm512_storeu_si512(out + 4 * t + 32 * v + 16, _mm512_maskz_unpackhi_epi64(all, w01, w23));
    }
    sub += step + step;
  }
}

__attribute__((target("avx2"))) void run(std::uint32_t* out, std::int64_t units, std::uint64_t seed,
                                         std::uint64_t counter, std::uint32_t subsequence,
                                         int per_quad) {
  const Lane<4> lane({0, 2, 1, 3}, counter, subsequence, per_quad);
  const __m256i low = *reinterpret_cast<const __m256i*>(lane.counter_low);
  const __m256i high = *reinterpret_cast<const __m256i*>(lane.counter_high);
  __m256i sub = *reinterpret_cast<const __m256i*>(lane.subsequence);
  const __m256i step = _mm256_set1_epi64x(4 / per_quad);
  const __m256i m0 = _mm256_set1_epi64x(0xD2511F53), m1 = _mm256_set1_epi64x(0xCD9E8D57);
  for (std::int64_t t = 0; t < units; t += 8) {
    __m256i c0[2] = {low, low}, c1[2] = {high, high}, c2[2] = {sub, sub + step}, c3[2] = {};
    auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const __m256i k0 = _mm256_set1_epi64x(key0), k1 = _mm256_set1_epi64x(key1);
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        const __m256i p0 = _mm256_mul_epu32(c0[v], m0), p1 = _mm256_mul_epu32(c2[v], m1);
        c0[v] = _mm256_srli_epi64(p1, 32) ^ (c1[v] ^ k0);
        c2[v] = _mm256_srli_epi64(p0, 32) ^ (c3[v] ^ k1);
        c1[v] = p1;
        c3[v] = p0;
      }
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    auto* to = reinterpret_cast<__m256i*>(out + 4 * t);
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      const __m256i w01 = _mm256_blend_epi32(c0[v], _mm256_slli_epi64(c1[v], 32), 0xAA);
      const __m256i w23 = _mm256_blend_epi32(c2[v], _mm256_slli_epi64(c3[v], 32), 0xAA);
      _mm256_storeu_si256(to + 2 * v, _mm256_unpacklo_epi64(w01, w23));
      _mm256_storeu_si256(to + 2 * v + 1, _mm256_unpackhi_epi64(w01, w23));
    }
    sub += step + step;
  }
}

__attribute__((target("default")))
#endif
void run(std::uint32_t* out, std::int64_t units, std::uint64_t seed, std::uint64_t counter,
                std::uint32_t subsequence, int per_quad) {
  for (std::int64_t t = 0; t < units; ++t) {
    const cudamat::PhiloxWords words =
        cudamat::philox_words(seed, counter + static_cast<std::uint64_t>(t % per_quad),
                              subsequence + static_cast<std::uint32_t>(t / per_quad));
    for (int j = 0; j < 4; ++j) out[4 * t + j] = words.w[j];
  }
}

}  // namespace

void philox_run(std::uint32_t* out, std::int64_t units, std::uint64_t seed, std::uint64_t counter,
                std::uint32_t subsequence, int per_quad) {
  run(out, units, seed, counter, subsequence, per_quad);
}

}  // namespace npmat::detail
