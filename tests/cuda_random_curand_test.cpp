// The kernel that draws random numbers, executed on the CPU, against cuRAND itself: its host
// generator, which needs no GPU; and against npmat's generator, to the bit.
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <limits>
#include <random>
#include <vector>

#include "cudamat/cuda/random.hpp"
#include "cudamat/cudamat.hpp"
#include "cudamat/philox.hpp"
#include "npmat/random.hpp"

namespace {

using cudamat::Index;
using cudamat::cuda::Distribution;

/// libcurand, beside the stand-in of cudamat/simt that the program is linked with.
class Curand {
 public:
  Curand() : library_(dlopen(CUDAMAT_TEST_LIBCURAND, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    call("curandCreateGeneratorHost", &generator_, 161);  // CURAND_RNG_PSEUDO_PHILOX4_32_10
    call("curandSetGeneratorOrdering", generator_, 103);  // CURAND_ORDERING_PSEUDO_LEGACY
  }
  ~Curand() {
    if (generator_ != nullptr) call("curandDestroyGenerator", generator_);
  }
  Curand(const Curand&) = delete;
  Curand& operator=(const Curand&) = delete;

  [[nodiscard]] bool is_there() const { return library_ != nullptr; }

  /// n values from `position` on. Doubles go to whole rounds only (cudamat/cuda/random_curand.cpp).
  template <class T>
  std::vector<T> draw(std::uint64_t seed, std::uint64_t position, Distribution which,
                      std::size_t n) {
    constexpr bool kDouble = sizeof(T) == sizeof(double);
    const std::uint64_t begin =
        kDouble ? position / cudamat::kPhiloxRound * cudamat::kPhiloxRound : position / 2 * 2;
    const std::size_t before = position - begin;
    std::vector<T> values(before + n);
    call("curandSetPseudoRandomGeneratorSeed", generator_, static_cast<unsigned long long>(seed));
    call("curandSetGeneratorOffset", generator_,
         static_cast<unsigned long long>(kDouble ? 2 * begin : begin));
    if (which == Distribution::Uniform)
      call(kDouble ? "curandGenerateUniformDouble" : "curandGenerateUniform", generator_,
           values.data(), values.size());
    else
      call(kDouble ? "curandGenerateNormalDouble" : "curandGenerateNormal", generator_,
           values.data(), values.size(), T(0), T(1));
    return {values.begin() + static_cast<std::ptrdiff_t>(before), values.end()};
  }

 private:
  template <class... Args>
  void call(const char* function, Args... args) {
    auto* const found = reinterpret_cast<int (*)(Args...)>(dlsym(library_, function));
    ASSERT_NE(found, nullptr) << function;
    ASSERT_EQ(found(args...), 0) << function;
  }

  void* library_;
  void* generator_ = nullptr;
};

/// Values of the kernel, to an address `shift` elements after an aligned one.
template <class T>
std::vector<T> ours(std::uint64_t seed, std::uint64_t position, Distribution which, Index n,
                    Index shift) {
  using M = cudamat::CUDAMatrix<T>;
  M all = M::empty({shift + n, 1});
  all.assign(T(-7));
  cudamat::cuda::draw_at<T>({seed, position, nullptr}, which, all.data() + shift, n);
  const auto& host = all.asarray().values();
  for (Index i = 0; i < shift; ++i) EXPECT_EQ(host[static_cast<std::size_t>(i)], T(-7));
  return {host.begin() + shift, host.end()};
}

struct Place {
  std::uint64_t seed, position;
  Index n, shift;
};

/// Every remainder of position and address, lengths from one value to several blocks, two rounds.
std::vector<Place> places() {
  std::vector<Place> result;
  std::mt19937_64 random(6);
  for (Index shift = 0; shift < 4; ++shift)
    for (std::uint64_t position = 0; position < 5; ++position)
      for (const Index n : {1, 2, 3, 4, 5, 31, 2047, 2048, 2049, 4100})
        result.push_back({random(), position, n, shift});
  for (int i = 0; i < 24; ++i)
    result.push_back({random(), random() >> (2 + random() % 62), 3000 + i, i % 4});
  for (const std::uint64_t position : {262'143, 262'144, 524'281})
    result.push_back({0xffffffff, position, 5001, 1});
  result.push_back({42, 0, 600'000, 0});
  return result;
}

template <class T>
class CudaRandomKernel : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaRandomKernel, Types);

TYPED_TEST(CudaRandomKernel, UniformsHaveTheBitsOfCurand) {
  using T = TypeParam;
  Curand curand;
  if (!curand.is_there()) GTEST_SKIP() << "no libcurand: not compared with cuRAND itself";
  for (const Place& at : places()) {
    const auto mine = ours<T>(at.seed, at.position, Distribution::Uniform, at.n, at.shift);
    const auto theirs =
        curand.draw<T>(at.seed, at.position, Distribution::Uniform, std::size_t(at.n));
    ASSERT_EQ(std::memcmp(mine.data(), theirs.data(), mine.size() * sizeof(T)), 0)
        << at.n << " from " << at.position << ", shifted by " << at.shift;
  }
}

// Both round the same uniforms and angles; from there cuRAND's host generator goes on with the C
// library's log, sine and cosine, which are within 2.5 units in the last place of a normal, and we
// with our own, within 3 (npmat_random_test).
TYPED_TEST(CudaRandomKernel, NormalsAreCurandsWithinRounding) {
  using T = TypeParam;
  Curand curand;
  if (!curand.is_there()) GTEST_SKIP() << "no libcurand: not compared with cuRAND itself";
  for (const Place& at : places()) {
    const auto mine = ours<T>(at.seed, at.position, Distribution::Normal, at.n, at.shift);
    const auto theirs =
        curand.draw<T>(at.seed, at.position, Distribution::Normal, std::size_t(at.n));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const T size = std::abs(theirs[i]);
      const T ulp = std::nextafter(size, std::numeric_limits<T>::max()) - size;
      ASSERT_LE(std::abs(mine[i] - theirs[i]), 5 * ulp)
          << "value " << i << " of " << at.n << " from " << at.position;
    }
  }
}

TYPED_TEST(CudaRandomKernel, NormalsHaveTheBitsOfNpmat) {
  using T = TypeParam;
  for (const Place& at : places()) {
    // A generator of doubles is at a place when it has drawn as many.
    if (sizeof(T) == sizeof(double) && at.position > 1'000'000) continue;
    npmat::Generator generator(at.seed);
    if (sizeof(T) == sizeof(float))
      generator.seek(at.position);
    else
      generator.skip<double>(static_cast<std::int64_t>(at.position));
    std::vector<T> theirs(static_cast<std::size_t>(at.n));
    generator.normal(theirs.data(), at.n);
    const auto mine = ours<T>(at.seed, at.position, Distribution::Normal, at.n, at.shift);
    ASSERT_EQ(std::memcmp(mine.data(), theirs.data(), mine.size() * sizeof(T)), 0)
        << at.n << " from " << at.position << ", shifted by " << at.shift;
  }
}

}  // namespace
