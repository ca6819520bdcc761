#include "npmat/random_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cudamat/box_muller.hpp"
#include "cudamat/philox.hpp"
#include "npmat/random_words.hpp"
#include "npmat/target_clones.hpp"

namespace npmat::detail {
namespace {

constexpr std::int64_t kBlock = 512;  // counters; their words stay in the first-level cache
static_assert(kBlock % kWordUnits == 0);

/// The i-th two words, the first in the lower half.
inline std::uint64_t pair(const std::uint32_t* words, std::int64_t i) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t both;
  std::memcpy(&both, words + 2 * i, sizeof(both));
  return both;
}

CUDAMAT_TARGET_CLONES void to_uniform(const std::uint32_t* words, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = cudamat::philox_uniform_float(words[i]);
}

CUDAMAT_TARGET_CLONES void to_uniform(const std::uint32_t* words, std::int64_t n, double* out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = cudamat::philox_uniform_double(pair(words, i));
}

CUDAMAT_TARGET_CLONES void to_normal(const std::uint32_t* words, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n / 2; ++i)
    cudamat::philox_normals(words[2 * i], words[2 * i + 1], out[2 * i], out[2 * i + 1]);
}

CUDAMAT_TARGET_CLONES void to_normal(const std::uint32_t* words, std::int64_t n, double* out) {
  for (std::int64_t i = 0; i < n / 2; ++i)
    cudamat::philox_normals(pair(words, 2 * i), pair(words, 2 * i + 1), out[2 * i], out[2 * i + 1]);
}

template <class T>
inline constexpr int kPerQuad = sizeof(T) == sizeof(float) ? 1 : 2;

template <class T>
void fill(const QuadRun& run, T* out, void (*convert)(const std::uint32_t*, std::int64_t, T*)) {
  alignas(64) std::uint32_t words[4 * kBlock];
  constexpr std::int64_t kBlockQuads = kBlock / kPerQuad<T>;
  for (std::int64_t q = 0; q < run.quads; q += kBlockQuads) {
    const std::int64_t quads = std::min(kBlockQuads, run.quads - q);
    const std::int64_t units = (quads * kPerQuad<T> + kWordUnits - 1) / kWordUnits * kWordUnits;
    philox_run(words, units, run.seed, run.counter, run.subsequence + static_cast<std::uint32_t>(q),
               kPerQuad<T>);
    convert(words, 4 * quads, out + 4 * q);
  }
}

}  // namespace

void fill_uniform(const QuadRun& run, float* out) {
  fill<float>(run, out, to_uniform);
}
void fill_uniform(const QuadRun& run, double* out) {
  fill<double>(run, out, to_uniform);
}
void fill_normal(const QuadRun& run, float* out) {
  fill<float>(run, out, to_normal);
}
void fill_normal(const QuadRun& run, double* out) {
  fill<double>(run, out, to_normal);
}

}  // namespace npmat::detail
