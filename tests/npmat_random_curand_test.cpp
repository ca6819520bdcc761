// npmat::Generator against cuRAND itself: its host generator, which runs without a GPU. Skipped
// where CMake found no CUDA toolkit.
#include <gtest/gtest.h>

#include "cudamat/philox.hpp"
#include "npmat/random.hpp"

#ifdef CUDAMAT_TEST_CURAND
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <curand.h>
#include <limits>
#include <random>
#include <vector>

namespace {

#define CURAND_OK(call) ASSERT_EQ(call, CURAND_STATUS_SUCCESS)

/// cuRAND's host generator in legacy ordering.
class Curand {
 public:
  explicit Curand(std::uint64_t seed) { open(seed); }
  Curand(const Curand&) = delete;
  Curand& operator=(const Curand&) = delete;
  ~Curand() { curandDestroyGenerator(generator_); }

  void seek(std::uint64_t offset) { CURAND_OK(curandSetGeneratorOffset(generator_, offset)); }
  void uniform(float* out, std::size_t n) { CURAND_OK(curandGenerateUniform(generator_, out, n)); }
  void uniform(double* out, std::size_t n) {
    CURAND_OK(curandGenerateUniformDouble(generator_, out, n));
  }
  void normal(float* out, std::size_t n) {
    CURAND_OK(curandGenerateNormal(generator_, out, n, 0, 1));
  }
  void normal(double* out, std::size_t n) {
    CURAND_OK(curandGenerateNormalDouble(generator_, out, n, 0, 1));
  }

 private:
  void open(std::uint64_t seed) {
    CURAND_OK(curandCreateGeneratorHost(&generator_, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    CURAND_OK(curandSetGeneratorOrdering(generator_, CURAND_ORDERING_PSEUDO_LEGACY));
    CURAND_OK(curandSetPseudoRandomGeneratorSeed(generator_, seed));
  }
  curandGenerator_t generator_ = nullptr;
};

/// Both generators at the same place, drawn from together.
class Pair {
 public:
  Pair(std::uint64_t seed, std::uint64_t position) : ours_(seed), theirs_(seed) {
    if (position == 0) return;
    ours_.seek(position);
    theirs_.seek(position);
  }

  template <class T>
  void expect_same_uniforms(std::size_t n) {
    std::vector<T> a(n, T(-1)), b(n, T(-2));
    ours_.uniform(a.data(), static_cast<std::int64_t>(n));
    theirs_.uniform(b.data(), n);
    ASSERT_EQ(std::memcmp(a.data(), b.data(), n * sizeof(T)), 0);
  }

  // The root's argument and the angle have the same bits in both. Ours are within 3 units of the
  // true value (npmat_random_test), cuRAND's within 2.5: measured, and what the C library's bounds
  // of 1 for log, sin and cos give (0.5 + 0.5 for the root, 1 for the sine, 0.5 for the product).
  template <class T>
  void expect_near_normals(std::size_t n) {
    std::vector<T> a(n, T(-1)), b(n, T(-2));
    ours_.normal(a.data(), static_cast<std::int64_t>(n));
    theirs_.normal(b.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      const T size = std::abs(b[i]);
      const T ulp = std::nextafter(size, std::numeric_limits<T>::max()) - size;
      ASSERT_LE(std::abs(a[i] - b[i]), 5 * ulp) << "value " << i << ": " << a[i] << " " << b[i];
    }
  }

 private:
  npmat::Generator ours_;
  Curand theirs_;
};

constexpr std::uint64_t kSeeds[] = {
    0, 1, 42, 0xffffffff, 0x100000000, 0x123456789abcdef0, 0x8000000000000000, 0xffffffffffffffff};

TEST(CurandStream, UniformsOfOneCallHaveTheSameBits) {
  for (const std::uint64_t seed : kSeeds) {
    for (const std::size_t n : {1u, 3u, 4u, 5u, 7u, 1000u, 262143u, 262144u, 262145u, 1000003u}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", n " << n);
      ASSERT_NO_FATAL_FAILURE(Pair(seed, 0).expect_same_uniforms<float>(n));
      ASSERT_NO_FATAL_FAILURE(Pair(seed, 0).expect_same_uniforms<double>(n));
    }
  }
}

TEST(CurandStream, NormalsAgreeWithinRounding) {
  for (const std::uint64_t seed : kSeeds) {
    for (const std::size_t n : {1u, 2u, 3u, 4u, 7u, 1000u, 262144u, 1000003u}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", n " << n);
      ASSERT_NO_FATAL_FAILURE(Pair(seed, 0).expect_near_normals<float>(n));
      ASSERT_NO_FATAL_FAILURE(Pair(seed, 0).expect_near_normals<double>(n));
    }
  }
}

/// A random sequence of calls of every type and kind, from a position.
void expect_same_calls(std::mt19937_64& random, std::uint64_t seed, std::uint64_t position) {
  constexpr std::size_t kSizes[] = {1,    2,     3,      4,      5,      7,      13,     1000,
                                    4096, 65536, 131072, 262143, 262144, 262145, 600001, 6};
  Pair both(seed, position);
  for (int call = 0; call < 14; ++call) {
    // Every other call is small, so that calls start and end inside quads.
    const std::size_t n = kSizes[random() % (call % 2 == 0 ? 8 : std::size(kSizes))];
    const auto kind = random() % 4;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", start " << position << ", call "
                                    << call << ", kind " << kind << ", n " << n);
    if (kind == 0) both.expect_same_uniforms<float>(n);
    if (kind == 1) both.expect_same_uniforms<double>(n);
    if (kind == 2) both.expect_near_normals<float>(n);
    if (kind == 3) both.expect_near_normals<double>(n);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(CurandStream, MixedCallsContinueTheSameWay) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 40; ++trial)
    ASSERT_NO_FATAL_FAILURE(expect_same_calls(random, random() >> (random() % 64), 0));
}

TEST(CurandStream, OffsetsUpToTheEndOfTheStreamGoToTheSamePlace) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 20; ++trial)
    ASSERT_NO_FATAL_FAILURE(expect_same_calls(random, random(), random() >> (2 + random() % 62)));
}

/// What kernels that draw for themselves compute, from any place of the stream.
template <class T, int kCount>
void expect_same_piecewise(std::uint64_t seed, std::uint64_t first, std::size_t n) {
  // Doubles go to whole rounds only, of 2^18 values that count twice (cudamat/cuda/random.cpp).
  const std::uint64_t round = first / cudamat::kPhiloxRound * cudamat::kPhiloxRound;
  const std::size_t before = sizeof(T) == sizeof(double) ? first - round : 0;
  Curand curand(seed);
  curand.seek(sizeof(T) == sizeof(double) ? 2 * round : first);
  std::vector<T> theirs(before + n), ours(n);
  curand.uniform(theirs.data(), theirs.size());
  for (std::size_t i = 0; i < n; i += kCount) {
    T values[kCount];
    cudamat::philox_uniforms(seed, first + i, values);
    std::copy_n(values, std::min<std::size_t>(kCount, n - i), &ours[i]);
  }
  ASSERT_EQ(std::memcmp(ours.data(), theirs.data() + before, n * sizeof(T)), 0)
      << "seed " << seed << ", from " << first << ", " << kCount << " at a time";
}

TEST(CurandStream, PiecesOfAnyPlaceAreTheSame) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> places{262143, 262144, 524281};
  for (std::uint64_t place = 0; place < 9; ++place) places.push_back(place);
  for (int i = 0; i < 20; ++i) places.push_back(random() >> (2 + random() % 62));
  for (const std::uint64_t place : places) {
    const std::uint64_t seed = kSeeds[place % std::size(kSeeds)];
    ASSERT_NO_FATAL_FAILURE((expect_same_piecewise<float, 4>(seed, place, 1003)));
    ASSERT_NO_FATAL_FAILURE((expect_same_piecewise<float, 1>(seed, place, 1003)));
    ASSERT_NO_FATAL_FAILURE((expect_same_piecewise<double, 2>(seed, place, 1003)));
    ASSERT_NO_FATAL_FAILURE((expect_same_piecewise<double, 1>(seed, place, 1003)));
  }
}

}  // namespace

#else

TEST(CurandStream, IsComparedWithCurand) {
  GTEST_SKIP() << "CMake found no CUDA toolkit (CUDA::curand): not compared with cuRAND itself";
}

#endif
