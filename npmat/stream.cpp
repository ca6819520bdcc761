#include "npmat/stream.hpp"

#include "npmat/target_clones.hpp"

#if CUDAMAT_MULTIVERSION
#include <immintrin.h>
#endif

namespace npmat::detail {

// A line a store where the machine can: it takes less than four that the processor puts together.
#if CUDAMAT_MULTIVERSION

__attribute__((target("avx512f"))) void stream_lines(const char* from, char* to, Index bytes) {
  for (Index i = 0; i < bytes; i += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
}

__attribute__((target("avx2"))) void stream_lines(const char* from, char* to, Index bytes) {
  for (Index i = 0; i < bytes; i += 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
}

__attribute__((target("default")))
#endif
void stream_lines(const char* from, char* to, Index bytes) {
#ifdef __SSE2__
  for (Index i = 0; i < bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
  std::memcpy(to, from, std::size_t(bytes));
#endif
}

}  // namespace npmat::detail
